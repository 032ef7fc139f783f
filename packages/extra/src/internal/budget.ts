/**
 * What all operations of a document together may be made of. A document is bounded by its size; but where each of thousands
 * of operations refers to the same large part, and has it as its own, a megabyte becomes gigabytes.
 */
import * as Result from "effect/Result"

/**
 * In values: parts of schemas, definitions carried along, a few for each parameter. The thousand operations of Kubernetes
 * come to a thirtieth.
 */
const MAX_VALUES = 3_000_000

export class Budget {
  #left = MAX_VALUES

  get left(): number {
    return this.#left
  }

  /** What doesn't fit spends the rest: nobody is to try again with each of the operations that follow. */
  take(values: number): Result.Result<void, string> {
    this.#left = values > this.#left ? 0 : this.#left - values
    return this.#left === 0 ? Result.fail(SPENT) : Result.succeed(undefined)
  }
}

const SPENT = `is one too many: all operations of the document together need more than ${MAX_VALUES} values`

/**
 * The schemas that a document's operations refer to, each translated once and shared by all of them. Cyclic ones stay what
 * they are: a tool's schema carries the definitions that it needs in `$defs`.
 */
import type { Json } from "@effect-toolnexus/core"
import * as Result from "effect/Result"
import type { Budget } from "./budget.ts"
import { isObject } from "./json.ts"
import * as References from "./references.ts"
import { translate } from "./schemaDialect.ts"

interface Definition {
  readonly name: string
  readonly schema: Json.Json
  /** What it refers to in turn. */
  readonly references: ReadonlySet<string>
  readonly size: number
}

/** A schema, and the references in it. */
export interface Translated {
  readonly schema: Json.Json
  readonly references: ReadonlySet<string>
}

/** No more than what providers' schemas are made of (`SchemaValue.copySchema`); half, since there is more to come. */
const MAX_VALUES = 50_000

export class Definitions {
  readonly #document: Json.JsonObject
  readonly #found = new Map<string, Result.Result<Definition, string>>()
  readonly #translated = new WeakMap<Json.JsonObject, Translated>()
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()
  /** How many have had one name, so that a name isn't looked for from the beginning each time. */
  readonly #counts = new Map<string, number>()
  readonly #budget: Budget

  constructor(document: Json.JsonObject, budget: Budget) {
    this.#document = document
    this.#budget = budget
  }

  /** Once for all operations that refer to one parameter or body. */
  translate(schema: Json.Json): Translated {
    if (!isObject(schema)) return this.#translate(schema)
    const known = this.#translated.get(schema)
    if (known !== undefined) return known
    const translated = this.#translate(schema)
    this.#translated.set(schema, translated)
    return translated
  }

  #translate(schema: Json.Json): Translated {
    const references = new Set<string>()
    const translated = translate(schema, (reference) => {
      references.add(reference)
      return `#/$defs/${this.#nameOf(reference)}`
    })
    return { schema: translated, references }
  }

  /** All that a schema's references lead to, by name; or which of them leads nowhere. */
  closure({ references, schema }: Translated): Result.Result<Json.JsonObject, string> {
    const waiting = [...references]
    const done = new Set<string>()
    const definitions: Array<readonly [string, Json.Json]> = []
    let size = sizeOf(schema)
    if (size > MAX_VALUES) return Result.fail(TOO_LARGE)
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (done.has(next)) continue
      done.add(next)
      const found = this.#definitionOf(next)
      if (Result.isFailure(found)) return Result.fail(found.failure)
      size += found.success.size
      if (size > MAX_VALUES) return Result.fail(TOO_LARGE)
      const taken = this.#budget.take(1)
      if (Result.isFailure(taken)) return Result.fail(taken.failure)
      definitions.push([found.success.name, found.success.schema])
      waiting.push(...found.success.references)
    }
    return Result.succeed(Object.fromEntries(definitions))
  }

  #definitionOf(reference: string): Result.Result<Definition, string> {
    const known = this.#found.get(reference)
    if (known !== undefined) return known
    const found = Result.map(References.find(this.#document, reference), (schema): Definition => {
      const { references, schema: translated } = this.translate(schema)
      return { name: this.#nameOf(reference), schema: translated, references, size: sizeOf(translated) }
    })
    this.#found.set(reference, found)
    return found
  }

  /** The last word of the reference, told apart from others of the same by a number. */
  #nameOf(reference: string): string {
    const known = this.#names.get(reference)
    if (known !== undefined) return known
    const plain = References.segmentsOf(reference).at(-1)?.replace(/[^\w.-]/g, "_") ?? "root"
    let count = this.#counts.get(plain) ?? 0
    let name = ""
    do name = ++count === 1 ? plain : `${plain}_${count}`
    while (this.#taken.has(name))
    this.#counts.set(plain, count)
    this.#taken.add(name)
    this.#names.set(reference, name)
    return name
  }
}

const TOO_LARGE = `needs schemas of more than ${MAX_VALUES} values`

/** Each so many characters of a text count as one value more. */
const TEXT_OF_VALUE = 100

/** As many values as it takes to say that it is too large. */
export const sizeOf = (schema: Json.Json): number => {
  let count = 0
  const waiting: Array<Json.Json> = [schema]
  for (let next = waiting.pop(); next !== undefined && count <= MAX_VALUES; next = waiting.pop()) {
    count += typeof next === "string" ? 1 + Math.floor(next.length / TEXT_OF_VALUE) : 1
    if (typeof next === "object" && next !== null) { for (const value of Object.values(next)) waiting.push(value) }
  }
  return count
}

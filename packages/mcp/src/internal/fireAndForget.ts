/**
 * What is sent over HTTP without anybody waiting for what becomes of it: notices, and our answers to a server. Each is a
 * request all the same, so they have a limit of their own, and no more than so many are under way at once.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Run } from "./run.ts"

/** Also for whoever waits for a turn, so that a server that never answers can't make them heap up. */
export const NOTICE_LIMIT = "10 seconds"

const AT_ONCE = 256

export class FireAndForget {
  readonly #run: Run
  readonly #turns = Semaphore.makeUnsafe(AT_ONCE)
  #count = 0

  constructor(run: Run) {
    this.#run = run
  }

  /** A server that asks on and on without taking our answers gets no more of them; of notices we are the ones who send. */
  send(method: string | undefined, delivery: Effect.Effect<void>) {
    if (method === undefined && this.#count >= AT_ONCE) return
    this.#count++
    this.#run(Effect.ensuring(
      Effect.timeoutOption(this.#turns.withPermit(delivery), NOTICE_LIMIT),
      Effect.sync(() => {
        this.#count--
      })
    ))
  }
}

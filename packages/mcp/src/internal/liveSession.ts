/** How calls reach a server whose connection may be lost and repaired: the session there is, or the next one. */
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { McpSession } from "../McpSession.ts"

export class LiveSession {
  /** Done with the session there is, or with why there will be none; not done while it is waited for. */
  #next = Deferred.makeUnsafe<McpSession, EntryError>()
  #session: McpSession | undefined
  #problem: EntryError | undefined
  #isClosed = false
  /** Done when somebody begins to wait. */
  #wanted = Deferred.makeUnsafe<void>()
  #waiting = 0

  /** The session, as soon as there is one; fails when it is certain that none will come. */
  readonly current: Effect.Effect<McpSession, EntryError> = Effect.suspend(() => {
    // its end may be known before anybody has begun to repair it
    if (this.#session !== this.now) this.#reset()
    if (Deferred.isDoneUnsafe(this.#next)) return Deferred.await(this.#next)
    this.#waiting++
    Deferred.doneUnsafe(this.#wanted, Effect.void)
    return Effect.ensuring(
      Deferred.await(this.#next),
      Effect.sync(() => {
        this.#waiting--
      })
    )
  })

  /** Done as soon as somebody waits for a session. */
  readonly wanted: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#waiting > 0) return Effect.void
    this.#wanted = Deferred.makeUnsafe()
    return Deferred.await(this.#wanted)
  })

  /** The one there is. */
  get now(): McpSession | undefined {
    return this.#session?.isClosed() === true ? undefined : this.#session
  }

  /** Why there is none now, as far as that is known. */
  get problem(): EntryError | undefined {
    return this.#problem
  }

  connected(session: McpSession) {
    if (this.#isClosed) return
    this.#problem = undefined
    this.#settle(Effect.succeed(session))
    this.#session = session
  }

  /** It is being repaired: whoever asks waits. */
  lost(problem: EntryError) {
    if (this.#isClosed) return
    this.#problem = problem
    this.#reset()
  }

  /** It isn't repaired any more: whoever asks, or waits, is told why. */
  ended(problem: EntryError) {
    if (this.#isClosed) return
    this.#problem = problem
    this.#settle(Effect.fail(problem))
  }

  /** Whatever comes after this, the server is nobody's any more. */
  close(problem: EntryError) {
    this.ended(problem)
    this.#isClosed = true
  }

  #settle(outcome: Effect.Effect<McpSession, EntryError>) {
    this.#reset()
    Deferred.doneUnsafe(this.#next, outcome)
  }

  #reset() {
    this.#session = undefined
    if (Deferred.isDoneUnsafe(this.#next)) this.#next = Deferred.makeUnsafe()
  }
}

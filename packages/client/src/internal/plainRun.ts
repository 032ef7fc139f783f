/** Effects for callers that know only Promises. */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Runs an effect to its value; rejects with its typed error, or with the signal's reason where that ended it. */
export type Run = <A, E>(effect: Effect.Effect<A, E>, signal?: AbortSignal) => Promise<A>

export const makeRun = (context: Context.Context<never>): Run => {
  const toExit = Effect.runPromiseExitWith(context)
  return async (effect, signal) => {
    // an effect that never waits would be done before it is interrupted
    signal?.throwIfAborted()
    const exit = await toExit(effect, signal === undefined ? undefined : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    if (signal?.aborted === true && Cause.hasInterrupts(exit.cause)) throw signal.reason
    throw named(Cause.squash(exit.cause))
  }
}

/** Programs, and other libraries, print an error's `name` before its message: of ours that is its tag. */
const named = (error: unknown): unknown =>
  error instanceof Error && "_tag" in error && typeof error._tag === "string"
    ? Object.defineProperty(error, "name", { value: error._tag, configurable: true, writable: true })
    : error

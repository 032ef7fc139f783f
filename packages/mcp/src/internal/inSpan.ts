/** Spans of what an entry does on its way. */
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Like `Effect.withSpan`, but of a failure the span gets the phase only: its text may quote what others wrote. */
export const inSpan = <A, R>(
  effect: Effect.Effect<A, EntryError, R>,
  name: string,
  attributes: Readonly<Record<string, string>>
): Effect.Effect<A, EntryError, R> =>
  Effect.flatMap(
    Effect.makeSpan(name, { attributes }),
    (span) =>
      Effect.onExit(Effect.withParentSpan(effect, span), (exit) =>
        Effect.map(Clock.currentTimeNanos, (now) => {
          const errorType = errorTypeOf(exit)
          if (errorType !== undefined) span.attribute("error.type", errorType)
          span.end(now, withoutContents(exit, errorType))
        }))
  )

const errorTypeOf = (exit: Exit.Exit<unknown, EntryError>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return failure.error.phase
  return Cause.hasInterrupts(exit.cause) ? "Interrupted" : "Defect"
}

const withoutContents = (
  exit: Exit.Exit<unknown, EntryError>,
  errorType: string | undefined
): Exit.Exit<unknown, unknown> => {
  if (errorType === undefined) return Exit.void
  return Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? exit : Exit.fail(errorType)
}

/**
 * Spans that say what kind of failure there was and nothing of what it says: a message may quote arguments, results, or what a
 * server wrote.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import type { EntryError } from "./SourceEntry.ts"

/**
 * The attribute `error.type` of an outcome: the kind of its failure, else `Interrupted` or `Defect`; none of a success.
 *
 * @category operations
 * @since 0.1.0
 */
export const errorTypeOf = <E>(exit: Exit.Exit<unknown, E>, kindOf: (error: E) => string): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return kindOf(failure.error)
  return Cause.hasInterrupts(exit.cause) ? "Interrupted" : "Defect"
}

/**
 * An outcome as a span may end with it: without the value, and of a failure only its `error.type`.
 *
 * @category operations
 * @since 0.1.0
 */
export const withoutContents = <E>(
  exit: Exit.Exit<unknown, E>,
  errorType: string | undefined
): Exit.Exit<unknown, unknown> => {
  if (errorType === undefined) return Exit.void
  return Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? exit : Exit.fail(errorType)
}

/**
 * Like `Effect.withSpan`, but of a failure the span gets only what `kindOf` says of it.
 *
 * @category operations
 * @since 0.1.0
 */
export const inSpan = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  name: string,
  options: Tracer.SpanOptions,
  kindOf: (error: E) => string
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.makeSpan(name, options),
    (span) =>
      Effect.onExit(Effect.withParentSpan(effect, span, options), (exit) =>
        Effect.map(Clock.currentTimeNanos, (now) => {
          const errorType = errorTypeOf(exit, kindOf)
          if (errorType !== undefined) span.attribute("error.type", errorType)
          span.end(now, withoutContents(exit, errorType))
        }))
  )

/**
 * {@link inSpan} for what an entry does on its way: of a failure the span gets the phase.
 *
 * @category operations
 * @since 0.1.0
 */
export const entrySpan = <A, R>(
  effect: Effect.Effect<A, EntryError, R>,
  name: string,
  attributes: Readonly<Record<string, string>>
): Effect.Effect<A, EntryError, R> => inSpan(effect, name, { attributes }, ({ phase }) => phase)

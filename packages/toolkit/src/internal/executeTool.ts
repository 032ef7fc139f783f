/** A call as a model sees it: whatever happens, there is an answer it can act on. */
import { ToolError, ToolResult } from "@effect-toolnexus/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/**
 * Folds every failure into a result. A defect is answered with fixed text, for its message may hold anything; its cause
 * is logged once under the id in that text. Interruption is the caller's and passes.
 */
export const executeTool = (
  call: Effect.Effect<ToolResult.ToolResult, ToolError.ToolError>,
  correlationId: () => string,
  maxOutput: number
): Effect.Effect<ToolResult.ToolResult> =>
  Effect.catchCause(call, (cause) => {
    if (Cause.hasInterrupts(cause)) return Effect.failCause(withoutFailures(cause))
    const failure = cause.reasons.find(Cause.isFailReason)
    if (failure === undefined) return reportDefect(cause, correlationId())
    return Effect.succeed(ToolResult.normalize(ToolError.toResult(failure.error), maxOutput))
  })

const withoutFailures = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((reason) => !Cause.isFailReason(reason)))

const reportDefect = (cause: Cause.Cause<unknown>, id: string) =>
  Effect.as(
    Effect.logError(`A tool failed unexpectedly (${id})`, cause),
    ToolResult.failure(`The tool failed unexpectedly (${id}).`, { metadata: { error: "Defect", id } })
  )

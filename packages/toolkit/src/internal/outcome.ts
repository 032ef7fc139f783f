/** How a call leaves the toolkit, whichever way it ended. */
import { Text, ToolError, ToolResult } from "@effect-toolnexus/core"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

export type Outcome = Exit.Exit<ToolResult.ToolResult, ToolError.ToolError>

/** What is the same for all calls, but for the end of the toolkit. */
export interface Leaving {
  readonly isClosed: () => boolean
  readonly maxOutput: number
}

/** Whoever waits for the call gets it in a callback: what is no result, and breaks whoever reads it, must not break that. */
export const leave = (exit: Outcome, toolName: string, { isClosed, maxOutput }: Leaving): Outcome =>
  Result.getOrElse(Result.try(() => normalize(settle(exit, toolName, isClosed()), maxOutput)), Exit.die)

export const unavailable = (toolName: string, reason: string) => new ToolError.ToolUnavailable({ toolName, reason })

/**
 * The caller is alive here; so an interruption was the toolkit's, or one that the tool brought upon itself. Beside another
 * reason it says nothing, and would be taken for the caller's own.
 */
const settle = (exit: Outcome, toolName: string, isClosed: boolean): Outcome => {
  if (Exit.isSuccess(exit) || !Cause.hasInterrupts(exit.cause)) return exit
  const others = exit.cause.reasons.filter((reason) => !Cause.isInterruptReason(reason))
  if (others.length > 0) return Exit.failCause(Cause.fromReasons(others))
  return Exit.fail(
    isClosed
      ? unavailable(toolName, "the toolkit was closed during the call")
      : new ToolError.ToolFailed({ toolName, message: "The tool interrupted itself before it had an answer" })
  )
}

/** The form in which results leave, those inside a failure too. */
const normalize = (exit: Outcome, maxOutput: number): Outcome =>
  Exit.isFailure(exit)
    ? Exit.mapError(exit, (error) => error._tag === "ToolFailed" ? normalizeFailure(error, maxOutput) : error)
    : Exit.succeed(ToolResult.normalize(exit.value, maxOutput))

const normalizeFailure = (error: ToolError.ToolFailed, maxOutput: number): ToolError.ToolFailed => {
  const message = Text.cut(error.message, maxOutput)
  const result = error.result === undefined ? undefined : ToolResult.normalize(error.result, maxOutput)
  if (message === error.message && result === error.result) return error
  return new ToolError.ToolFailed({ ...error, message, ...(result === undefined ? {} : { result }) })
}

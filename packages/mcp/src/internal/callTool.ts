/** One call of a server's tool: within its limits, with its progress, and its answer made a result or a typed error. */
import type { Handler } from "@effect-toolnexus/core/Tool"
import type { Progress, ToolCall } from "@effect-toolnexus/core/ToolCall"
import { type ToolError, ToolFailed, ToolTimeout, ToolUnavailable } from "@effect-toolnexus/core/ToolError"
import * as ToolResult from "@effect-toolnexus/core/ToolResult"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Limits } from "../McpConfig.ts"
import type { McpCallError } from "../McpError.ts"
import type { McpSession, RawCallResult } from "../McpSession.ts"
import { ProgressRelay, type Run } from "./progressRelay.ts"
import { toToolResult } from "./resultMapping.ts"

/** What a handler needs to know of its server. */
export interface Serving {
  readonly server: string
  readonly session: McpSession
  readonly limits: Limits
  readonly run: Run
}

/** The handler of the tool that its server calls `name`. */
export const callTool = ({ limits, run, server, session }: Serving, name: string): Handler => (args, call) =>
  Effect.contextWith((context: Context.Context<never>) => {
    const clock = Context.get(context, Clock.Clock)
    const relay = new ProgressRelay(run, context, call.progress)
    const started = clock.currentTimeMillisUnsafe()
    let heard = started
    const onProgress = (progress: Progress) => {
      heard = clock.currentTimeMillisUnsafe()
      relay.push(progress)
    }
    const answer = Effect.matchEffect(session.callTool(name, args, { onProgress }), {
      onFailure: (error) => Effect.fail(toToolError(error, call.toolName)),
      onSuccess: (raw) => Effect.andThen(relay.drained, finish(server, raw, call))
    })
    const limit = watch(clock, limits, started, () => heard, call.toolName)
    return Effect.raceFirst(Effect.onInterrupt(answer, () => relay.stop), limit)
  })

/** Fails when the server was silent for too long, or the call took too long in all. */
const watch = (
  clock: Clock.Clock,
  limits: Limits,
  started: number,
  heard: () => number,
  toolName: string
): Effect.Effect<never, ToolTimeout> =>
  Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    const silence = heard() + limits.call - now
    const rest = started + limits.total - now
    if (rest <= 0) return Effect.fail(new ToolTimeout({ toolName, limit: limits.total, phase: "total" }))
    if (silence <= 0) return Effect.fail(new ToolTimeout({ toolName, limit: limits.call, phase: "call" }))
    return Effect.andThen(
      clock.sleep(Duration.millis(Math.min(silence, rest))),
      watch(clock, limits, started, heard, toolName)
    )
  })

const finish = (
  server: string,
  raw: RawCallResult,
  call: ToolCall
): Effect.Effect<ToolResult.ToolResult, ToolError> => {
  const result = toToolResult(server, raw)
  if (!result.isError) return Effect.succeed(result)
  const failure = ToolResult.normalize(result)
  return Effect.fail(new ToolFailed({ toolName: call.toolName, message: failure.output, result: failure }))
}

const toToolError = (error: McpCallError, toolName: string): ToolError =>
  error._tag === "McpClosed"
    ? new ToolUnavailable({ toolName, reason: error.message })
    : new ToolFailed({ toolName, message: error.detail })

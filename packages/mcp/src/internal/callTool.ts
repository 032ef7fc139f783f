/** One call of a server's tool: within its limits, with its progress, and its answer made a result or a typed error. */
import type { JsonObject } from "@effect-toolnexus/core/Json"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { Handler } from "@effect-toolnexus/core/Tool"
import type { Progress, ToolCall } from "@effect-toolnexus/core/ToolCall"
import { type ToolError, ToolFailed, ToolTimeout, ToolUnavailable } from "@effect-toolnexus/core/ToolError"
import * as ToolResult from "@effect-toolnexus/core/ToolResult"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { EnabledServer, Limits } from "../McpConfig.ts"
import type { McpCallError } from "../McpError.ts"
import type { RawCallResult } from "../McpSession.ts"
import { LiveSession } from "./liveSession.ts"
import { ProgressRelay, type Run } from "./progressRelay.ts"
import { toToolResult } from "./resultMapping.ts"

/** What the handlers of a server's tools share, however often it is connected anew. */
export interface Serving {
  readonly server: EnabledServer
  readonly session: LiveSession
  /** Bounds the calls that run at once, where there is a bound. */
  readonly permits: Semaphore.Semaphore | undefined
  readonly run: Run
}

export const makeServing = (server: EnabledServer, run: Run): Serving => ({
  server,
  session: new LiveSession(),
  permits: server.maxConcurrent === undefined ? undefined : Semaphore.makeUnsafe(server.maxConcurrent),
  run
})

/**
 * The handler of the tool that its server calls `name`.
 *
 * It keeps the server's limits only. A caller's own, `ToolCall.timeout`, is the toolkit's to keep, around the handler.
 */
export const callTool = (serving: Serving, name: string): Handler => {
  const { permits, server } = serving
  const limits = limitsOf(server, name)
  return (args, call) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const clock = Context.get(context, Clock.Clock)
      const attempt = callNow({ serving, limits, name, context, started: clock.currentTimeMillisUnsafe() }, args, call)
      return permits === undefined ? attempt : inTurn(permits, attempt, clock, limits.total, call.toolName)
    })
}

/** A tool's own limit is for its silence, and its total is never below that. */
const limitsOf = ({ timeout, toolTimeouts }: EnabledServer, name: string): Limits => {
  const call = toolTimeouts.get(name)
  return call === undefined ? timeout : { ...timeout, call, total: Math.max(timeout.total, call) }
}

/** Waiting for a turn is no silence of the server's, but it is part of the whole. */
const inTurn = <A>(
  permits: Semaphore.Semaphore,
  attempt: Effect.Effect<A, ToolError>,
  clock: Clock.Clock,
  total: number,
  toolName: string
): Effect.Effect<A, ToolError> =>
  Effect.suspend(() => {
    let isWaiting = true
    const turn = Effect.suspend(() => {
      isWaiting = false
      return attempt
    })
    const limit = Effect.andThen(
      clock.sleep(Duration.millis(total)),
      // the attempt itself keeps the same limit, and knows when the answer is there
      Effect.suspend(() => isWaiting ? Effect.fail(totalTimeout(toolName, total)) : Effect.never)
    )
    return Effect.raceFirst(permits.withPermit(turn), limit)
  })

interface Attempt {
  readonly serving: Serving
  readonly limits: Limits
  /** Of the tool, as its server calls it. */
  readonly name: string
  readonly context: Context.Context<never>
  /** When the caller began to wait, in milliseconds. */
  readonly started: number
}

const callNow = (
  { context, limits, name, serving: { run, server, session }, started }: Attempt,
  args: JsonObject,
  call: ToolCall
): Effect.Effect<ToolResult.ToolResult, ToolError> =>
  Effect.suspend(() => {
    const clock = Context.get(context, Clock.Clock)
    const relay = new ProgressRelay(run, context, call.progress)
    let heard = clock.currentTimeMillisUnsafe()
    let isSent = false
    const onProgress = (progress: Progress) => {
      heard = clock.currentTimeMillisUnsafe()
      relay.push(progress)
    }
    const answer = Effect.flatMap(session.current, (live) => {
      // a connection that was repaired meanwhile is news as well
      heard = clock.currentTimeMillisUnsafe()
      isSent = true
      return live.callTool(name, args, { onProgress })
    })
    const limit = Effect.mapError(
      watch(clock, limits, started, () => heard, call.toolName),
      (timeout) => isSent ? timeout : unrepaired(server.name, session, timeout)
    )
    // the limits are the server's: once its answer is there, no listener's slowness throws it away
    return Effect.raceFirst(Effect.result(answer), limit).pipe(
      Effect.onError(() => relay.stop),
      Effect.tap(() => relay.drained),
      Effect.flatMap(Result.match({
        onFailure: (error) => Effect.fail(toToolError(error, call.toolName)),
        onSuccess: (raw) => finish(server.name, raw, call)
      }))
    )
  })

/** The server isn't slow, it isn't there. */
const unrepaired = (server: string, { problem }: LiveSession, { limit, toolName }: ToolTimeout) =>
  new ToolUnavailable({
    toolName,
    reason: `mcp server "${server}" was not connected again within ${limit} ms; ${problem?.message ?? "it was lost"}`
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
    if (rest <= 0) return Effect.fail(totalTimeout(toolName, limits.total))
    if (silence <= 0) return Effect.fail(new ToolTimeout({ toolName, limit: limits.call, phase: "call" }))
    return Effect.andThen(
      clock.sleep(Duration.millis(Math.min(silence, rest))),
      watch(clock, limits, started, heard, toolName)
    )
  })

const totalTimeout = (toolName: string, limit: number) => new ToolTimeout({ toolName, limit, phase: "total" })

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

const toToolError = (error: McpCallError | EntryError, toolName: string): ToolError =>
  error._tag === "McpRejected"
    ? new ToolFailed({ toolName, message: error.detail })
    : new ToolUnavailable({ toolName, reason: error.message })

/** One call of a server's tool: within its limits, with its progress, and its answer made a result or a typed error. */
import type { JsonObject } from "@effect-toolnexus/core/Json"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { Handler } from "@effect-toolnexus/core/Tool"
import type { Progress, ToolCall } from "@effect-toolnexus/core/ToolCall"
import { type ToolError, ToolFailed, ToolTimeout, ToolUnavailable } from "@effect-toolnexus/core/ToolError"
import * as ToolResult from "@effect-toolnexus/core/ToolResult"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { EnabledServer, Limits } from "../McpConfig.ts"
import type { McpCallError } from "../McpError.ts"
import type { McpSession, RawCallOptions, RawCallResult, RawTool } from "../McpSession.ts"
import { elapsedMillis } from "./liveClock.ts"
import { LiveSession } from "./liveSession.ts"
import { ProgressRelay } from "./progressRelay.ts"
import { toToolResult } from "./resultMapping.ts"
import type { Run } from "./run.ts"

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

/** How a session is asked for what a call answers. */
export type Ask = (
  session: McpSession,
  args: JsonObject,
  options: RawCallOptions
) => Effect.Effect<RawCallResult, McpCallError>

/**
 * The handler of a tool. `ask`: what a call of it is; default: `tools/call`.
 *
 * It keeps the server's limits only. A caller's own, `ToolCall.timeout`, is the toolkit's to keep, around the handler.
 */
export const callTool = (
  serving: Serving,
  { annotations, name }: RawTool,
  ask: Ask = (session, args, options) => session.callTool(name, args, options)
): Handler => {
  const { permits, server } = serving
  const limits = limitsOf(server, name)
  const isRepeatable = server.trusted && (annotations?.readOnlyHint === true || annotations?.idempotentHint === true)
  return (args, call) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const clock = Context.get(context, Clock.Clock)
      const started = elapsedMillis(clock)
      const attempt = () => callNow({ serving, limits, ask, isRepeatable, context, started }, args, call)
      return permits === undefined ? attempt() : inTurn(permits, attempt, clock, limits.total, call.toolName)
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
  attempt: () => Effect.Effect<A, ToolError>,
  clock: Clock.Clock,
  total: number,
  toolName: string
): Effect.Effect<A, ToolError> =>
  Effect.suspend(() => {
    let isWaiting = true
    const turn = Effect.suspend(() => {
      isWaiting = false
      return attempt()
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
  readonly ask: Ask
  /** Doing it twice is as good as doing it once, and whoever vouches for its server says so. */
  readonly isRepeatable: boolean
  readonly context: Context.Context<never>
  /** When the caller began to wait, as {@link elapsedMillis} counts. */
  readonly started: number
}

const callNow = (
  attempt: Attempt,
  args: JsonObject,
  call: ToolCall
): Effect.Effect<ToolResult.ToolResult, ToolError> => {
  const { context, serving: { run, server } } = attempt
  const relay = new ProgressRelay(run, context, call.progress)
  return Effect.matchCauseEffect(sendCall(attempt, args, call, (progress) => relay.push(progress)), {
    // the limits are the server's: once its answer is there, no listener's slowness throws it away
    onSuccess: (raw) => Effect.flatMapEager(relay.drained, () => finish(server.name, raw, call)),
    onFailure: (cause) =>
      Effect.flatMapEager(
        isOver(cause) ? relay.stop : relay.drained,
        () => Effect.failCause(Cause.map(cause, (error) => toToolError(error, attempt, call.toolName)))
      )
  })
}

type CallError = McpCallError | EntryError | ToolUnavailable

/** What is lost on the way is sent once more, where that can't do harm. */
const sendCall = (
  attempt: Attempt,
  args: JsonObject,
  call: ToolCall,
  onProgress: (progress: Progress) => void
): Effect.Effect<RawCallResult, CallError> => {
  const { ask, isRepeatable, limits, serving: { session } } = attempt
  const send = (live: McpSession) => {
    const { context, hold } = call
    return ask(live, args, {
      onProgress,
      limits: { call: limits.call, total: restOf(attempt) },
      context,
      hold
    })
  }
  const sendOnce = (): Effect.Effect<RawCallResult, CallError> => {
    const live = session.now
    return live === undefined ? Effect.flatMap(awaitSession(attempt, call.toolName), send) : send(live)
  }
  return Effect.catchIf(
    sendOnce(),
    (error) => error._tag === "McpLost" && (isRepeatable || !error.wasSent),
    sendOnce
  )
}

/** What is left of the total, in milliseconds. */
const restOf = ({ context, limits, started }: Attempt): number =>
  started + limits.total - elapsedMillis(Context.get(context, Clock.Clock))

/** A server that is being repaired isn't slow, it isn't there. */
const awaitSession = (attempt: Attempt, toolName: string): Effect.Effect<McpSession, EntryError | ToolUnavailable> => {
  const { context, limits, serving: { server, session } } = attempt
  const wait = Math.min(limits.call, restOf(attempt))
  const unrepaired = Effect.suspend(() => {
    const why = session.problem?.message ?? "it was lost"
    const reason = `mcp server "${server.name}" was not connected again within ${wait} ms; ${why}`
    return Effect.fail(new ToolUnavailable({ toolName, reason }))
  })
  const sleep = Context.get(context, Clock.Clock).sleep(Duration.millis(wait))
  return Effect.raceFirst(session.current, Effect.andThen(sleep, unrepaired))
}

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

/** Nobody waits any more. */
const isOver = (cause: Cause.Cause<CallError>): boolean =>
  Cause.hasInterrupts(cause) || cause.reasons.some((reason) => Cause.isFailReason(reason) && isTimeout(reason.error))

const isTimeout = ({ _tag }: CallError): boolean => _tag === "McpTimedOut" || _tag === "ToolUnavailable"

const toToolError = (error: CallError, { limits }: Attempt, toolName: string): ToolError => {
  switch (error._tag) {
    case "McpRejected":
      return new ToolFailed({ toolName, message: error.detail })
    case "McpTimedOut":
      // of the total a part was over before the server was asked
      return new ToolTimeout({ toolName, limit: limits[error.phase], phase: error.phase })
    case "ToolUnavailable":
      return error
    default:
      return new ToolUnavailable({ toolName, reason: error.message })
  }
}

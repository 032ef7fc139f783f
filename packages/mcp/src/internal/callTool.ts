/** One call of a server's tool: within its limits, with its progress, and its answer made a result or a typed error. */
import type { JsonObject } from "@effect-toolnexus/core/Json"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { Handler } from "@effect-toolnexus/core/Tool"
import type { ToolCall } from "@effect-toolnexus/core/ToolCall"
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
  const target: Target = {
    serving,
    limits: limitsOf(server, name),
    ask,
    isRepeatable: server.trusted && (annotations?.readOnlyHint === true || annotations?.idempotentHint === true)
  }
  return (args, call) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const attempt = new Attempt(target, args, call, context)
      return permits === undefined ? callNow(attempt) : inTurn(permits, attempt)
    })
}

/** A tool's own limit is for its silence, and its total is never below that. */
const limitsOf = ({ timeout, toolTimeouts }: EnabledServer, name: string): Limits => {
  const call = toolTimeouts.get(name)
  return call === undefined ? timeout : { ...timeout, call, total: Math.max(timeout.total, call) }
}

/** What all calls of a tool have in common. */
interface Target {
  readonly serving: Serving
  readonly limits: Limits
  readonly ask: Ask
  /** Doing it twice is as good as doing it once, and whoever vouches for its server says so. */
  readonly isRepeatable: boolean
}

/** A call on its way. */
class Attempt {
  readonly target: Target
  readonly args: JsonObject
  readonly call: ToolCall
  readonly clock: Clock.Clock
  readonly relay: ProgressRelay
  readonly #started: number

  constructor(target: Target, args: JsonObject, call: ToolCall, context: Context.Context<never>) {
    this.target = target
    this.args = args
    this.call = call
    this.clock = Context.get(context, Clock.Clock)
    this.relay = new ProgressRelay(target.serving.run, context, call.progress)
    this.#started = elapsedMillis(this.clock)
  }

  /** What is left of the total, in milliseconds, since the caller began to wait. */
  get rest(): number {
    return this.#started + this.target.limits.total - elapsedMillis(this.clock)
  }
}

/** Waiting for a turn is no silence of the server's, but it is part of the whole. */
const inTurn = (
  permits: Semaphore.Semaphore,
  attempt: Attempt
): Effect.Effect<ToolResult.ToolResult, ToolError> =>
  Effect.suspend(() => {
    const { call: { toolName }, clock, target: { limits: { total } } } = attempt
    let isWaiting = true
    const turn = Effect.suspend(() => {
      isWaiting = false
      return callNow(attempt)
    })
    const limit = Effect.andThen(
      clock.sleep(Duration.millis(total)),
      // the attempt itself keeps the same limit, and knows when the answer is there
      Effect.suspend(() => isWaiting ? Effect.fail(totalTimeout(toolName, total)) : Effect.never)
    )
    return Effect.raceFirst(permits.withPermit(turn), limit)
  })

/** What is lost on the way is sent once more, where that can't do harm. */
const callNow = (attempt: Attempt, isAgain = false): Effect.Effect<ToolResult.ToolResult, ToolError> => {
  const { relay } = attempt
  // of a call that its caller gives up nothing goes on
  return Effect.matchCauseEffect(Effect.onInterrupt(send(attempt), () => relay.stop), {
    // the limits are the server's: once its answer is there, no listener's slowness throws it away
    onSuccess: (raw) => Effect.flatMapEager(relay.drained, () => finish(attempt, raw)),
    onFailure: (cause) =>
      !isAgain && isLost(attempt, cause)
        ? callNow(attempt, true)
        : Effect.flatMapEager(
          isOver(cause) ? relay.stop : relay.drained,
          () => Effect.failCause(Cause.map(cause, (error) => toToolError(error, attempt)))
        )
  })
}

type CallError = McpCallError | EntryError | ToolUnavailable

const send = (attempt: Attempt): Effect.Effect<RawCallResult, CallError> => {
  const live = attempt.target.serving.session.now
  return live === undefined
    ? Effect.flatMap(awaitSession(attempt), (next) => sendTo(attempt, next))
    : sendTo(attempt, live)
}

const sendTo = (
  { args, call: { context, hold }, relay, rest, target: { ask, limits } }: Attempt,
  session: McpSession
) =>
  ask(session, args, {
    onProgress: (progress) => relay.push(progress),
    limits: { call: limits.call, total: rest },
    context,
    hold
  })

/** Whoever has given up wants no second time either. */
const isLost = ({ target: { isRepeatable } }: Attempt, cause: Cause.Cause<CallError>): boolean =>
  !Cause.hasInterrupts(cause) &&
  failsWith(cause, (error) => error._tag === "McpLost" && (isRepeatable || !error.wasSent))

/** Nobody waits any more. */
const isOver = (cause: Cause.Cause<CallError>): boolean =>
  Cause.hasInterrupts(cause) ||
  failsWith(cause, ({ _tag }) => _tag === "McpTimedOut" || _tag === "ToolUnavailable")

const failsWith = (cause: Cause.Cause<CallError>, isIt: (error: CallError) => boolean): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && isIt(reason.error))

/** A server that is being repaired isn't slow, it isn't there. */
const awaitSession = (
  { call: { toolName }, clock, rest, target: { limits, serving: { server, session } } }: Attempt
): Effect.Effect<McpSession, EntryError | ToolUnavailable> => {
  const wait = Math.min(limits.call, rest)
  const unrepaired = Effect.suspend(() => {
    const why = session.problem?.message ?? "it was lost"
    const reason = `mcp server "${server.name}" was not connected again within ${wait} ms; ${why}`
    return Effect.fail(new ToolUnavailable({ toolName, reason }))
  })
  return Effect.raceFirst(session.current, Effect.andThen(clock.sleep(Duration.millis(wait)), unrepaired))
}

const totalTimeout = (toolName: string, limit: number) => new ToolTimeout({ toolName, limit, phase: "total" })

const finish = (
  { call: { toolName }, target: { serving: { server } } }: Attempt,
  raw: RawCallResult
): Effect.Effect<ToolResult.ToolResult, ToolError> => {
  const result = toToolResult(server.name, raw)
  if (!result.isError) return Effect.succeed(result)
  const failure = ToolResult.normalize(result)
  return Effect.fail(new ToolFailed({ toolName, message: failure.output, result: failure }))
}

const toToolError = (error: CallError, { call: { toolName }, target: { limits } }: Attempt): ToolError => {
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

/** The one pipeline that every call of every tool goes through, and its form for models. */
import {
  type CallArguments,
  type Json,
  type Snapshot,
  Suggestion,
  type Tool,
  ToolCall,
  ToolError,
  ToolResult
} from "@effect-toolnexus/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { decodeArguments } from "./callArguments.ts"

/** What the pipeline needs of the toolkit it works for. */
export interface CallContext {
  readonly snapshot: () => Snapshot
  readonly isClosed: () => boolean
  /** Ids are unique in this process and cost no randomness per call. */
  readonly nextCallId: () => string
}

export const callTool = Effect.fnUntraced(
  function*(context: CallContext, name: string, args: CallArguments, options: ToolCall.CallOptions | undefined) {
    const tool = yield* findTool(context, name)
    const decoded = yield* decodeArguments(name, args)
    const call = ToolCall.make(name, options?.callId ?? context.nextCallId(), options)
    const result = yield* withTimeout(runHandler(tool, decoded, call), name, options?.timeout)
    return yield* settle(name, ToolResult.normalize(result))
  }
)

const findTool = (context: CallContext, toolName: string) => {
  if (context.isClosed()) {
    return Effect.fail(new ToolError.ToolUnavailable({ toolName, reason: "the toolkit is closed" }))
  }
  const { byName, toolNames } = context.snapshot()
  const tool = byName.get(toolName)
  return tool === undefined
    ? Effect.fail(new ToolError.ToolNotFound({ toolName, suggestions: Suggestion.closest(toolName, toolNames, 3) }))
    : Effect.succeed(tool)
}

/** A suspension leaves with the call that is suspended, and with an id that no other process makes up again. */
const runHandler = (tool: Tool.Tool, args: Json.JsonObject, call: ToolCall.ToolCall) =>
  Effect.catchTag(
    tool.handler(args, call),
    "ToolSuspended",
    Effect.fnUntraced(function*({ request, toolName }) {
      const id = yield* requestId
      const suspended = { id: call.id, name: call.toolName, arguments: args }
      return yield* new ToolError.ToolSuspended({ toolName, request: { ...request, id, call: suspended } })
    })
  )

const requestId = Effect.map(
  Effect.replicateEffect(Random.nextIntBetween(0, 0x1_0000_0000), 4),
  (words) => `request-${words.map((word) => word.toString(16).padStart(8, "0")).join("")}`
)

const withTimeout = <A, E>(effect: Effect.Effect<A, E>, toolName: string, limit: number | undefined) =>
  limit === undefined ? effect : Effect.timeoutOrElse(effect, {
    duration: limit,
    orElse: () => Effect.fail(new ToolError.ToolTimeout({ toolName, limit, phase: "total" }))
  })

/** A success of a call is never an error result. */
const settle = (toolName: string, result: ToolResult.ToolResult) =>
  result.isError
    ? Effect.fail(new ToolError.ToolFailed({ toolName, message: result.output, result }))
    : Effect.succeed(result)

/**
 * Folds every failure into a result that a model can act on. A defect is answered with fixed text, for its message may
 * hold anything; its cause is logged once under the id in that text. Interruption is the caller's and passes.
 */
export const executeTool = (
  call: Effect.Effect<ToolResult.ToolResult, ToolError.ToolError>,
  correlationId: () => string
): Effect.Effect<ToolResult.ToolResult> =>
  Effect.catchCause(call, (cause) => {
    if (Cause.hasInterrupts(cause)) return Effect.failCause(withoutFailures(cause))
    const failure = cause.reasons.find(Cause.isFailReason)
    return failure === undefined
      ? reportDefect(cause, correlationId())
      : Effect.succeed(ToolResult.normalize(foldError(failure.error)))
  })

const withoutFailures = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((reason) => !Cause.isFailReason(reason)))

const reportDefect = (cause: Cause.Cause<unknown>, id: string) =>
  Effect.as(
    Effect.logError(`A tool failed unexpectedly (${id})`, cause),
    ToolResult.failure(`The tool failed unexpectedly (${id}).`, { metadata: { error: "Defect", id } })
  )

const foldError = (error: ToolError.ToolError): ToolResult.ToolResult => {
  const metadata = { error: error._tag }
  switch (error._tag) {
    case "ToolFailed":
      return error.result === undefined
        ? ToolResult.failure(error.message, { metadata })
        : { ...error.result, isError: true, metadata: { ...error.result.metadata, ...metadata } }
    case "ToolNotFound":
      return ToolResult.failure(error.message, { metadata: { ...metadata, suggestions: error.suggestions } })
    case "ToolSuspended":
      return ToolResult.failure(error.message, { metadata: { ...metadata, pending: toJson(error.request) } })
    default:
      return ToolResult.failure(error.message, { metadata })
  }
}

/** A request is JSON by its schema; as an interface it has no index signature. */
const toJson = (request: ToolError.ToolSuspended["request"]): Json.JsonObject => ({ ...request })

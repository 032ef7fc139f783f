/** Goes on with a suspended call, whose request may come from another process. */
import { Answer, Request, type Snapshot, Suggestion, type Tool, ToolCall, ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { millisLeft } from "./askResolver.ts"
import { checkAnswer } from "./checkedAnswer.ts"
import type { Validation } from "./validation.ts"

export interface ResumingCore {
  readonly isClosed: () => boolean
  readonly check: Validation["check"]
  readonly answered: AnsweredRequests
}

/** The requests that were answered on this toolkit: each is taken once, also when two take it at once. */
export interface AnsweredRequests {
  readonly has: (id: string) => boolean
  readonly add: (id: string) => void
}

/** A host's store is what takes each out once (docs/suspension.md); this is for races in one process. */
const MAX_ANSWERED = 100_000

export const makeAnsweredRequests = (): AnsweredRequests => {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.add(id)
      if (ids.size > MAX_ANSWERED) ids.delete(ids.values().next().value ?? id)
    }
  }
}

const isRequest = Schema.is(Request.Request)
const isAnswer = Schema.is(Answer.Answer)

export const resumeTool = Effect.fnUntraced(function*(
  snapshot: Snapshot,
  core: ResumingCore,
  request: Request.Request,
  answer: Answer.Answer,
  options: ToolCall.CallOptions | undefined
) {
  const call = yield* readCall(request, answer)
  const toolName = call.name
  if (core.isClosed()) return yield* new ToolError.ToolUnavailable({ toolName, reason: "the toolkit is closed" })
  if (core.answered.has(request.id)) return yield* answeredBefore(toolName, request)
  const tool = yield* findTool(snapshot, toolName)
  const left = yield* millisLeft(request)
  const expired: Answer.Answer = { id: request.id, ok: false, reason: "expired" }
  const isExpired = left !== undefined && left <= 0
  const checked = isExpired ? expired : yield* checkAnswer(core.check, toolName, request, answer)
  // between this look and the mark nothing else runs
  if (core.answered.has(request.id)) return yield* answeredBefore(toolName, request)
  core.answered.add(request.id)
  const resumed: ToolCall.Resumed = { answer: checked, state: request.state, request }
  return yield* tool.handler(call.arguments, ToolCall.make(toolName, options?.callId ?? call.id, options, resumed))
})

/** The request comes from a file, and the answer from a form. */
const readCall = (
  request: Request.Request,
  answer: Answer.Answer
): Effect.Effect<typeof Request.SuspendedCall.Type, ToolError.InvalidArguments> => {
  if (!isRequest(request)) return invalid("", "request", "is no request")
  const { call } = request
  if (call === undefined) return invalid("", "request.call", "is missing: it says which call to go on with")
  if (!isAnswer(answer)) return invalid(call.name, "answer", "is no answer")
  if (answer.id !== request.id) return invalid(call.name, "answer.id", `must be "${request.id}", the id of the request`)
  return Effect.succeed(call)
}

const invalid = (toolName: string, path: string, message: string) =>
  Effect.fail(new ToolError.InvalidArguments({ toolName, issues: [{ path, message }] }))

const answeredBefore = (toolName: string, { prompt }: Request.Request) =>
  Effect.fail(new ToolError.ToolDenied({ toolName, rule: `already answered: ${prompt}` }))

const findTool = (
  { byName, toolNames }: Snapshot,
  toolName: string
): Effect.Effect<Tool.Tool, ToolError.ToolNotFound> => {
  const tool = byName.get(toolName)
  return tool === undefined
    ? Effect.fail(new ToolError.ToolNotFound({ toolName, suggestions: Suggestion.closest(toolName, toolNames, 3) }))
    : Effect.succeed(tool)
}

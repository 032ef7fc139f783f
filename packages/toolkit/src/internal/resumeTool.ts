/** Goes on with a suspended call, whose request may come from another process. */
import { type Answer, Request, type Snapshot, Suggestion, type Tool, ToolCall, ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { answeredBefore, type AnsweredRequests } from "./answeredRequests.ts"
import { answerIssues, checkAnswer, isReadable, isYes } from "./checkedAnswer.ts"
import { millisLeft, readTime } from "./expiry.ts"
import { isLimit, noLimit } from "./pipeline.ts"
import type { Validation } from "./validation.ts"

export interface ResumingCore {
  readonly isClosed: () => boolean
  readonly check: Validation["check"]
  readonly answered: AnsweredRequests
}

const isRequest = Schema.is(Request.Request)

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
  // a slip of the host's, which must not use the request up
  if (options?.timeout !== undefined && !isLimit(options.timeout)) {
    return yield* invalid(toolName, "timeout", noLimit(options.timeout))
  }
  const left = yield* millisLeft(request)
  const expired: Answer.Answer = { id: request.id, ok: false, reason: "expired" }
  const isExpired = left !== undefined && left <= 0
  const no: Answer.Answer = { ...answer, ok: false }
  const checked = isExpired ? expired : !isYes(answer) ? no : yield* checkAnswer(core.check, toolName, request, answer)
  if (!core.answered.take(request.id)) return yield* answeredBefore(toolName, request)
  const resumed: ToolCall.Resumed = { answer: checked, state: request.state, request }
  return yield* tool.handler(call.arguments, ToolCall.make(toolName, options?.callId ?? call.id, options, resumed))
})

/** The request comes from a file, and the answer from a form. */
const readCall = (
  request: Request.Request,
  answer: Answer.Answer
): Effect.Effect<typeof Request.SuspendedCall.Type, ToolError.InvalidArguments> => {
  if (!isReadableRequest(request)) return invalid("", "request", "is no request")
  const { call, expiresAt } = request
  if (call === undefined) return invalid("", "request.call", "is missing: it says which call to go on with")
  if (expiresAt !== undefined && readTime(expiresAt) === undefined) {
    return invalid(call.name, "request.expiresAt", "must be a time as RFC 3339 writes it")
  }
  const issues = answerIssues(answer)
  if (issues.length > 0) return Effect.fail(new ToolError.InvalidArguments({ toolName: call.name, issues }))
  if (answer.id !== request.id) return invalid(call.name, "answer.id", `must be "${request.id}", the id of the request`)
  return Effect.succeed(call)
}

/** What is read may throw, and what is deep ends whoever looks at it. */
const isReadableRequest = (value: unknown): boolean =>
  Result.getOrElse(Result.try(() => isReadable(value) && isRequest(value)), () => false)

const invalid = (toolName: string, path: string, message: string) =>
  Effect.fail(new ToolError.InvalidArguments({ toolName, issues: [{ path, message }] }))

const findTool = (
  { byName, toolNames }: Snapshot,
  toolName: string
): Effect.Effect<Tool.Tool, ToolError.ToolNotFound> => {
  const tool = byName.get(toolName)
  return tool === undefined
    ? Effect.fail(new ToolError.ToolNotFound({ toolName, suggestions: Suggestion.closest(toolName, toolNames, 3) }))
    : Effect.succeed(tool)
}

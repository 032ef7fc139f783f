/** What a conversation says about its tool calls: which are open, and what was answered to them. */
import { Request } from "@effect-toolnexus/core"
import * as Prompt from "effect/ai/Prompt"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A call without a result. */
export interface OpenCall {
  readonly id: string
  readonly name: string
  readonly params: unknown
  /** The id of the approval that was asked for; absent: nothing was. */
  readonly approvalId?: string
  /** What was asked, where a loop has asked it. */
  readonly request?: Request.Request
  /** What was answered to that; absent: nothing yet. */
  readonly response?: { readonly approved: boolean; readonly reason?: string | undefined }
}

/** In the order of the conversation, since some providers use an id for one call after the other. */
export const openCalls = (conversation: Prompt.Prompt): ReadonlyArray<OpenCall> => {
  const calls = new Map<string, OpenCall>()
  for (const message of conversation.content) {
    if (message.role === "assistant") { for (const part of message.content) ask(calls, part) }
    if (message.role === "tool") { for (const part of message.content) answer(calls, part) }
  }
  return [...calls.values()]
}

const ask = (calls: Map<string, OpenCall>, part: Prompt.AssistantMessagePart): void => {
  if (part.type === "tool-call" && !part.providerExecuted) {
    calls.set(part.id, { id: part.id, name: part.name, params: part.params })
  } else if (part.type === "tool-approval-request") {
    const call = calls.get(part.toolCallId)
    if (call === undefined) return
    const { id, name, params } = call
    const request = requestOf(part)
    // a call that was asked for again waits for the later answer
    calls.set(id, { id, name, params, approvalId: part.approvalId, ...(request === undefined ? {} : { request }) })
  }
}

/** Whose options of a part they are: providers look only at their own. */
const OPTIONS = "toolnexus"

/** That a call waits for a person, with all that is to be known to answer it from the conversation alone. */
export const asking = (toolCallId: string, request: Request.Request): Prompt.ToolApprovalRequestPart =>
  Prompt.toolApprovalRequestPart({
    approvalId: request.id,
    toolCallId,
    options: { [OPTIONS]: { request: encodeRequest(request) } }
  })

const encodeRequest = Schema.encodeSync(Schema.toCodecJson(Request.Request))

const decodeOptions = Schema.decodeUnknownOption(Schema.Struct({ request: Request.Request }))

const requestOf = ({ approvalId, options }: Prompt.ToolApprovalRequestPart): Request.Request | undefined => {
  const request = Option.getOrUndefined(decodeOptions(options[OPTIONS]))?.request
  return request?.id === approvalId ? request : undefined
}

const answer = (calls: Map<string, OpenCall>, part: Prompt.ToolMessagePart): void => {
  if (part.type === "tool-result") calls.delete(part.id)
  if (part.type !== "tool-approval-response") return
  for (const call of calls.values()) {
    if (call.approvalId === part.approvalId) calls.set(call.id, { ...call, response: part })
  }
}

/** What was asked and answered about calls that are done: providers refuse what they didn't ask for themselves. */
export const withoutApprovals = (conversation: Prompt.Prompt): Prompt.Prompt =>
  conversation.content.some(hasApprovals)
    ? Prompt.fromMessages(conversation.content.flatMap((message): ReadonlyArray<Prompt.Message> => {
      if (message.role === "assistant") {
        const content = message.content.filter(({ type }) => type !== "tool-approval-request")
        return content.length === 0 ? [] : [Prompt.makeMessage("assistant", { content, options: message.options })]
      }
      if (message.role === "tool") {
        const content = message.content.filter(({ type }) => type !== "tool-approval-response")
        return content.length === 0 ? [] : [Prompt.makeMessage("tool", { content, options: message.options })]
      }
      return [message]
    }))
    : conversation

const hasApprovals = ({ content, role }: Prompt.Message): boolean =>
  (role === "assistant" || role === "tool") &&
  content.some(({ type }) => type === "tool-approval-request" || type === "tool-approval-response")

/** Open calls that somebody has approved. */
export const approvedCalls = (conversation: Prompt.RawInput): ReadonlyArray<OpenCall> =>
  openCalls(Prompt.make(conversation)).filter(({ response }) => response?.approved === true)

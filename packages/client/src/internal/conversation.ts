/** What a conversation says about its tool calls: which are open, and what was answered to them. */
import * as Prompt from "effect/ai/Prompt"

/** A call without a result. */
export interface OpenCall {
  readonly id: string
  readonly name: string
  readonly params: unknown
  /** The id of the approval that was asked for; absent: nothing was. */
  readonly approvalId?: string
  /** What was answered to that; absent: nothing yet. */
  readonly response?: { readonly approved: boolean; readonly reason?: string | undefined }
}

export const openCalls = (conversation: Prompt.Prompt): ReadonlyArray<OpenCall> => {
  const calls = new Map<string, OpenCall>()
  const requested = new Map<string, string>()
  for (const message of conversation.content) {
    if (message.role === "assistant") {
      for (const part of message.content) {
        if (part.type === "tool-call" && !part.providerExecuted) {
          calls.set(part.id, { id: part.id, name: part.name, params: part.params })
        } else if (part.type === "tool-approval-request") requested.set(part.approvalId, part.toolCallId)
      }
    } else if (message.role === "tool") {
      for (const part of message.content) if (part.type === "tool-result") calls.delete(part.id)
    }
  }
  const given = responses(conversation)
  for (const [approvalId, toolCallId] of requested) {
    const call = calls.get(toolCallId)
    if (call === undefined) continue
    const { id, name, params } = call
    const response = given.get(approvalId)
    // a call that was asked for again waits for the later answer
    calls.set(id, { id, name, params, approvalId, ...(response === undefined ? {} : { response }) })
  }
  return [...calls.values()]
}

const responses = (conversation: Prompt.Prompt) =>
  new Map(
    conversation.content.flatMap((message) =>
      message.role === "tool"
        ? message.content.flatMap((part) =>
          part.type === "tool-approval-response" ? [[part.approvalId, part] as const] : []
        )
        : []
    )
  )

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

/** Open calls that somebody has approved, by id, and the name each was made by. */
export const approvedCalls = (conversation: Prompt.RawInput): ReadonlyMap<string, string> =>
  new Map(
    openCalls(Prompt.make(conversation)).flatMap(({ id, name, response }) =>
      response?.approved === true ? [[id, name] as const] : []
    )
  )

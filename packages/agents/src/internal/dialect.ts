/** What goes out in each of the two dialects: method names, shapes, and the version header. */
import type * as Json from "@effect-toolnexus/core/Json"
import type { Part } from "../A2aTask.ts"
import type { AgentInterface, Dialect } from "../AgentCard.ts"

export interface OutgoingMessage {
  readonly parts: ReadonlyArray<Part>
  /** Only to go on with a task that waits for input; a finished task's id is never used again. */
  readonly taskId?: string
  readonly contextId?: string
  readonly metadata?: Json.JsonObject
  /** Media types the answer may have: those that the card names. */
  readonly outputModes?: ReadonlyArray<string>
}

export type Operation =
  | { readonly _tag: "Send" | "Stream"; readonly messageId: string; readonly message: OutgoingMessage }
  | { readonly _tag: "GetTask" | "CancelTask" | "Resubscribe"; readonly id: string }
  | { readonly _tag: "ExtendedCard" }

const METHODS: Readonly<Record<Dialect, Readonly<Record<Operation["_tag"], string>>>> = {
  "0.3": {
    Send: "message/send",
    Stream: "message/stream",
    GetTask: "tasks/get",
    CancelTask: "tasks/cancel",
    Resubscribe: "tasks/resubscribe",
    ExtendedCard: "agent/getAuthenticatedExtendedCard"
  },
  "1.0": {
    Send: "SendMessage",
    Stream: "SendStreamingMessage",
    GetTask: "GetTask",
    CancelTask: "CancelTask",
    Resubscribe: "SubscribeToTask",
    ExtendedCard: "GetExtendedAgentCard"
  }
}

/** An absent header means 0.3 (A2A 1.0, 3.6.2). */
export const headersOf = (dialect: Dialect): Readonly<Record<string, string>> =>
  dialect === "1.0" ? { "a2a-version": "1.0" } : {}

export const toRpc = (operation: Operation, target: AgentInterface, id: string): Json.JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: METHODS[target.dialect][operation._tag],
  params: {
    ...paramsOf(operation, target.dialect),
    ...(target.dialect === "1.0" && target.tenant !== undefined ? { tenant: target.tenant } : {})
  }
})

/** The last message of the agent is wanted, not the whole conversation with each poll. */
const HISTORY_LENGTH = 10

const paramsOf = (operation: Operation, dialect: Dialect): Json.JsonObject => {
  switch (operation._tag) {
    case "ExtendedCard":
      return {}
    case "GetTask":
      return { id: operation.id, historyLength: HISTORY_LENGTH }
    case "CancelTask":
    case "Resubscribe":
      return { id: operation.id }
    default:
      return {
        message: toMessage(operation.messageId, operation.message, dialect),
        configuration: configurationOf(operation, dialect)
      }
  }
}

/** Never blocking: a task whose id isn't known yet can't be canceled. Early servers of 0.2 insist on the output modes. */
const configurationOf = (
  { _tag, message: { outputModes = [] } }: Extract<Operation, { readonly message: OutgoingMessage }>,
  dialect: Dialect
): Json.JsonObject => ({
  ...(outputModes.length === 0 ? {} : { acceptedOutputModes: outputModes }),
  ...(_tag === "Stream" ? {} : dialect === "1.0" ? { returnImmediately: true } : { blocking: false })
})

const toMessage = (
  messageId: string,
  { contextId, metadata, parts, taskId }: OutgoingMessage,
  dialect: Dialect
): Json.JsonObject => {
  return {
    ...(dialect === "1.0" ? { role: "ROLE_USER" } : { kind: "message", role: "user" }),
    messageId,
    parts: parts.map((part) => toPart(part, dialect)),
    ...(taskId === undefined ? {} : { taskId }),
    ...(contextId === undefined ? {} : { contextId }),
    ...(metadata === undefined ? {} : { metadata })
  }
}

const toPart = (part: Part, dialect: Dialect): Json.JsonObject => {
  if (part.kind === "text") return dialect === "1.0" ? { text: part.text } : { kind: "text", text: part.text }
  if (part.kind === "data") return dialect === "1.0" ? { data: part.data } : { kind: "data", data: part.data }
  return dialect === "1.0" ? toFile(part, "raw", "url", "mediaType", "filename") : {
    kind: "file",
    file: toFile(part, "bytes", "uri", "mimeType", "name")
  }
}

const toFile = (
  { bytes, mimeType, name, uri }: Part & { readonly kind: "file" },
  bytesKey: string,
  uriKey: string,
  typeKey: string,
  nameKey: string
): Json.JsonObject => ({
  ...(bytes === undefined ? {} : { [bytesKey]: bytes }),
  ...(uri === undefined ? {} : { [uriKey]: uri }),
  ...(mimeType === undefined ? {} : { [typeKey]: mimeType }),
  ...(name === undefined ? {} : { [nameKey]: name })
})

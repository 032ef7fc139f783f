/** What a settled task or a plain message means to the caller: a result, a typed failure, or a question. */
import type * as Json from "@effect-toolnexus/core/Json"
import type * as Redaction from "@effect-toolnexus/core/Redaction"
import * as Text from "@effect-toolnexus/core/Text"
import type * as ToolCall from "@effect-toolnexus/core/ToolCall"
import * as ToolError from "@effect-toolnexus/core/ToolError"
import * as ToolResult from "@effect-toolnexus/core/ToolResult"
import * as Effect from "effect/Effect"
import { type FilePart, lastMessage, type Message, type Part, type Reply, type Task, textOf } from "../A2aTask.ts"
import { suspend } from "./suspendedTask.ts"

export interface Settling {
  readonly entry: string
  readonly agentName: string
  /** For what an agent says of a failure or asks a person; its results are data, and stay as they are. */
  readonly redact: Redaction.Redaction
  /** From the first message to the end, without the time that people took, in milliseconds. */
  readonly ms: number
}

type Outcome = Effect.Effect<ToolResult.ToolResult, ToolError.ToolError>

export const settle = (reply: Reply, call: ToolCall.ToolCall, settling: Settling): Outcome =>
  reply._tag === "Message" ? fromMessage(reply.message, settling) : fromTask(reply.task, call, settling)

const fromMessage = (message: Message, settling: Settling): Outcome =>
  Effect.succeed(toResult(message.parts, "", metadataOf({ ...message, state: "completed" }, settling)))

const fromTask = (task: Task, call: ToolCall.ToolCall, settling: Settling): Outcome => {
  switch (task.state) {
    case "input-required":
    case "auth-required":
      return suspend(task, call, { ...settling, spent: settling.ms })
    case "failed":
    case "rejected":
    case "canceled":
      return Effect.fail(toFailure(task, call, settling))
    default:
      return Effect.succeed(completed(task, settling))
  }
}

const partsOf = ({ artifacts }: Task): ReadonlyArray<Part> => artifacts.flatMap(({ parts }) => parts)

const completed = (task: Task, settling: Settling): ToolResult.ToolResult => {
  const parts = partsOf(task)
  const metadata = metadataOf({ ...task, taskId: task.id }, settling)
  const last = lastMessage(task)
  return parts.length === 0 && last !== undefined
    ? toResult(last.parts, "", metadata)
    : toResult(parts, textOf(last?.parts ?? []), metadata)
}

/** As much as a person or a model reads of why it failed. */
const MAX_REASON = 10_000

const toFailure = (task: Task, call: ToolCall.ToolCall, settling: Settling): ToolError.ToolFailed => {
  const reason = textOf(lastMessage(task)?.parts ?? []).trim()
  const said = settling.redact(`A2A task ${task.id} ${task.state}: ${reason === "" ? "no reason given" : reason}`)
  const message = Text.cut(said, MAX_REASON, "...")
  const metadata = metadataOf({ ...task, taskId: task.id }, settling)
  const { content, structured } = toResult(partsOf(task), "", metadata)
  const extras = { metadata, ...(content && { content }), ...(structured !== undefined && { structured }) }
  return new ToolError.ToolFailed({ toolName: call.toolName, message, result: ToolResult.failure(message, extras) })
}

interface Identified {
  readonly taskId?: string
  readonly contextId?: string
  readonly state: string
}

const metadataOf = ({ contextId, state, taskId }: Identified, { entry, ms }: Settling): Json.JsonObject => ({
  agent: entry,
  ...(taskId === undefined ? {} : { taskId }),
  ...(contextId === undefined ? {} : { contextId }),
  state,
  ms
})

/** The text is the output; files are rich content beside it, data is structured. Data alone is also the output. */
const toResult = (
  parts: ReadonlyArray<Part>,
  otherwise: string,
  metadata: Json.JsonObject
): ToolResult.ToolResult => {
  const data = parts.flatMap((part) => part.kind === "data" ? [part.data] : [])
  const structured = data.length > 1 ? data : data[0]
  const outputs = [textOf(parts), otherwise, structured === undefined ? "" : JSON.stringify(structured)]
  const isRich = parts.some(({ kind }) => kind === "file")
  return ToolResult.success(outputs.find((text) => text.trim() !== "") ?? "", {
    metadata,
    ...(isRich ? { content: parts.flatMap(toContent) } : {}),
    ...(structured === undefined ? {} : { structured })
  })
}

const toContent = (part: Part): ReadonlyArray<ToolResult.ContentPart> => {
  if (part.kind === "text") return [{ type: "text", text: part.text }]
  return part.kind === "file" ? [toFile(part)] : []
}

const toFile = ({ bytes, mimeType, name, uri }: FilePart): ToolResult.ContentPart => {
  const type = mimeType === undefined ? {} : { mimeType }
  if (bytes === undefined) return { type: "resource_link", uri: uri ?? "", name: name ?? uri ?? "file", ...type }
  if (mimeType?.startsWith("image/") === true) return { type: "image", data: bytes, mimeType }
  if (mimeType?.startsWith("audio/") === true) return { type: "audio", data: bytes, mimeType }
  return { type: "resource", uri: uri ?? `a2a:${encodeURIComponent(name ?? "file")}`, blob: bytes, ...type }
}

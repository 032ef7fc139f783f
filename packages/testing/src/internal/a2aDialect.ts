/** The two dialects of A2A on the wire: methods, shapes of parts, messages and tasks, the agent card. */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Part, TaskState } from "../A2aReply.ts"

export type Dialect = "0.3" | "1.0"

/** A task of the fake agent as it is shown now. */
export interface TaskView {
  readonly id: string
  readonly contextId: string
  readonly state: TaskState
  readonly message: string | undefined
  readonly artifacts: ReadonlyArray<ReadonlyArray<Part>>
}

export type Operation = "send" | "stream" | "resubscribe" | "get" | "cancel"

const methods: Readonly<Record<Dialect, ReadonlyMap<string, Operation>>> = {
  "0.3": new Map([
    ["message/send", "send"],
    ["message/stream", "stream"],
    ["tasks/resubscribe", "resubscribe"],
    ["tasks/get", "get"],
    ["tasks/cancel", "cancel"]
  ]),
  "1.0": new Map([
    ["SendMessage", "send"],
    ["SendStreamingMessage", "stream"],
    ["SubscribeToTask", "resubscribe"],
    ["GetTask", "get"],
    ["CancelTask", "cancel"]
  ])
}

/** The operation that a method name stands for in one of the dialects spoken. */
export const operationOf = (
  method: string,
  dialects: ReadonlyArray<Dialect>
): readonly [Dialect, Operation] | undefined => {
  for (const dialect of dialects) {
    const operation = methods[dialect].get(method)
    if (operation !== undefined) return [dialect, operation]
  }
  return undefined
}

/** Common to both dialects. */
const fields = {
  messageId: Schema.String,
  taskId: Schema.optionalKey(Schema.String),
  contextId: Schema.optionalKey(Schema.String)
}

const SentMessage = Schema.Struct(fields)

/** What the agent needs of a message. */
export interface SentMessage extends Schema.Schema.Type<typeof SentMessage> {}

const TextPart = Schema.Struct({ text: Schema.String })

/** What a client must send. A fake that took anything would let a client pass that no real agent understands. */
const SendParams = {
  "0.3": Schema.Struct({
    message: Schema.Struct({
      ...fields,
      kind: Schema.Literal("message"),
      role: Schema.Literal("user"),
      parts: Schema.Array(Schema.Struct({ kind: Schema.Literals(["text", "file", "data"]) }))
    })
  }),
  "1.0": Schema.Struct({
    message: Schema.Struct({
      ...fields,
      role: Schema.Literal("ROLE_USER"),
      // in 1.0 the field that is there says what a part is
      parts: Schema.Array(Schema.Struct({ kind: Schema.optionalKey(Schema.Never) }))
    })
  })
}

const decodeSend = {
  "0.3": Schema.decodeUnknownEffect(SendParams["0.3"]),
  "1.0": Schema.decodeUnknownEffect(SendParams["1.0"])
}

/** Checks the shape of a message and gives what the agent needs of it. */
export const readSend = (
  dialect: Dialect,
  params: unknown
): Effect.Effect<{ readonly message: SentMessage }, Schema.SchemaError> => decodeSend[dialect](params)

const isWithParts = Schema.is(Schema.Struct({ message: Schema.Struct({ parts: Schema.Array(Schema.Unknown) }) }))

/** The text of a message, parts joined by line breaks. */
export const textOf = (params: unknown): string =>
  isWithParts(params) ? params.message.parts.filter(Schema.is(TextPart)).map(({ text }) => text).join("\n") : ""

/** The id of the task asked for or cancelled; the same in both dialects. */
export const readTaskId = Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.String }))

export const part = (dialect: Dialect, value: Part) => {
  if ("text" in value) return dialect === "0.3" ? { kind: "text", text: value.text } : { text: value.text }
  if ("data" in value) return dialect === "0.3" ? { kind: "data", data: value.data } : { data: value.data }
  if (dialect === "0.3") return { kind: "file", file: value.file }
  const { mimeType, name } = value.file
  return {
    ...("bytes" in value.file ? { raw: value.file.bytes } : { url: value.file.uri }),
    ...(mimeType === undefined ? {} : { mediaType: mimeType }),
    ...(name === undefined ? {} : { filename: name })
  }
}

export const message = (dialect: Dialect, messageId: string, contextId: string, parts: ReadonlyArray<Part>) => ({
  ...(dialect === "0.3" ? { kind: "message" } : {}),
  role: dialect === "0.3" ? "agent" : "ROLE_AGENT",
  messageId,
  contextId,
  parts: parts.map((value) => part(dialect, value))
})

const stateName = (dialect: Dialect, state: TaskState): string =>
  dialect === "0.3" ? state : `TASK_STATE_${state.toUpperCase().replaceAll("-", "_")}`

export const task = (dialect: Dialect, view: TaskView) => ({
  ...(dialect === "0.3" ? { kind: "task" } : {}),
  id: view.id,
  contextId: view.contextId,
  status: status(dialect, view),
  artifacts: artifacts(dialect, view)
})

const status = (dialect: Dialect, view: TaskView) => ({
  state: stateName(dialect, view.state),
  ...(view.message === undefined
    ? {}
    : { message: message(dialect, `${view.id}-status`, view.contextId, [{ text: view.message }]) })
})

const artifacts = (dialect: Dialect, view: TaskView) =>
  view.artifacts.map((parts, index) => ({
    artifactId: `${view.id}-artifact-${index + 1}`,
    parts: parts.map((value) => part(dialect, value))
  }))

/** What has become of a task, as events of a stream: its artifacts, and then its state, which ends it where it is an end. */
export const updates = (dialect: Dialect, view: TaskView): ReadonlyArray<object> => {
  const ids = { taskId: view.id, contextId: view.contextId }
  const isLast = view.state !== "submitted" && view.state !== "working"
  const named = (kind: "artifact-update" | "status-update", event: object) =>
    dialect === "0.3" ? { kind, ...ids, ...event } : {
      [kind === "artifact-update" ? "artifactUpdate" : "statusUpdate"]: { ...ids, ...event }
    }
  return [
    ...artifacts(dialect, view).map((artifact) => named("artifact-update", { artifact })),
    named("status-update", { status: status(dialect, view), ...(dialect === "0.3" ? { final: isLast } : {}) })
  ]
}

/** An answer to `send`: 1.0 says by a wrapper what 0.3 says by `kind`. */
export const sent = (dialect: Dialect, kind: "task" | "message", value: object) =>
  dialect === "0.3" ? value : { [kind]: value }

const isTask = Schema.is(Schema.Struct({ id: Schema.String }))
const isWrapped = Schema.is(Schema.Struct({ task: Schema.Struct({ id: Schema.String }) }))

/** The id of the task that was sent, if it was one. */
export const idOf = (result: unknown): string | undefined =>
  isWrapped(result) ? result.task.id : isTask(result) ? result.id : undefined

export interface CardFields {
  readonly name: string
  readonly description: string
  readonly url: string
  readonly skills: ReadonlyArray<object>
  readonly streaming: boolean
}

/** The card of an agent that speaks these dialects; with both it is the hybrid that agents use in the transition. */
export const card = (dialects: ReadonlyArray<Dialect>, { description, name, skills, streaming, url }: CardFields) => ({
  name,
  description,
  version: "1.0.0",
  ...(dialects.includes("0.3") ? { protocolVersion: "0.3.0", url, preferredTransport: "JSONRPC" } : {}),
  ...(dialects.includes("1.0")
    ? { supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }] }
    : {}),
  capabilities: { streaming, pushNotifications: false },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills
})

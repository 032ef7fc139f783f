/**
 * Tasks, messages and parts of A2A, read leniently in the shapes of both protocol versions: parts by the fields they
 * have, states by their name. A malformed part costs only itself.
 *
 * @since 0.1.0
 */
import { Json } from "@effect-toolnexus/core"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { field } from "./internal/wireField.ts"

/**
 * The state of a task. What isn't known is `unknown`, and never taken for an end.
 *
 * @category models
 * @since 0.1.0
 */
export const TaskState = Schema.Literals([
  "submitted",
  "working",
  "input-required",
  "auth-required",
  "completed",
  "canceled",
  "failed",
  "rejected",
  "unknown"
])

/**
 * @category models
 * @since 0.1.0
 */
export type TaskState = Schema.Schema.Type<typeof TaskState>

/**
 * A part of a message or artifact. A file has `bytes` (base64) or a `uri`.
 *
 * @category models
 * @since 0.1.0
 */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "data"; readonly data: Json.Json }
  | FilePart

/**
 * @category models
 * @since 0.1.0
 */
export interface FilePart {
  readonly kind: "file"
  readonly name?: string
  readonly mimeType?: string
  readonly bytes?: string
  readonly uri?: string
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Message {
  readonly role: "user" | "agent"
  readonly parts: ReadonlyArray<Part>
  readonly taskId?: string
  readonly contextId?: string
}

/**
 * A task; `message` is the one of its status, `artifacts` the parts of each artifact.
 *
 * @category models
 * @since 0.1.0
 */
export interface Task {
  readonly id: string
  readonly contextId?: string
  readonly state: TaskState
  readonly message?: Message
  readonly artifacts: ReadonlyArray<ReadonlyArray<Part>>
  readonly history: ReadonlyArray<Message>
}

/**
 * What an agent answers to a message: a task to follow, or a message that is the whole answer.
 *
 * @category models
 * @since 0.1.0
 */
export type Reply =
  | { readonly _tag: "Task"; readonly task: Task }
  | { readonly _tag: "Message"; readonly message: Message }

const WireFile = Schema.Struct({
  bytes: field(Schema.String),
  fileWithBytes: field(Schema.String),
  uri: field(Schema.String),
  fileWithUri: field(Schema.String),
  mimeType: field(Schema.String),
  name: field(Schema.String)
})

const WirePart = Schema.Struct({
  text: field(Schema.String),
  file: field(WireFile),
  raw: field(Schema.String),
  url: field(Schema.String),
  data: Schema.optionalKey(Schema.Json),
  mediaType: field(Schema.String),
  filename: field(Schema.String)
})

const WireMessage = Schema.Struct({
  role: field(Schema.String),
  parts: Schema.Array(Schema.Unknown),
  taskId: field(Schema.String),
  contextId: field(Schema.String)
})

const WireArtifact = Schema.Struct({ parts: Schema.Array(Schema.Unknown) })

const WireTask = Schema.Struct({
  id: Schema.NonEmptyString,
  contextId: field(Schema.String),
  status: Schema.Struct({ state: Schema.Unknown, message: field(Schema.Unknown) }),
  artifacts: field(Schema.Array(Schema.Unknown)),
  history: field(Schema.Array(Schema.Unknown))
})

const WireWrapper = Schema.Struct({ task: field(Schema.Unknown), message: field(Schema.Unknown) })

const decodePart = Schema.decodeUnknownOption(WirePart)
const decodeMessage = Schema.decodeUnknownOption(WireMessage)
const decodeArtifact = Schema.decodeUnknownOption(WireArtifact)
const decodeTask = Schema.decodeUnknownOption(WireTask)
const decodeWrapper = Schema.decodeUnknownOption(WireWrapper)

const isTaskState = Schema.is(TaskState)

/**
 * A state by its name in either version: `input-required`, `TASK_STATE_INPUT_REQUIRED`.
 *
 * @category decoding
 * @since 0.1.0
 */
export const readState = (raw: unknown): TaskState => {
  if (typeof raw !== "string") return "unknown"
  const name = raw.replace(/^TASK_STATE_/, "").toLowerCase().replaceAll("_", "-")
  if (name === "cancelled") return "canceled"
  return isTaskState(name) ? name : "unknown"
}

/**
 * A part by the fields it has; none where it has no known one.
 *
 * @category decoding
 * @since 0.1.0
 */
export const readPart = (raw: unknown): Option.Option<Part> => Option.flatMap(decodePart(raw), toPart)

const toPart = (part: typeof WirePart.Type): Option.Option<Part> => {
  if (typeof part.text === "string") return Option.some({ kind: "text", text: part.text })
  const { file } = part
  const bytes = part.raw ?? file?.bytes ?? file?.fileWithBytes
  const uri = part.url ?? file?.uri ?? file?.fileWithUri
  if (typeof bytes === "string" || typeof uri === "string") {
    return Option.some({
      kind: "file",
      ...present("name", part.filename ?? file?.name),
      ...present("mimeType", part.mediaType ?? file?.mimeType),
      ...present("bytes", bytes),
      ...present("uri", uri)
    })
  }
  if (part.data === undefined || !Json.isWithin(part.data, BOUNDS)) return Option.none()
  return Option.some({ kind: "data", data: part.data })
}

/** No honest data comes near. What works on deeper data recurses, and would exhaust the stack. */
const BOUNDS: Json.Bounds = { levels: 200, values: 1_000_000 }

const present = <K extends string>(key: K, value: string | null | undefined): { readonly [P in K]?: string } | {} =>
  typeof value === "string" ? { [key]: value } : {}

const readParts = (raw: ReadonlyArray<unknown>): ReadonlyArray<Part> => collect(raw, readPart)

const collect = <A>(raw: ReadonlyArray<unknown>, read: (item: unknown) => Option.Option<A>): ReadonlyArray<A> =>
  raw.flatMap((item) => Option.toArray(read(item)))

/**
 * A message of either version.
 *
 * @category decoding
 * @since 0.1.0
 */
export const readMessage = (raw: unknown): Option.Option<Message> =>
  Option.map(decodeMessage(raw), ({ contextId, parts, role, taskId }) => ({
    role: role?.toLowerCase().endsWith("user") === true ? "user" : "agent",
    parts: readParts(parts),
    ...present("taskId", taskId),
    ...present("contextId", contextId)
  }))

/**
 * A task of either version, bare or wrapped.
 *
 * @category decoding
 * @since 0.1.0
 */
export const readTask = (raw: unknown): Option.Option<Task> => {
  const bare = Option.map(decodeTask(raw), toTask)
  return Option.isSome(bare)
    ? bare
    : Option.flatMap(decodeWrapper(raw), ({ task }) => Option.map(decodeTask(task), toTask))
}

const toTask = ({ artifacts, contextId, history, id, status }: typeof WireTask.Type): Task => ({
  id,
  ...present("contextId", contextId),
  state: readState(status.state),
  ...Option.match(readMessage(status.message), { onNone: () => ({}), onSome: (message) => ({ message }) }),
  artifacts: collect(artifacts ?? [], (raw) => Option.map(decodeArtifact(raw), ({ parts }) => readParts(parts))),
  history: collect(history ?? [], readMessage)
})

/**
 * The result of a send in either version: `{task}` or `{message}`, or either of them bare.
 *
 * @category decoding
 * @since 0.1.0
 */
export const readReply = (raw: unknown): Option.Option<Reply> => {
  const task = readTask(raw)
  if (Option.isSome(task)) return Option.some({ _tag: "Task", task: task.value })
  const message = Option.orElse(
    readMessage(raw),
    () => Option.flatMap(decodeWrapper(raw), (wrapper) => readMessage(wrapper.message))
  )
  return Option.map(message, (found) => ({ _tag: "Message", message: found }))
}

/**
 * The text of parts, joined by newlines.
 *
 * @category getters
 * @since 0.1.0
 */
export const textOf = (parts: ReadonlyArray<Part>): string =>
  parts.flatMap((part) => part.kind === "text" ? [part.text] : []).join("\n")

/**
 * What the agent said last: the message of its status, else the last one of its own in the history.
 *
 * @category getters
 * @since 0.1.0
 */
export const lastMessage = ({ history, message }: Task): Message | undefined =>
  message ?? history.findLast(({ role }) => role === "agent")

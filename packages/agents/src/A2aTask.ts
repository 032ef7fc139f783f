/**
 * Tasks, messages and parts of A2A, read leniently in the shapes of both protocol versions: parts by the fields they
 * have, states by their name. A malformed part costs only itself.
 *
 * Reading is bounded, as whoever sends may send anything: no more than {@link MAX_PARTS} and one of the parts of a message, or of all
 * artifacts of a task together, and of a history the last messages.
 *
 * @since 0.1.0
 */
import * as Json from "@effect-toolnexus/core/Json"
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
 * Each part takes room and time of its own, however small it is. Whoever finds more of them has found too many.
 *
 * @category constants
 * @since 0.1.0
 */
export const MAX_PARTS = 10_000

/** Of a conversation the end counts. */
const MAX_HISTORY = 10

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
 * What a task produces. One without an id is called by its place.
 *
 * @category models
 * @since 0.1.0
 */
export interface Artifact {
  readonly id: string
  readonly parts: ReadonlyArray<Part>
}

/**
 * A task; `message` is the one of its status.
 *
 * @category models
 * @since 0.1.0
 */
export interface Task {
  readonly id: string
  readonly contextId?: string
  readonly state: TaskState
  readonly message?: Message
  readonly artifacts: ReadonlyArray<Artifact>
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

/**
 * What a stream brings: a reply as a whole, or what changed of a task. `isAppended`: the parts go on with an artifact that is
 * there already.
 *
 * @category models
 * @since 0.1.0
 */
export type StreamEvent =
  | Reply
  | {
    readonly _tag: "Status"
    readonly taskId: string
    readonly contextId?: string
    readonly state: TaskState
    readonly message?: Message
  }
  | {
    readonly _tag: "Artifact"
    readonly taskId: string
    readonly contextId?: string
    readonly artifact: Artifact
    readonly isAppended: boolean
  }

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

const WireArtifact = Schema.Struct({ artifactId: field(Schema.String), parts: Schema.Array(Schema.Unknown) })

const WireStatus = Schema.Struct({ state: Schema.Unknown, message: field(Schema.Unknown) })

const WireTask = Schema.Struct({
  id: Schema.NonEmptyString,
  contextId: field(Schema.String),
  status: WireStatus,
  artifacts: field(Schema.Array(Schema.Unknown)),
  history: field(Schema.Array(Schema.Unknown))
})

const WireUpdate = Schema.Struct({
  taskId: Schema.NonEmptyString,
  contextId: field(Schema.String),
  status: field(WireStatus),
  artifact: field(WireArtifact),
  append: field(Schema.Boolean)
})

const WireEvent = Schema.Struct({ statusUpdate: field(Schema.Unknown), artifactUpdate: field(Schema.Unknown) })

const WireWrapper = Schema.Struct({ task: field(Schema.Unknown), message: field(Schema.Unknown) })

const decodePart = Schema.decodeUnknownOption(WirePart)
const decodeMessage = Schema.decodeUnknownOption(WireMessage)
const decodeArtifact = Schema.decodeUnknownOption(WireArtifact)
const decodeTask = Schema.decodeUnknownOption(WireTask)
const decodeUpdate = Schema.decodeUnknownOption(WireUpdate)
const decodeEvent = Schema.decodeUnknownOption(WireEvent)
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

/** One more than anybody takes, so that it is seen that there are too many. */
const ENOUGH_PARTS = MAX_PARTS + 1

const readParts = (raw: ReadonlyArray<unknown>, room = ENOUGH_PARTS): ReadonlyArray<Part> =>
  collect(raw.slice(0, room), readPart)

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
  ...toStatus(status),
  artifacts: readArtifacts(artifacts ?? []),
  history: collect((history ?? []).slice(-MAX_HISTORY), readMessage)
})

const readArtifacts = (raw: ReadonlyArray<unknown>): ReadonlyArray<Artifact> => {
  let room = ENOUGH_PARTS
  return raw.slice(0, ENOUGH_PARTS).flatMap((each, index) => {
    const artifact = room <= 0 ? Option.none() : decodeArtifact(each)
    if (Option.isNone(artifact)) return []
    const read = toArtifact(artifact.value, String(index), room)
    room -= Math.max(1, artifact.value.parts.length)
    return [read]
  })
}

const toStatus = ({ message, state }: typeof WireStatus.Type): Pick<Task, "message" | "state"> => ({
  state: readState(state),
  ...Option.match(readMessage(message), { onNone: () => ({}), onSome: (read) => ({ message: read }) })
})

const toArtifact = ({ artifactId, parts }: typeof WireArtifact.Type, place: string, room?: number): Artifact => ({
  id: artifactId ?? place,
  parts: readParts(parts, room)
})

/**
 * An event of a stream in either version: wrapped as in 1.0, or by the fields it has.
 *
 * @category decoding
 * @since 0.1.0
 */
export const readEvent = (raw: unknown): Option.Option<StreamEvent> => {
  const wrapped = Option.flatMap(
    decodeEvent(raw),
    ({ artifactUpdate, statusUpdate }) => Option.flatMap(decodeUpdate(statusUpdate ?? artifactUpdate), toUpdate)
  )
  if (Option.isSome(wrapped)) return wrapped
  // a task has a status as well, and a message the id of its task
  return Option.orElse(readReply(raw), () => Option.flatMap(decodeUpdate(raw), toUpdate))
}

const toUpdate = (
  { append, artifact, contextId, status, taskId }: typeof WireUpdate.Type
): Option.Option<StreamEvent> => {
  const ids = { taskId, ...present("contextId", contextId) }
  if (artifact) {
    return Option.some({ _tag: "Artifact", ...ids, artifact: toArtifact(artifact, ""), isAppended: append === true })
  }
  return status ? Option.some({ _tag: "Status", ...ids, ...toStatus(status) }) : Option.none()
}

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

const TERMINAL: ReadonlySet<TaskState> = new Set(["completed", "failed", "rejected", "canceled"])

/**
 * Whether a task in this state is over.
 *
 * @category guards
 * @since 0.1.0
 */
export const isTerminal = (state: TaskState): boolean => TERMINAL.has(state)

/**
 * Whether nothing more happens until somebody else acts.
 *
 * @category guards
 * @since 0.1.0
 */
export const isSettled = (state: TaskState): boolean =>
  isTerminal(state) || state === "input-required" || state === "auth-required"

/**
 * What the agent said last: the message of its status, else the last one of its own in the history.
 *
 * @category getters
 * @since 0.1.0
 */
export const lastMessage = ({ history, message }: Task): Message | undefined =>
  message ?? history.findLast(({ role }) => role === "agent")

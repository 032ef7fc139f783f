/**
 * Reads what agents send: tasks, messages and parts, leniently in the shapes of both protocol versions: parts by the fields
 * they have, states by their name. A malformed part costs only itself.
 *
 * Reading is bounded, as whoever sends may send anything: no more than `MAX_PARTS` and one of the parts of a message, or of
 * all artifacts of a task together, and of a history the last messages; what has an id of more than 4096 characters has none
 * that anybody could send back, and isn't read.
 *
 * @since 0.1.0
 */
import * as Json from "@effect-toolnexus/core/Json"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  type Artifact,
  MAX_PARTS,
  type Message,
  type Part,
  type Reply,
  type StreamEvent,
  type Task,
  TaskState
} from "./A2aTask.ts"
import { field } from "./internal/wireField.ts"

/** In characters: an id is sent with each request about its task, and kept in what a host stores. */
const MAX_ID = 4096

const Id = Schema.NonEmptyString.check(Schema.isMaxLength(MAX_ID))
const MaybeId = Schema.String.check(Schema.isMaxLength(MAX_ID))

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
  taskId: field(MaybeId),
  contextId: field(MaybeId)
})

const WireArtifact = Schema.Struct({ artifactId: field(MaybeId), parts: Schema.Array(Schema.Unknown) })

const WireStatus = Schema.Struct({ state: Schema.Unknown, message: field(Schema.Unknown) })

const WireTask = Schema.Struct({
  id: Id,
  contextId: field(MaybeId),
  status: WireStatus,
  artifacts: field(Schema.Array(Schema.Unknown)),
  history: field(Schema.Array(Schema.Unknown))
})

const WireUpdate = Schema.Struct({
  taskId: Id,
  contextId: field(MaybeId),
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

/** Servers that write out every field say by an empty one that there is none. */
const idOf = <K extends string>(key: K, value: string | null | undefined): { readonly [P in K]?: string } | {} =>
  present(key, value === "" ? undefined : value)

/** Of a conversation the end counts. */
const MAX_HISTORY = 10

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
    ...idOf("taskId", taskId),
    ...idOf("contextId", contextId)
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
  ...idOf("contextId", contextId),
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
  const ids = { taskId, ...idOf("contextId", contextId) }
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

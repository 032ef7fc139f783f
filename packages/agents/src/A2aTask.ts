/**
 * Tasks, messages and parts of A2A, in one shape for both protocol versions.
 *
 * @since 0.1.0
 */
import type * as Json from "@effect-toolnexus/core/Json"
import * as Schema from "effect/Schema"

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

/**
 * What a fake agent answers to a message, said once for both dialects of A2A.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import type * as Schema from "effect/Schema"

/**
 * A piece of content: text, JSON, or a file by its bytes (base64) or its address.
 *
 * @category models
 * @since 0.1.0
 */
export type Part =
  | { readonly text: string }
  | { readonly data: Schema.JsonObject }
  | { readonly file: File }

/**
 * @category models
 * @since 0.1.0
 */
export type File =
  & { readonly name?: string; readonly mimeType?: string }
  & ({ readonly bytes: string } | { readonly uri: string })

/**
 * The states of a task, in the words of A2A 0.3.
 *
 * @category models
 * @since 0.1.0
 */
export type TaskState =
  | "submitted"
  | "working"
  | "input-required"
  | "auth-required"
  | "completed"
  | "canceled"
  | "failed"
  | "rejected"

/**
 * @category models
 * @since 0.1.0
 */
export type Reply = Data.TaggedEnum<{
  /** A message, and no task at all. */
  Message: { readonly parts: ReadonlyArray<Part> }
  /** A task that is `submitted`, then `working` for a number of polls, and then comes to its state. */
  Task: {
    readonly state: TaskState
    readonly polls: number
    /** What the agent says with that state. */
    readonly message: string | undefined
    /** Each is one artifact. */
    readonly artifacts: ReadonlyArray<ReadonlyArray<Part>>
    /** What the next message to the same task gets; by default it is refused. */
    readonly next: Reply | undefined
  }
  RpcError: { readonly code: number; readonly message: string }
  /** An HTTP answer that isn't JSON-RPC. */
  Http: { readonly status: number; readonly body: string }
  /** No answer, ever. */
  Silence: {}
}>

/**
 * @category models
 * @since 0.1.0
 */
export interface TaskOptions {
  /** How many times the task must be asked for until it has come to its state. Default: 0, the state comes at once. */
  readonly polls?: number
}

const constructors = Data.taggedEnum<Reply>()

/**
 * Reads a reply by its tag.
 *
 * @category pattern matching
 * @since 0.1.0
 */
export const match: typeof constructors.$match = constructors.$match

const task = (state: TaskState, rest: Partial<Omit<Data.TaggedEnum.Value<Reply, "Task">, "_tag" | "state">>): Reply =>
  constructors.Task({ state, polls: 0, message: undefined, artifacts: [], next: undefined, ...rest })

/**
 * A plain message.
 *
 * @category constructors
 * @since 0.1.0
 */
export const message = (...parts: ReadonlyArray<Part | string>): Reply =>
  constructors.Message({ parts: parts.map(toPart) })

/**
 * A task that completes with one artifact of these parts.
 *
 * **Example**
 *
 * ```ts
 * A2aReply.completed(["sunny", { data: { degrees: 21 } }], { polls: 3 })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const completed = (artifact: string | ReadonlyArray<Part | string>, options?: TaskOptions): Reply =>
  artifacts([typeof artifact === "string" ? [artifact] : artifact], options)

/**
 * A task that completes with several artifacts, or with none.
 *
 * @category constructors
 * @since 0.1.0
 */
export const artifacts = (list: ReadonlyArray<ReadonlyArray<Part | string>>, options?: TaskOptions): Reply =>
  task("completed", { ...options, artifacts: list.map((parts) => parts.map(toPart)) })

/**
 * A task that ends badly, and says why.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ended = (state: "failed" | "rejected" | "canceled", reason: string, options?: TaskOptions): Reply =>
  task(state, { ...options, message: reason })

/**
 * A task that needs a person; `next` is what the answer to its question gets.
 *
 * @category constructors
 * @since 0.1.0
 */
export const waiting = (
  state: "input-required" | "auth-required",
  question: string,
  next: Reply,
  options?: TaskOptions
): Reply => task(state, { ...options, message: question, next })

/**
 * A task that works and never ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const endless: Reply = task("working", {})

/**
 * A JSON-RPC error instead of a task.
 *
 * @category constructors
 * @since 0.1.0
 */
export const rpcError = (code: number, text: string): Reply => constructors.RpcError({ code, message: text })

/**
 * An HTTP answer that isn't JSON-RPC.
 *
 * @category constructors
 * @since 0.1.0
 */
export const http = (status: number, body = ""): Reply => constructors.Http({ status, body })

/**
 * The request stays open, unanswered.
 *
 * @category constructors
 * @since 0.1.0
 */
export const silence: Reply = constructors.Silence()

const toPart = (part: Part | string): Part => typeof part === "string" ? { text: part } : part

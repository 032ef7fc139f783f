/**
 * What a handler can ask of the call it serves: its id, who called, how to report progress, the answer to a suspension.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Answer } from "./Answer.ts"
import type { Json } from "./Json.ts"
import type { Request } from "./Request.ts"

/**
 * One report of progress. `total` and `progress` are in the tool's own unit.
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/**
 * The call a handler serves.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolCall {
  /** Unique in this process, or what the caller gave as `callId`. */
  readonly id: string
  /** The exposed name under which the tool was called. */
  readonly toolName: string
  /** What the caller attached; it is how one toolkit serves many callers. */
  readonly context: unknown
  /** Tells the caller how far the call is. */
  readonly progress: (progress: Progress) => Effect.Effect<void>
  /** The total time the caller gives it, in milliseconds. */
  readonly timeout: number | undefined
  /** Stops that time while a person is waited for within the call; what it gives, called once, lets it go on. */
  readonly hold: () => () => void
  /** In a resumed call: what was answered, and the state the suspension carried. */
  readonly resumed: Resumed | undefined
  /** Whether a person has approved this very call: what a policy would ask for is given. */
  readonly isApproved: boolean
}

/**
 * What a resumed call goes on with.
 *
 * @category models
 * @since 0.1.0
 */
export interface Resumed {
  readonly answer: Answer
  /** What the suspension carried, as the source put it there. */
  readonly state: Json | undefined
  /** What was asked, where it is known. */
  readonly request?: Request
}

/**
 * What a caller may say about one call.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallOptions {
  /** The total time the call may take, in milliseconds. */
  readonly timeout?: number
  /** The id of the call; made up when absent. */
  readonly callId?: string
  /** Told of the tool's progress. */
  readonly onProgress?: (progress: Progress) => Effect.Effect<void>
  /** Handed to the handler as it is. */
  readonly context?: unknown
}

/**
 * The call a handler sees. The pipeline makes these; a test of a handler may too.
 *
 * **Example**
 *
 * ```ts
 * tool.handler({ city: "Oslo" }, ToolCall.make("weather", "call-1"))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (toolName: string, id: string, options?: CallOptions, resumed?: Resumed): ToolCall => ({
  id,
  toolName,
  context: options?.context,
  progress: options?.onProgress === undefined ? ignoreProgress : guard(options.onProgress),
  timeout: options?.timeout,
  hold: holdNothing,
  resumed,
  isApproved: false
})

const ignoreProgress = () => Effect.void
const holdNothing = () => () => {}

/** Whoever watches a call must not be able to break it. */
const guard = (onProgress: ToolCall["progress"]): ToolCall["progress"] => (progress) =>
  Effect.flatMap(
    Effect.exit(Effect.suspend(() => listen(onProgress(progress)))),
    (exit) => Exit.isSuccess(exit) ? Effect.void : Effect.logDebug("A listener to a tool's progress failed", exit.cause)
  )

/** A listener of plain JavaScript returns whatever it likes. */
const listen = (told: Effect.Effect<void>): Effect.Effect<void> => Effect.isEffect(told) ? told : Effect.void

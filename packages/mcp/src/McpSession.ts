/**
 * One connection to one server, from its start to the end of its scope. It hides the protocol's revision and how messages
 * travel, so that a second era of the protocol can stand beside it.
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import type { JsonObject } from "@effect-toolnexus/core/Json"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { ObjectSchema, ToolAnnotations } from "@effect-toolnexus/core/Tool"
import type { Progress } from "@effect-toolnexus/core/ToolCall"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as JsonSchema from "effect/JsonSchema"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import type * as Semaphore from "effect/Semaphore"
import type * as Stream from "effect/Stream"
import { openSession } from "./internal/openSession.ts"
import type { EnabledServer, Limits } from "./McpConfig.ts"
import type { McpCallError, McpClosed } from "./McpError.ts"

/**
 * A tool as its server lists it. `inputSchema` has `type: "object"` at its root even where the server left it out.
 *
 * @category models
 * @since 0.1.0
 */
export interface RawTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema?: JsonSchema.JsonSchema
  readonly annotations?: ToolAnnotations
}

/**
 * A server's tools in its own order, and what was wrong with the list.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolList {
  readonly tools: ReadonlyArray<RawTool>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/**
 * What a server answered to `tools/call`, unread: nothing a server sends is lost because a schema doesn't know it.
 *
 * @category models
 * @since 0.1.0
 */
export interface RawCallResult {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly isError?: unknown
}

/**
 * @category models
 * @since 0.1.0
 */
export interface RawCallOptions {
  /** The `call` and `total` limits, in milliseconds from now on. Default: none. */
  readonly limits?: Pick<Limits, "call" | "total">
  /** What the caller attached to its call, for whoever makes the headers of its request or answers the server in it. */
  readonly context?: unknown
  /** Stops the limits of whoever called while a person is asked; what it gives lets them go on. */
  readonly hold?: () => () => void
  /** Called for every report of progress, in order, before the result is there. Must neither throw nor block. */
  readonly onProgress: (progress: Progress) => void
}

/**
 * Lines on a process's stdout that were no messages: how many, and the first few of them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Noise {
  readonly lines: number
  readonly samples: ReadonlyArray<string>
}

/**
 * A live connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpSession {
  readonly serverInfo: { readonly name: string; readonly version: string }
  /** What the server says it can do, as it says it. */
  readonly capabilities: JsonObject
  readonly instructions?: string
  /** The process, where there is one. */
  readonly pid?: number
  /** All pages of the server's list, within the `list` limit; fails in phase `list`. */
  readonly listTools: Effect.Effect<ToolList, EntryError>
  /** Has no time limits but those it is given. Interrupting it, or a limit, sends `notifications/cancelled`. */
  readonly callTool: (
    name: string,
    args: JsonObject,
    options?: RawCallOptions
  ) => Effect.Effect<RawCallResult, McpCallError>
  /** Says that the list changed; the last such word is repeated to whoever listens later. */
  readonly toolsChanged: Stream.Stream<void>
  /** Fails when the connection ends, whoever ended it. */
  readonly closed: Effect.Effect<never, McpClosed>
  /** Whether it has ended. */
  readonly isClosed: () => boolean
  /** The last 8 KiB a process wrote to stderr, without the secrets it was given; empty where there is none. */
  readonly stderrTail: Effect.Effect<string>
  readonly noise: Effect.Effect<Noise>
}

/**
 * Whom to connect to. `slots` bounds how many processes are being spawned at once, where several sessions share it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConnectOptions {
  readonly server: EnabledServer
  readonly slots?: Semaphore.Semaphore
}

/**
 * Connects and initialises.
 *
 * **Details**
 *
 * Fails in phase `config` or `spawn` where there is nothing to connect to, or in phase `initialize`: no answer within
 * `server.timeout.startup`, an answer that makes no sense, or a process that died before, with its exit code and the end
 * of its stderr. The scope closes the connection, also one that never came to be.
 *
 * **Example**
 *
 * ```ts
 * const { server } = yield* Effect.fromResult(McpConfig.normalize("files", { config: { command: "files-server" }, folder: ".", path: "files" })
 * if (server._tag === "Local") yield* McpSession.connect({ server })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const connect = (options: ConnectOptions): Effect.Effect<
  McpSession,
  EntryError,
  ChildProcessSpawner | FileSystem.FileSystem | HttpConnections | Path.Path | Scope.Scope
> => openSession(options)

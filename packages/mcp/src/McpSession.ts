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
import type { McpCallError, McpClosed, McpRequestError } from "./McpError.ts"
import type { Completion, CompletionQuestion, FilledPrompt, Prompt } from "./McpPrompt.ts"
import type { ReadResource, Resource, ResourceTemplate } from "./McpResource.ts"

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
 * All pages of a list of a server's, in its own order, and what was wrong with it: at most 1000 pages, 10,000 items and
 * 64 Mi characters are read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Listing<out A> {
  readonly items: ReadonlyArray<A>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/**
 * How a server is asked for what is no tool; `context`, `onProgress` and `hold` as for a call.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestOptions extends Partial<Omit<RawCallOptions, "limits">> {
  /** In milliseconds from now on. Default: the server's own `call` and `total`. */
  readonly limits?: Pick<Limits, "call" | "total">
}

/**
 * What a server may offer beside its tools (MCP, Server Features).
 *
 * **Details**
 *
 * - A list is empty where the server doesn't offer such things. All of its pages together keep the server's `list`
 *   limit, which fails as `McpTimedOut` with `total`.
 * - Every other request fails with `McpNotOffered`, unasked, where the server doesn't offer it; with `McpRejected` where
 *   the server refuses it or answers what is no answer; and with the errors of any request.
 * - Interrupting a request, or a limit, sends `notifications/cancelled`.
 *
 * **Example**
 *
 * ```ts
 * const { items } = yield* session.listResources
 * for (const { name, uri } of items) yield* Console.log(name, (yield* session.readResource(uri)).contents)
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export interface McpOffers {
  /** The resources that the server lists one by one (`resources/list`). */
  readonly listResources: Effect.Effect<Listing<Resource>, McpCallError>
  /** Templates of the URIs of those it doesn't (`resources/templates/list`). */
  readonly listResourceTemplates: Effect.Effect<Listing<ResourceTemplate>, McpCallError>
  /** What stands in a resource, listed or not (`resources/read`). */
  readonly readResource: (uri: string, options?: RequestOptions) => Effect.Effect<ReadResource, McpRequestError>
  /** The prompts that people may choose from (`prompts/list`). */
  readonly listPrompts: Effect.Effect<Listing<Prompt>, McpCallError>
  /** A prompt with its arguments in place (`prompts/get`). Default: without any. */
  readonly getPrompt: (
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: RequestOptions
  ) => Effect.Effect<FilledPrompt, McpRequestError>
  /** Suggestions for an argument or a variable (`completion/complete`). */
  readonly complete: (
    question: CompletionQuestion,
    options?: RequestOptions
  ) => Effect.Effect<Completion, McpRequestError>
  /**
   * Follows a resource (`resources/subscribe`): its URI as soon as the server has agreed, for whoever wants to read what
   * there is by then, and after that the URI of what changed, each time that it, or one below it, did. The server is told
   * when nobody listens any more (`resources/unsubscribe`). Whoever is slow misses the oldest of 256. Ends only in an
   * error: `McpClosed` with the connection.
   */
  readonly subscribe: (uri: string) => Stream.Stream<string, McpRequestError>
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
export interface McpSession extends McpOffers {
  readonly serverInfo: { readonly name: string; readonly version: string }
  /** What the server says it can do, as it says it. */
  readonly capabilities: JsonObject
  /** How to use the server, in its own words and without the secrets it was given; at most 10,000 characters of them. */
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
  /** The same of its lists of resources and of templates. */
  readonly resourcesChanged: Stream.Stream<void>
  /** The same of its list of prompts. */
  readonly promptsChanged: Stream.Stream<void>
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
 * const definition = { config: { command: "files-server" }, folder: ".", path: "mcpServers.files" }
 * const { server } = yield* Effect.fromResult(McpConfig.normalize("files", definition))
 * if (server._tag !== "Disabled") {
 *   const session = yield* McpSession.connect({ server })
 *   yield* Console.log((yield* session.listTools).tools)
 * }
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

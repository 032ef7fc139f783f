/**
 * One connection to one server, from its start to the end of its scope. It hides the SDK, so that a second era of the
 * protocol can stand beside it, and so that nothing outside needs to know where the SDK errs.
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { JsonObject } from "@effect-toolnexus/core/Json"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { ObjectSchema, ToolAnnotations } from "@effect-toolnexus/core/Tool"
import type { Progress } from "@effect-toolnexus/core/ToolCall"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { type ServerCapabilities, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import {
  CallResult,
  ListPage,
  makeClient,
  METHOD_NOT_FOUND,
  requestOptions,
  toProgressCallback,
  toRefusal
} from "./internal/client.ts"
import { entryError, withStderr } from "./internal/entryError.ts"
import type { Link, Noise, OpenLink } from "./internal/link.ts"
import { inRealTime } from "./internal/liveClock.ts"
import { type Page, readAllPages } from "./internal/toolList.ts"
import type { Limits } from "./McpConfig.ts"
import { type McpCallError, McpClosed, McpRejected } from "./McpError.ts"

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
  /** Called for every report of progress, in order, before the result is there. Must neither throw nor block. */
  readonly onProgress: (progress: Progress) => void
}

export type { Link, Noise, OpenLink }

/**
 * A live connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpSession {
  readonly serverInfo: { readonly name: string; readonly version: string }
  readonly capabilities: ServerCapabilities
  readonly instructions?: string
  /** The process, where there is one. */
  readonly pid?: number
  /** All pages of the server's list, within the `list` limit; fails in phase `list`. */
  readonly listTools: Effect.Effect<ToolList, EntryError>
  /** Has no time limit of its own. Interrupting it sends `notifications/cancelled`. */
  readonly callTool: (
    name: string,
    args: JsonObject,
    options?: RawCallOptions
  ) => Effect.Effect<RawCallResult, McpCallError>
  /** Says that the list changed; the last such word is repeated to whoever listens later. */
  readonly toolsChanged: Stream.Stream<void>
  /** Fails when the connection ends, whoever ended it. */
  readonly closed: Effect.Effect<never, McpClosed>
  /** The last 8 KiB a process wrote to stderr, without the secrets it was given; empty where there is none. */
  readonly stderrTail: Effect.Effect<string>
  /** Lines a process wrote to stdout that were no messages: how many, and the first few. */
  readonly noise: Effect.Effect<Noise>
}

/**
 * Connects and initialises.
 *
 * **Details**
 *
 * Fails with what `open` fails with, or in phase `initialize`: no answer within `limits.startup`, an answer that makes
 * no sense, or a process that died before, with its exit code and the end of its stderr. The scope closes the
 * connection, also one that never came to be.
 *
 * @category constructors
 * @since 0.1.0
 */
export const connect = Effect.fnUntraced(function*<R>(
  name: string,
  open: OpenLink<R>,
  limits: Limits
): Effect.fn.Return<McpSession, EntryError, Scope.Scope | R> {
  const link = yield* open
  const closed = Deferred.makeUnsafe<never, McpClosed>()
  const changed = yield* PubSub.sliding<void>({ capacity: 1, replay: 1 })
  // registered before connecting, so that a failed or interrupted attempt is closed too
  const client = yield* Effect.acquireRelease(Effect.sync(makeClient), closeClient)
  // the SDK's client is no event target
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  client.onclose = () => {
    const reason = link.ended() ?? "was closed"
    Deferred.doneUnsafe(closed, Effect.fail(new McpClosed({ server: name, reason, stderr: link.stderr() })))
  }
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    PubSub.publishUnsafe(changed, undefined)
  })
  yield* initialize(name, client, link, limits.startup)
  return makeSession({ name, client, link, closed, changed, limits })
})

/** A process is closed by its own scope; only a transport of somebody else's could take longer, or for ever. */
const CLOSE_LIMIT = "1 second"

const closeClient = (client: Client) =>
  Effect.tryPromise(() => client.close()).pipe(Effect.timeoutOption(CLOSE_LIMIT), Effect.ignore, inRealTime)

/** Without the signal of the interruption: `initialize` may not be cancelled, the connection is closed instead. */
const initialize = (name: string, client: Client, link: Link, limit: number) =>
  Effect.tryPromise({
    try: () => client.connect(link.transport, requestOptions()),
    catch: (cause) => {
      const ended = link.ended()
      const detail = ended === undefined ? toRefusal(cause, link.redact).detail : `it ${ended} before it was ready`
      return entryError(name, "initialize", withStderr(detail, link.stderr()))
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail(entryError(name, "initialize", withStderr(silent(link, limit), link.stderr())))
    })
  )

const silent = (link: Link, limit: number): string => {
  const { samples: [sample] } = link.noise()
  const noise = sample === undefined ? "" : `; on stdout it wrote what is no message, e.g. ${JSON.stringify(sample)}`
  return `it did not answer within ${limit} ms${noise}`
}

interface Parts {
  readonly name: string
  readonly client: Client
  readonly link: Link
  readonly closed: Deferred.Deferred<never, McpClosed>
  readonly changed: PubSub.PubSub<void>
  readonly limits: Limits
}

const makeSession = (parts: Parts): McpSession => {
  const { changed, client, closed, link } = parts
  const { name = "", version = "" } = client.getServerVersion() ?? {}
  const instructions = client.getInstructions()
  return {
    serverInfo: { name, version },
    capabilities: client.getServerCapabilities() ?? {},
    ...(instructions === undefined ? {} : { instructions }),
    ...(link.pid === undefined ? {} : { pid: link.pid }),
    listTools: listTools(parts),
    callTool: (tool, args, options) =>
      request(parts, (signal) =>
        client.request(
          { method: "tools/call", params: { name: tool, arguments: args } },
          CallResult,
          requestOptions(signal, options && toProgressCallback(options.onProgress))
        )),
    toolsChanged: Stream.fromPubSub(changed),
    closed: Deferred.await(closed),
    stderrTail: Effect.sync(link.stderr),
    noise: Effect.sync(link.noise)
  }
}

/** One request. The SDK rejects all that are waiting when the connection ends, after `closed` is done. */
const request = <A>({ closed, link, name }: Parts, send: (signal: AbortSignal) => Promise<A>) =>
  Effect.catchIf(
    Effect.tryPromise({
      try: send,
      catch: (cause) => new McpRejected({ server: name, ...toRefusal(cause, link.redact) })
    }),
    () => Deferred.isDoneUnsafe(closed) || link.ended() !== undefined,
    () => Deferred.await(closed)
  )

const listTools = (parts: Parts): Effect.Effect<ToolList, EntryError> => {
  const { limits: { list: limit }, link, name } = parts
  const fail = (detail: string) => entryError(name, "list", detail)
  return readAllPages(name, (cursor) => readPage(parts, cursor)).pipe(
    Effect.mapError((error) =>
      fail(error._tag === "McpClosed" ? withStderr(`it ${error.reason}`, error.stderr) : error.detail)
    ),
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail(fail(withStderr(`it did not list its tools within ${limit} ms`, link.stderr())))
    })
  )
}

const readPage = (parts: Parts, cursor: string | undefined): Effect.Effect<Page, McpCallError> =>
  request(parts, (signal) =>
    parts.client.request(
      { method: "tools/list", ...(cursor === undefined ? {} : { params: { cursor } }) },
      ListPage,
      requestOptions(signal)
    )).pipe(
      Effect.map(({ nextCursor, tools }): Page => ({
        tools: tools ?? [],
        cursor: typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined
      })),
      // a server without tools need not know the method
      Effect.catchIf(
        (error) => error._tag === "McpRejected" && error.code === METHOD_NOT_FOUND && cursor === undefined,
        () => Effect.succeed<Page>({ tools: [], cursor: undefined })
      )
    )

/** The session over the SDK's client. Loaded with the first connection, for it brings the SDK. */
import { isJsonObject, type JsonObject } from "@effect-toolnexus/core/Json"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { EnabledServer } from "../McpConfig.ts"
import { type McpCallError, McpClosed, McpRejected } from "../McpError.ts"
import type { ConnectOptions, McpSession, ToolList } from "../McpSession.ts"
import { broken } from "./broken.ts"
import {
  CallResult,
  ListPage,
  makeClient,
  METHOD_NOT_FOUND,
  type Refusal,
  requestOptions,
  toProgressCallback,
  toRefusal
} from "./client.ts"
import { entryError, withStderr } from "./entryError.ts"
import type { Link } from "./link.ts"
import { inRealTime } from "./liveClock.ts"
import { openServer } from "./openServer.ts"
import { NO_MCP_SERVER, silenceHints } from "./startupHints.ts"
import { type Page, readAllPages } from "./toolList.ts"

export const openSession = Effect.fnUntraced(function*({ server, slots }: ConnectOptions) {
  const link = yield* openServer(server, slots)
  return yield* Effect.catchDefect(
    startSession(server, link),
    (defect) => broken(server.name, "initialize", link.redact, defect)
  )
})

const startSession = Effect.fnUntraced(function*(server: EnabledServer, link: Link) {
  const closed = Deferred.makeUnsafe<never, McpClosed>()
  const changed = yield* PubSub.sliding<void>({ capacity: 1, replay: 1 })
  // registered before connecting, so that a failed or interrupted attempt is closed too
  const client = yield* Effect.acquireRelease(Effect.sync(makeClient), closeClient)
  // the SDK's client is no event target
  client.onclose = () => {
    const reason = link.ended() ?? "was closed"
    Deferred.doneUnsafe(closed, Effect.fail(new McpClosed({ server: server.name, reason, stderr: link.stderr() })))
  }
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    PubSub.publishUnsafe(changed, undefined)
  })
  yield* initialize(server, client, link)
  return makeSession({ server, client, link, closed, changed })
})

/** A process is closed by its own scope; only a transport of somebody else's could take longer, or for ever. */
const CLOSE_LIMIT = "1 second"

const closeClient = (client: Client) =>
  Effect.tryPromise(() => client.close()).pipe(Effect.timeoutOption(CLOSE_LIMIT), Effect.ignore, inRealTime)

/** Without the signal of the interruption: `initialize` may not be cancelled, the connection is closed instead. */
const initialize = ({ name, timeout: { startup: limit } }: EnabledServer, client: Client, link: Link) =>
  Effect.tryPromise({
    try: () => client.connect(link.transport, requestOptions()),
    catch: (cause) => {
      const ended = link.ended()
      const detail = ended === undefined ? refused(toRefusal(cause, link.redact)) : `it ${ended} before it was ready`
      return entryError(name, "initialize", withStderr(detail, link.stderr()))
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail(entryError(name, "initialize", withStderr(silent(link, limit), link.stderr())))
    })
  )

const refused = ({ code, detail }: Refusal): string => code === METHOD_NOT_FOUND ? detail + NO_MCP_SERVER : detail

const silent = (link: Link, limit: number): string => {
  const { samples: [sample] } = link.noise()
  const noise = sample === undefined ? "" : `; on stdout it wrote what is no message, e.g. ${JSON.stringify(sample)}`
  const hints = link.pid === undefined || link.stderr().trim() !== "" ? "" : silenceHints(link.withheld)
  return `it did not answer within ${limit} ms${noise}${hints}`
}

interface Parts {
  readonly server: EnabledServer
  readonly client: Client
  readonly link: Link
  readonly closed: Deferred.Deferred<never, McpClosed>
  readonly changed: PubSub.PubSub<void>
}

const makeSession = (parts: Parts): McpSession => {
  const { changed, client, closed, link, server } = parts
  const { name = "", version = "" } = client.getServerVersion() ?? {}
  const instructions = client.getInstructions()
  return {
    serverInfo: { name, version },
    capabilities: readCapabilities(client),
    ...(instructions === undefined ? {} : { instructions }),
    ...(link.pid === undefined ? {} : { pid: link.pid }),
    listTools: Effect.catchDefect(
      listTools(parts),
      (defect) => broken(server.name, "list", link.redact, defect)
    ),
    callTool: (tool, args, options) =>
      request(parts, (signal) =>
        client.request(
          { method: "tools/call", params: { name: tool, arguments: args } },
          CallResult,
          requestOptions(signal, options && toProgressCallback(options.onProgress))
        )),
    toolsChanged: Stream.fromPubSub(changed),
    closed: Deferred.await(closed),
    isClosed: () => Deferred.isDoneUnsafe(closed),
    stderrTail: Effect.sync(link.stderr),
    noise: Effect.sync(link.noise)
  }
}

const readCapabilities = (client: Client): JsonObject => {
  const capabilities: unknown = client.getServerCapabilities()
  return isJsonObject(capabilities) ? capabilities : {}
}

/** One request. The SDK rejects all that are waiting when the connection ends, after `closed` is done. */
const request = <A>({ closed, link, server }: Parts, send: (signal: AbortSignal) => Promise<A>) =>
  Effect.catchIf(
    Effect.tryPromise({
      try: send,
      catch: (cause) => new McpRejected({ server: server.name, ...toRefusal(cause, link.redact) })
    }),
    () => Deferred.isDoneUnsafe(closed) || link.ended() !== undefined,
    () => Deferred.await(closed)
  )

const listTools = (parts: Parts): Effect.Effect<ToolList, EntryError> => {
  const { link, server: { name, timeout: { list: limit } } } = parts
  const fail = (detail: string) => entryError(name, "list", detail)
  return readAllPages(name, link.redact, (cursor) => readPage(parts, cursor)).pipe(
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

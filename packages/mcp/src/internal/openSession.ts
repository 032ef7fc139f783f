/** From an enabled server to a session: its channel, the handshake, and what can be asked of it then. */
import type { JsonObject } from "@effect-toolnexus/core/Json"
import { EntryError } from "@effect-toolnexus/core/SourceEntry"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Stream from "effect/Stream"
import type { EnabledServer, RemoteServer, ResolvedRemote } from "../McpConfig.ts"
import { type McpCallError, McpRejected } from "../McpError.ts"
import type { ConnectOptions, McpSession, ToolList } from "../McpSession.ts"
import { broken } from "./broken.ts"
import type { Channel, Refusal } from "./channel.ts"
import { Deadlines } from "./deadlines.ts"
import { entryError, withStderr } from "./entryError.ts"
import { type Greeting, shakeHands } from "./handshake.ts"
import { openHttp } from "./httpChannel.ts"
import { type Fields, METHOD_NOT_FOUND } from "./jsonRpc.ts"
import { hearNotice, makeNotices, type Notices } from "./notices.ts"
import { makeOffers } from "./offers.ts"
import { openServer } from "./openServer.ts"
import { Peer } from "./peer.ts"
import { resolveRemoteServer } from "./resolveRemoteServer.ts"
import { ServerLog } from "./serverLog.ts"
import { makeServerRequests } from "./serverRequests.ts"
import { openSse } from "./sseChannel.ts"
import { NO_MCP_SERVER, silenceHints } from "./startupHints.ts"
import { readTools } from "./toolList.ts"

export const openSession = Effect.fnUntraced(function*({ server, slots }: ConnectOptions) {
  return server._tag === "Remote"
    ? yield* openRemote(server)
    : yield* start(server, yield* openServer(server, slots))
})

const start = (server: EnabledServer, channel: Channel) =>
  Effect.catchDefect(
    startSession(server, channel),
    (defect): Effect.Effect<never, EntryError> => broken(server.name, "initialize", channel.redact, defect)
  )

const openRemote = Effect.fnUntraced(function*(server: RemoteServer) {
  const resolved = yield* resolveRemoteServer(server)
  if (server.transport === "sse") return yield* start(server, yield* openSse(resolved))
  const http = yield* openHttp(resolved)
  return yield* Effect.catch(
    start(server, http),
    (error) =>
      server.transport === "auto" && http.refusal()?.isOlder === true
        ? startOlder(server, resolved, error)
        : Effect.fail(error)
  )
})

/** Where the older transport isn't spoken either, what the newer one said counts. */
const startOlder = Effect.fnUntraced(function*(server: RemoteServer, resolved: ResolvedRemote, first: EntryError) {
  const sse = yield* openSse(resolved)
  return yield* Effect.mapError(start(server, sse), (error) => sse.isOpen() ? error : first)
})

const startSession = Effect.fnUntraced(function*(server: EnabledServer, channel: Channel) {
  const notices = yield* makeNotices
  const run = yield* FiberSet.makeRuntime()
  const deadlines = new Deadlines(yield* Clock.Clock, run)
  const serverRequests = yield* makeServerRequests(server.name, channel.redact)
  const log = new ServerLog(server.name, channel.redact, () => deadlines.now)
  const onNotice = (method: string, params: Fields) => {
    if (method === "notifications/message") run(log.write(params))
    else hearNotice(notices, method, params)
  }
  const peer = new Peer({ server: server.name, channel, deadlines, serverRequests, run, onNotice })
  // registered before connecting, so that a failed or interrupted attempt is closed too
  yield* Effect.addFinalizer(() => channel.leave)
  const greeting = yield* initialize(server, channel, peer, serverRequests.capabilities)
  return makeSession({ server, channel, peer, greeting, notices })
})

const initialize = (
  { name, timeout: { startup: limit } }: EnabledServer,
  channel: Channel,
  peer: Peer,
  capabilities: JsonObject
): Effect.Effect<Greeting, EntryError> =>
  Effect.mapError(channel.listen(peer), (detail) => new McpRejected({ server: name, detail })).pipe(
    Effect.andThen(shakeHands(name, channel, peer, capabilities)),
    Effect.mapError((error) => {
      const refusal = channel.refusal()
      if (refusal !== undefined) return refusedError(name, refusal)
      const ended = channel.ended()
      const detail = ended === undefined ? refused(error) : `it ${ended} before it was ready${noiseOf(channel)}`
      return entryError(name, "initialize", withStderr(detail, channel.stderr()))
    }),
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail(entryError(name, "initialize", withStderr(silent(channel, limit), channel.stderr())))
    })
  )

const refusedError = (entry: string, { challenge, detail, phase }: Refusal): EntryError =>
  new EntryError({
    kind: "mcp",
    entry,
    phase,
    detail,
    ...(challenge === undefined ? {} : { challenge: challenge.header })
  })

const refused = (error: McpCallError): string =>
  error._tag === "McpRejected" && error.code === METHOD_NOT_FOUND ? error.detail + NO_MCP_SERVER : wordsOf(error)

/** The error of an entry names its server already. */
const wordsOf = (error: McpCallError): string =>
  error._tag === "McpClosed" || error._tag === "McpLost" ? `it ${error.reason}` : error.message

const silent = (channel: Channel, limit: number): string => {
  const hints = channel.pid === undefined || channel.stderr().trim() !== "" ? "" : silenceHints(channel.withheld)
  return `it did not answer within ${limit} ms${noiseOf(channel)}${hints}`
}

/** Programs tell what is wrong with them anywhere. */
const noiseOf = (channel: Channel): string => {
  const { samples: [sample] } = channel.noise()
  return sample === undefined ? "" : `; on stdout it wrote what is no message, e.g. ${JSON.stringify(sample)}`
}

interface Parts {
  readonly server: EnabledServer
  readonly channel: Channel
  readonly peer: Peer
  readonly greeting: Greeting
  readonly notices: Notices
}

const makeSession = (parts: Parts): McpSession => {
  const { channel, greeting, notices, peer, server } = parts
  return {
    ...greeting,
    ...makeOffers(parts),
    ...(channel.pid === undefined ? {} : { pid: channel.pid }),
    listTools: Effect.catchDefect(
      listTools(parts),
      (defect) => broken(server.name, "list", channel.redact, defect)
    ),
    callTool: (name, args, options) => peer.request("tools/call", { name, arguments: args }, options),
    toolsChanged: Stream.fromPubSub(notices.toolsChanged),
    resourcesChanged: Stream.fromPubSub(notices.resourcesChanged),
    promptsChanged: Stream.fromPubSub(notices.promptsChanged),
    closed: peer.closed,
    isClosed: () => peer.isClosed,
    stderrTail: Effect.sync(channel.stderr),
    noise: Effect.sync(channel.noise)
  }
}

const listTools = ({ channel, peer, server }: Parts): Effect.Effect<ToolList, EntryError> => {
  const { name, timeout: { list: limit } } = server
  const fail = (detail: string) => entryError(name, "list", detail)
  return readTools(name, channel.redact, peer).pipe(
    Effect.mapError((error) => {
      const refusal = channel.refusal()
      if (refusal?.challenge !== undefined) return refusedError(name, refusal)
      return fail(error._tag === "McpClosed" ? withStderr(wordsOf(error), error.stderr) : wordsOf(error))
    }),
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail(fail(withStderr(`it did not list its tools within ${limit} ms`, channel.stderr())))
    })
  )
}

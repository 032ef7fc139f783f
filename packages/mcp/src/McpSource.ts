/**
 * MCP servers as a source. All connect at once, each in a scope of its own, and none of them can hold up or break
 * another: the layer is there before any of them has answered, and their entries say how far each has come.
 *
 * @since 0.1.0
 */
import { Source } from "@effect-toolnexus/core/Source"
import type { EntryError, SourceEntry } from "@effect-toolnexus/core/SourceEntry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { broken } from "./internal/broken.ts"
import {
  type Connected,
  connecting,
  connectServer,
  failed,
  type ReadServer,
  readServers,
  type ServerState
} from "./internal/connectServer.ts"
import { diagnostic, entryError, withStderr } from "./internal/entryError.ts"
import { makeSlots } from "./internal/spawnSlots.ts"
import { makeToEntries, type ToEntries } from "./internal/toEntries.ts"
import type { McpServerDefinition } from "./McpConfig.ts"
import type { McpSession } from "./McpSession.ts"

/**
 * What to connect.
 *
 * **Details**
 *
 * `servers`: by name; of two with one name the later wins.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpSourceOptions {
  readonly servers: Iterable<readonly [name: string, definition: McpServerDefinition]>
}

/** A burst of `list_changed` is one change: servers send one for each tool they add. */
const CHANGES_WINDOW = "50 millis"
const MAX_CHANGES = 1000

/**
 * The live sessions, for what is beyond tools.
 *
 * @category services
 * @since 0.1.0
 */
export class McpSource extends Context.Service<McpSource, {
  /** By server name, without those that are gone. */
  readonly connections: Effect.Effect<ReadonlyMap<string, McpSession>>
}>()("@effect-toolnexus/mcp/McpSource") {
  /**
   * Connects the servers.
   *
   * **Details**
   *
   * Never fails: what became of a server is its entry. When a connected server dies its entry becomes `Failed`, its
   * tools stay listed, and calls of them fail as `ToolUnavailable`. Closing ends all processes at once, within three
   * seconds.
   *
   * **Example**
   *
   * ```ts
   * McpSource.layer({
   *   servers: [["files", { config: { command: "node", args: ["server.mjs"] }, folder: "/project", path: "files" }]]
   * })
   * ```
   *
   * @category layers
   * @since 0.1.0
   */
  static readonly layer = (
    options: McpSourceOptions
  ): Layer.Layer<Source | McpSource, never, ChildProcessSpawner | FileSystem.FileSystem | Path.Path> =>
    Layer.effectContext(make(options))
}

const make = Effect.fnUntraced(function*({ servers }: McpSourceOptions) {
  const sorted = readServers(servers)
  const board = yield* makeBoard(sorted)
  const slots = yield* makeSlots
  // made last, and so stopped first: a server that we close is none that died
  const supervisors = yield* Scope.fork(yield* Effect.scope, "parallel")
  for (const server of sorted) yield* Effect.forkIn(supervise(board, server, slots), supervisors)
  const connections = Effect.sync(() => {
    const live = [...board.states].flatMap(([name, state]): ReadonlyArray<readonly [string, McpSession]> =>
      state._tag === "Connected" && state.failure === undefined ? [[name, state.session]] : []
    )
    return new Map(live)
  })
  return Context.make(Source, { kind: "mcp", entries: board.entries }).pipe(Context.add(McpSource, { connections }))
})

/** What is known of all servers, and the entries made of it. */
interface Board {
  readonly states: Map<string, ServerState>
  readonly entries: SubscriptionRef.SubscriptionRef<ReadonlyArray<SourceEntry>>
  /** Holds all connections, and closes them all at once. */
  readonly connections: Scope.Closeable
  readonly toEntries: ToEntries
  readonly lock: Semaphore.Semaphore
}

const makeBoard = Effect.fnUntraced(
  function*(
    sorted: ReadonlyArray<ReadServer>
  ): Effect.fn.Return<Board, never, Scope.Scope> {
    const toEntries = makeToEntries(yield* FiberSet.makeRuntime())
    const connections = yield* Scope.fork(yield* Effect.scope, "parallel")
    const states = new Map(sorted.map((server): [string, ServerState] => [server.name, connecting(server)]))
    const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry>>(yield* toEntries(states))
    return { states, entries, connections, toEntries, lock: yield* Semaphore.make(1) }
  }
)

/** The life of one server, from its first connection to its end. Whatever breaks on the way, its entry settles. */
const supervise = Effect.fnUntraced(
  function*(board: Board, server: ReadServer, slots: Semaphore.Semaphore) {
    const scope = yield* Scope.fork(board.connections)
    yield* Effect.catchDefect(live(board, server, slots, scope), (defect) => giveUp(board, server, defect))
    yield* closeSoon(scope, board.connections)
  }
)

const live = Effect.fnUntraced(
  function*(board: Board, server: ReadServer, slots: Semaphore.Semaphore, scope: Scope.Scope) {
    const state = yield* Scope.provide(connectServer(server, slots), scope)
    yield* setState(board, server.name, () => state)
    if (state._tag === "Connected") yield* watchServer(board, server.name, state.session)
  }
)

const giveUp = (board: Board, server: ReadServer, defect: unknown) =>
  Effect.flatMap(
    Effect.flip(broken(server.name, "initialize", (text) => text, defect)),
    (error) =>
      setState(
        board,
        server.name,
        (state) => state._tag === "Connected" ? { ...state, failure: error } : failed(server, error)
      )
  )

/** A server that failed may be stubborn; nobody has to wait for its end but the close of the whole source. */
const closeSoon = (scope: Scope.Closeable, connections: Scope.Scope) =>
  Effect.forkIn(Scope.close(scope, Exit.void), connections, { startImmediately: true })

/** Follows one server's changes until it is gone. */
const watchServer = (board: Board, name: string, session: McpSession) =>
  Effect.raceFirst(relist(board, name, session), session.closed).pipe(
    Effect.catchTag("McpClosed", (closed) => {
      const failure = entryError(name, "connect", withStderr(`it ${closed.reason}`, closed.stderr))
      return update(board, name, (state) => ({ ...state, failure }))
    })
  )

/** One list at a time for each server, so that a late one never overwrites a newer one. */
const relist = (board: Board, name: string, session: McpSession) =>
  session.toolsChanged.pipe(
    Stream.groupedWithin(MAX_CHANGES, CHANGES_WINDOW),
    Stream.runForEach(() =>
      Effect.matchEffect(session.listTools, {
        onFailure: (error) => update(board, name, (state) => ({ ...state, listDiagnostics: [stale(name, error)] })),
        onSuccess: ({ diagnostics: listDiagnostics, tools }) =>
          update(board, name, (state) => ({ ...state, tools, listDiagnostics }))
      })
    )
  )

const stale = (name: string, error: EntryError) =>
  diagnostic(
    name,
    "warning",
    "list-not-updated",
    `its list changed, but can't be read, so the old one stays: ${error.detail}`
  )

const update = (board: Board, name: string, change: (state: Connected) => Connected) =>
  setState(board, name, (state) => state._tag === "Connected" ? change(state) : state)

/** Two servers may change at once, and names are given over all of them. A state that breaks that is not kept. */
const setState = (board: Board, name: string, change: (state: ServerState) => ServerState) =>
  board.lock.withPermit(Effect.suspend(() => {
    const state = board.states.get(name)
    if (state === undefined) return Effect.void
    const next = change(state)
    return Effect.flatMap(board.toEntries(new Map(board.states).set(name, next)), (entries) => {
      board.states.set(name, next)
      return SubscriptionRef.set(board.entries, entries)
    })
  }))

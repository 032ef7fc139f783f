/** All servers of a source: each has one life at a time, and an operation on it ends that life and begins the next. */
import type { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import * as Suggestion from "@effect-toolnexus/core/Suggestion"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { McpServerDefinition } from "../McpConfig.ts"
import { McpUnknownServer } from "../McpError.ts"
import type { McpSession } from "../McpSession.ts"
import { makeServing } from "./callTool.ts"
import { entryError } from "./entryError.ts"
import { enabledServer, isSwitchedOn, readDefinition, type ReadServer, readServers, switched } from "./readServers.ts"
import type { Run } from "./run.ts"
import { makeBoard, type ServerBoard } from "./serverBoard.ts"
import { makeSlots } from "./spawnSlots.ts"
import { announce, type Beginning, type Supervised, superviseServer } from "./superviseServer.ts"

type Platform = ChildProcessSpawner | FileSystem.FileSystem | HttpConnections | Path.Path

export const makeServers = Effect.fnUntraced(
  function*(definitions: Iterable<readonly [name: string, definition: McpServerDefinition]>) {
    const sorted = readServers(definitions)
    const servers: Servers = {
      board: yield* makeBoard(sorted),
      slots: yield* makeSlots,
      run: yield* FiberSet.makeRuntime(),
      lock: yield* Semaphore.make(1),
      platform: yield* Effect.context<Platform>(),
      managed: new Map(),
      // made last, and so closed first: a server that we close is none that was lost
      lives: yield* Scope.fork(yield* Effect.scope, "parallel")
    }
    yield* Scope.addFinalizer(
      servers.lives,
      Effect.sync(() => servers.managed.forEach(({ supervised }) => endCalls(supervised)))
    )
    yield* Effect.forEach(sorted, (given) => begin(servers, supervise(servers, given), "first"), { discard: true })
    return servers
  }
)

export interface Servers {
  readonly board: ServerBoard
  readonly slots: Semaphore.Semaphore
  readonly run: Run
  /** Held while a life is put in the place of another, not while it goes on. */
  readonly lock: Semaphore.Semaphore
  /** What connecting takes, whoever asks for it. */
  readonly platform: Context.Context<Platform>
  readonly managed: Map<string, Managed>
  readonly lives: Scope.Scope
}

interface Managed {
  /** Nothing of a server that is being removed. */
  readonly supervised: Supervised | undefined
  readonly life: Fiber.Fiber<void>
  /** Done with its first connection. */
  readonly connected: Deferred.Deferred<void>
}

const supervise = ({ board, run, slots }: Servers, given: ReadServer): Supervised => {
  const server = enabledServer(given)
  return { board, slots, given, serving: server === undefined ? undefined : makeServing(server, run) }
}

/** The live sessions. */
export const connections = ({ board }: Servers): Effect.Effect<ReadonlyMap<string, McpSession>> =>
  Effect.map(
    board.states,
    (states) =>
      new Map([...states].flatMap(([name, state]): ReadonlyArray<readonly [string, McpSession]> => {
        const session = state._tag === "Listed" ? state.serving.session.now : undefined
        return session === undefined ? [] : [[name, session]]
      }))
  )

/** What the servers said about how to use them, also those that are being repaired. */
export const instructions = ({ board }: Servers): Effect.Effect<ReadonlyMap<string, string>> =>
  Effect.map(
    board.states,
    (states) =>
      new Map([...states].flatMap(([name, state]): ReadonlyArray<readonly [string, string]> => {
        const said = state._tag === "Listed" ? state.greeting.instructions : undefined
        return said === undefined ? [] : [[name, said]]
      }))
  )

export const addServer = (servers: Servers, name: string, definition: McpServerDefinition) =>
  Effect.suspend(() => settle(servers, supervise(servers, readDefinition(name, definition)), "first"))

export const reconnectServer = (servers: Servers, name: string) =>
  Effect.flatMap(findServer(servers, name), (supervised) => settle(servers, supervised, "again"))

export const setServerEnabled = (servers: Servers, name: string, enabled: boolean) =>
  Effect.flatMap(findServer(servers, name), (supervised) =>
    isSwitchedOn(supervised.given) === enabled
      ? Effect.andThen(settled(servers, name), entryOf(servers, name))
      : settle(servers, supervise(servers, switched(supervised.given, enabled)), "first"))

export const removeServer = (servers: Servers, name: string): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const { board, managed } = servers
    const before = managed.get(name)
    if (before === undefined) return Effect.succeed(false)
    // somebody else is at it
    if (before.supervised === undefined) return Effect.as(Fiber.await(before.life), false)
    const removed = replace(servers, name, undefined, board.update(name, () => undefined), () => forget(servers, name))
    return Effect.as(Effect.flatMap(removed, Fiber.await), true)
  })

/** Unless it was added again meanwhile. */
const forget = ({ managed }: Servers, name: string) =>
  Effect.sync(() => {
    if (managed.get(name)?.supervised === undefined) managed.delete(name)
  })

export const findServer = ({ managed }: Servers, name: string): Effect.Effect<Supervised, McpUnknownServer> =>
  Effect.suspend(() => {
    const supervised = managed.get(name)?.supervised
    if (supervised !== undefined) return Effect.succeed(supervised)
    return Effect.fail(
      new McpUnknownServer({ server: name, suggestions: Suggestion.closest(name, [...managed.keys()], 3) })
    )
  })

/** Begins a life, and waits until its entry has settled. Whoever stops waiting stops nothing else. */
const settle = (servers: Servers, supervised: Supervised, beginning: Beginning) => {
  const { name } = supervised.given
  return begin(servers, supervised, beginning).pipe(
    Effect.andThen(settled(servers, name)),
    Effect.andThen(entryOf(servers, name))
  )
}

/** Also where another life has taken its place meanwhile. */
const settled = (servers: Servers, name: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const managed = servers.managed.get(name)
    if (managed === undefined) return Effect.void
    return Effect.andThen(
      Effect.raceFirst(Deferred.await(managed.connected), Fiber.await(managed.life)),
      Effect.suspend(() => servers.managed.get(name) === managed ? Effect.void : settled(servers, name))
    )
  })

/** Of one that was removed meanwhile there is nothing left. */
const entryOf = ({ board }: Servers, name: string): Effect.Effect<SourceEntry.SourceEntry> =>
  Effect.map(
    SubscriptionRef.get(board.entries),
    (entries) => entries.find((entry) => entry.name === name) ?? SourceEntry.disabled(name)
  )

const begin = (servers: Servers, supervised: Supervised, beginning: Beginning) =>
  replace(
    servers,
    supervised.given.name,
    supervised,
    announce(supervised, beginning),
    (connected) => superviseServer({ ...supervised, beginning, connected })
  )

/** The new life is announced at once, and begins when the one before has ended, with everything it had opened. */
const replace = (
  { lives, lock, managed, platform }: Servers,
  name: string,
  supervised: Supervised | undefined,
  announcement: Effect.Effect<void>,
  makeLife: (connected: Managed["connected"]) => Effect.Effect<void, never, Platform>
) =>
  lock.withPermit(Effect.uninterruptible(Effect.gen(function*() {
    const connected = Deferred.makeUnsafe<void>()
    const announced = Deferred.makeUnsafe<void>()
    const before = managed.get(name)
    const isOver = before === undefined ? Effect.void : Fiber.await(before.life)
    const life = Effect.andThen(
      Effect.andThen(Deferred.await(announced), isOver),
      Effect.interruptible(Effect.provideContext(makeLife(connected), platform))
    )
    // from its first step on: who is interrupted while it waits must have waited all the same
    const fiber = yield* Effect.forkIn(life, lives, { uninterruptible: true })
    managed.set(name, { supervised, life: fiber, connected })
    if (before !== undefined) {
      beginEnd(before, supervised)
      yield* announcement
    }
    Deferred.doneUnsafe(announced, Effect.void)
    return fiber
  })))

/** Whoever comes next waits until the process is gone; the calls are told at once. */
const beginEnd = ({ life, supervised }: Managed, next: Supervised | undefined) => {
  life.interruptUnsafe()
  if (supervised?.serving !== next?.serving) endCalls(supervised)
}

/** Calls that wait for a repair are told that none will come. */
const endCalls = (supervised: Supervised | undefined) =>
  supervised?.serving?.session.close(entryError(supervised.given.name, "connect", "it was closed"))

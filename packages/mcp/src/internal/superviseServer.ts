/**
 * The life of one server: its first connection, which decides, and then each repair. A connection is closed before the
 * next one is made, so that a server never runs twice; whoever interrupts a life closes it, and nothing more is started.
 */
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import * as Text from "@effect-toolnexus/core/Text"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { McpSession } from "../McpSession.ts"
import { broken } from "./broken.ts"
import type { Serving } from "./callTool.ts"
import { type Connection, connectServer } from "./connectServer.ts"
import { diagnostic, entryError, withStderr } from "./entryError.ts"
import { elapsedMillis } from "./liveClock.ts"
import { diagnosticsOf, type ReadServer } from "./readServers.ts"
import { isLasting, MAX_REPAIRS, repairDelay } from "./repair.ts"
import type { ServerBoard } from "./serverBoard.ts"
import {
  connecting,
  isConnecting,
  type Listed,
  type ServerState,
  type Trouble,
  troubled,
  unlisted
} from "./serverState.ts"

/** A server, and what its lives share. */
export interface Supervised {
  readonly board: ServerBoard
  readonly slots: Semaphore.Semaphore
  readonly given: ReadServer
  /** How calls reach it; nothing where it can't be connected at all. */
  readonly serving: Serving | undefined
}

/** How a life begins: the first attempt of `first` decides, `again` is as persistent as a repair. */
export type Beginning = "first" | "again"

export interface Life extends Supervised {
  readonly beginning: Beginning
  /** Done with the first connection. */
  readonly connected: Deferred.Deferred<void>
}

/** Whatever breaks on the way, its entry settles. */
export const superviseServer = (life: Life) =>
  Effect.catchDefect(live(life), (defect) =>
    Effect.flatMap(
      Effect.flip(broken(life.given.name, "initialize", (text) => text, defect)),
      (error) => giveUp(life, { error, isRepaired: false })
    ))

const live = (life: Life) => {
  const { beginning, serving } = life
  if (serving === undefined) return announce(life, beginning)
  return Effect.andThen(
    announce(life, beginning),
    connections({ ...life, serving }, beginning === "first" ? undefined : 0)
  )
}

/** What the entry says from the beginning of a life on, also while the one before is still ending. */
export const announce = (supervised: Supervised, beginning: Beginning): Effect.Effect<void> => {
  const { board, given, serving } = supervised
  const { name, normalized } = given
  if (Result.isFailure(normalized)) {
    const { error } = normalized.failure
    // what stood in its place before is gone, with its tools
    return board.update(name, () => troubled(undefined, given, { error, isRepaired: false }))
  }
  if (serving === undefined) return board.update(name, () => unlisted(SourceEntry.disabled(name)))
  return beginning === "first"
    ? board.update(name, (before) => isConnecting(before) ? before : connecting(given))
    : repair({ ...supervised, serving }, { error: asked(name), isRepaired: true })
}

const asked = (name: string) => entryError(name, "connect", "its host asked to connect it anew")

/** Of a server that can be connected. */
interface Connecting extends Life {
  readonly serving: Serving
}

/** Calls wait from now on. */
const repair = (life: Supervised & { readonly serving: Serving }, trouble: Trouble) => {
  life.serving.session.lost(trouble.error)
  return report(life, trouble)
}

/** Calls fail from now on. */
const giveUp = (life: Life, trouble: Trouble) => {
  life.serving?.session.ended(trouble.error)
  return report(life, trouble)
}

const report = ({ board, given }: Supervised, trouble: Trouble) =>
  board.update(given.name, (before) => troubled(before, given, trouble))

/** One after the other, until one isn't repaired. `before`: how many repairs in a row; none where it never was connected. */
const connections = Effect.fnUntraced(function*(life: Connecting, before: number | undefined) {
  let repairs = before
  while (true) {
    // its end is reported before it is closed, which a stubborn process can make long
    const next = yield* Effect.scoped(Effect.flatMap(connection(life), (loss) => settle(life, loss, repairs)))
    if (next === undefined) return
    yield* pause(next.delay, life.serving)
    repairs = next.repairs
  }
})

/** A call that waits isn't made to wait for a long delay to end. */
const SHORTEST_PAUSE_MILLIS = 1000

const pause = (delay: number, { session }: Serving) =>
  delay <= SHORTEST_PAUSE_MILLIS
    ? Effect.sleep(delay)
    : Effect.andThen(
      Effect.sleep(SHORTEST_PAUSE_MILLIS),
      Effect.raceFirst(Effect.sleep(delay - SHORTEST_PAUSE_MILLIS), session.wanted)
    )

/** How a connection ended, and for how many milliseconds there was one. */
interface Loss {
  readonly error: SourceEntry.EntryError
  readonly lasted?: number
  /** The server is well, and has only forgotten us. */
  readonly isExpired?: boolean
}

const connection = (life: Connecting) =>
  Effect.matchEffect(connectServer(life.serving.server, life.slots), {
    onFailure: (error) => Effect.succeed<Loss>({ error }),
    onSuccess: (made) => hold(life, made)
  })

const hold = Effect.fnUntraced(function*(life: Connecting, { diagnostics, list, session }: Connection) {
  const { board, given, serving } = life
  const clock = yield* Clock.Clock
  const since = elapsedMillis(clock)
  serving.session.connected(session)
  yield* board.update(given.name, (before): Listed => ({
    _tag: "Listed",
    serving,
    greeting: session,
    tools: list.tools,
    startDiagnostics: [...diagnosticsOf(given), ...diagnostics],
    repairDiagnostics: repairedDiagnostics(before),
    listDiagnostics: list.diagnostics
  }))
  Deferred.doneUnsafe(life.connected, Effect.void)
  const closed = yield* Effect.flip(Effect.raceFirst(followList(life, session), session.closed))
  const loss: Loss = {
    error: entryError(given.name, "connect", withStderr(`it ${closed.reason}`, closed.stderr)),
    lasted: elapsedMillis(clock) - since,
    isExpired: closed.isExpired === true
  }
  return loss
})

/** A burst of `list_changed` is one change: servers send one for each tool they add. */
const CHANGES_WINDOW = "50 millis"
const MAX_CHANGES = 1000

/** A server that says it without end is asked no more often than that. */
const CHANGES_PAUSE = "500 millis"

/** One list at a time for each server, so that a late one never overwrites a newer one. */
const followList = (life: Connecting, session: McpSession) =>
  session.toolsChanged.pipe(
    Stream.groupedWithin(MAX_CHANGES, CHANGES_WINDOW),
    Stream.runForEach(() => Effect.andThen(readAgain(life, session), Effect.sleep(CHANGES_PAUSE))),
    Effect.andThen(Effect.never)
  )

const readAgain = (life: Connecting, session: McpSession) =>
  Effect.matchEffect(session.listTools, {
    onFailure: (error) => updateListed(life, (state) => ({ ...state, listDiagnostics: [stale(error)] })),
    onSuccess: ({ diagnostics: listDiagnostics, tools }) =>
      updateListed(life, (state) => ({ ...state, tools, listDiagnostics }))
  })

const stale = ({ detail, entry }: SourceEntry.EntryError) =>
  diagnostic(
    entry,
    "warning",
    "list-not-updated",
    `its list changed, but can't be read, so the old one stays: ${detail}`
  )

const updateListed = ({ board, given }: Supervised, change: (state: Listed) => Listed) =>
  board.update(given.name, (state) => state?._tag === "Listed" ? change(state) : state)

/** What follows a lost connection: the next one, and when; nothing where it isn't repaired. */
const settle = Effect.fnUntraced(function*(life: Connecting, loss: Loss, before: number | undefined) {
  const { error, isExpired = false, lasted } = loss
  const { name } = life.given
  if (lasted === undefined && before === undefined) return yield* giveUp(life, { error, isRepaired: false })
  // one that forgets each session as soon as it has given it is no server that is well
  const isForgetful = isExpired && (before ?? 0) > 0 && lasted !== undefined && lasted < FORGETFUL_MILLIS
  const isFresh = isExpired ? !isForgetful : lasted !== undefined && isLasting(life.serving.server, lasted)
  const repairs = isFresh ? 1 : (before ?? 0) + 1
  if (repairs > MAX_REPAIRS && !isAway(life, loss)) {
    return yield* giveUp(life, { error, isRepaired: false, note: gaveUp(name) })
  }
  // what its configuration asks for isn't there, or nobody has logged in, and won't have a moment later
  if (error.phase === "config" || error.challenge !== undefined) {
    return yield* giveUp(life, { error, isRepaired: false })
  }
  const delay = isExpired && isFresh ? 0 : yield* repairDelay(repairs)
  yield* repair(life, { error, isRepaired: true, note: nextAttempt(error, repairs, delay) })
  return { delay, repairs }
})

/** A session that was forgotten after less, once more. */
const FORGETFUL_MILLIS = 1000

/** A server elsewhere may be away for long, and asking whether it is back costs next to nothing: that is never given up. */
const isAway = ({ serving }: Connecting, { error, lasted }: Loss): boolean =>
  serving.server._tag === "Remote" && error.phase === "connect" && lasted === undefined

const nextAttempt = ({ detail, entry }: SourceEntry.EntryError, repairs: number, delay: number) =>
  diagnostic(
    entry,
    "info",
    "reconnecting",
    `${Text.cut(detail, SHOWN_CAUSE, "...")}; attempt ${repairs} to connect it again follows in ${delay} ms`
  )

/** The rest is in the error of whoever waits for it. */
const SHOWN_CAUSE = 500

const gaveUp = (name: string) =>
  diagnostic(
    name,
    "warning",
    "gave-up",
    `${MAX_REPAIRS} attempts in a row led to no connection that lasted; McpSource.reconnect begins anew`
  )

/** Who was repaired says why that was needed; a host that asked for it knows. */
const repairedDiagnostics = (before: ServerState | undefined) => {
  if (before?._tag !== "Listed" || before.trouble?.note === undefined) return []
  const { detail, entry } = before.trouble.error
  return [diagnostic(entry, "warning", "reconnected", `it was connected again: ${detail}`)]
}

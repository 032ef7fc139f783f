/**
 * A check that whatever a program opened is closed: no process of its making lives on, and no more handles, timers or
 * listeners on `process` are there than before. Put it around everything that opens something.
 *
 * **Details**
 *
 * Processes are found by the process table: descendants of this process; members of the group or session of any child
 * started meanwhile (a grandchild whose parent died is found by that); and, where a child was started meanwhile, orphans in
 * this process's own group. Handles and timers are those made meanwhile that keep the event loop alive.
 *
 * **Gotchas**
 *
 * - A grandchild that gives itself a session (`setsid`) and whose parent has died can't be told from a stranger.
 * - Where a child was started, an orphan in our group may be that of another worker of the test runner. Children in a
 *   group of their own, as MCP servers have it, leave none there.
 * - On Windows only handles and listeners are looked at.
 * - Whatever else runs in the same process at the same time is counted too: not for concurrent tests.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Handles from "./internal/handles.ts"
import * as ProcessTable from "./internal/processTable.ts"
import { nextTurn, sleep } from "./internal/realTime.ts"
import * as Spawned from "./internal/spawned.ts"

/**
 * What kind of handle is left, how many of them, and where in the program they were made, as far as that can be told.
 * Kinds are named as `node:async_hooks` has them (`Timeout`, `TCPSERVERWRAP`); a listener on `process` is the kind
 * `process.on(EVENT)`.
 *
 * @category models
 * @since 0.1.0
 */
export const LeftResource = Schema.Struct({
  kind: Schema.String,
  count: Schema.Int,
  madeAt: Schema.optionalKey(Schema.String)
})

/**
 * @category models
 * @since 0.1.0
 */
export interface LeftResource extends Schema.Schema.Type<typeof LeftResource> {}

/**
 * Something is still there.
 *
 * **Gotchas**
 *
 * A command line is shown as the process table has it, cut at 200 characters: it may hold what the test put there.
 *
 * @category errors
 * @since 0.1.0
 */
export class SomethingLeft
  extends Schema.TaggedError<SomethingLeft>("@effect-toolnexus/testing/NothingLeft/SomethingLeft")("SomethingLeft", {
    processes: Schema.Array(Schema.Struct({ pid: Schema.Int, command: Schema.String })),
    resources: Schema.Array(LeftResource)
  })
{
  override get message(): string {
    return [
      "Something was left behind:",
      ...this.processes.map(({ command, pid }) => `  process ${pid}: ${command}`),
      ...this.resources.map(({ count, kind, madeAt }) =>
        `  ${count} more of ${kind}${madeAt === undefined ? "" : `, made at ${madeAt}`}`
      )
    ].join("\n")
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** How long things may take to go away, in milliseconds of real time. Default: 3000. */
  readonly grace?: number
  /** Kinds of resources that may grow, e.g. what a foreign library makes once and keeps. Default: none. */
  readonly ignore?: ReadonlyArray<string>
}

/**
 * Runs an effect in a scope of its own and fails with {@link SomethingLeft} if, after the grace period, anything is
 * there that wasn't before. It looks also where the effect fails; the effect's own failure then comes first.
 *
 * **Example**
 *
 * ```ts
 * it.live("closes everything", () => assertNothingLeft(program))
 * ```
 *
 * @category assertions
 * @since 0.1.0
 */
export const assertNothingLeft = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  options?: Options
): Effect.Effect<A, E | SomethingLeft, Exclude<R, Scope.Scope>> =>
  Effect.scoped(Effect.gen(function*() {
    const watch: Watch = {
      processes: new Set((yield* ProcessTable.readAll).map(ProcessTable.identity)),
      listeners: countListeners(),
      spawned: yield* Spawned.record,
      handles: yield* Handles.record
    }
    const exit = yield* Effect.exit(Effect.scoped(effect))
    const left = yield* awaitNothingLeft(watch, options)
    if (left === undefined) return yield* exit
    return yield* Exit.isFailure(exit) ? Effect.failCause(Cause.combine(exit.cause, Cause.fail(left))) : left
  }))

/**
 * Whether a process lives. One that has ended but isn't reaped yet counts as dead.
 *
 * @category getters
 * @since 0.1.0
 */
export const alive = (pid: number): Effect.Effect<boolean> => ProcessTable.isAlive(pid)

/**
 * Waits until none of the processes lives; gives those that still do after `grace` milliseconds.
 *
 * @category getters
 * @since 0.1.0
 */
export const awaitDead = Effect.fnUntraced(function*(pids: ReadonlyArray<number>, grace: number = DEFAULT_GRACE) {
  let living = yield* Effect.filter(pids, alive)
  for (let waited = 0; living.length > 0 && waited < grace; waited += POLL_EVERY) {
    yield* sleep(POLL_EVERY)
    living = yield* Effect.filter(pids, alive)
  }
  return living
})

/** Closing a stubborn server takes up to 2.5 s. */
const DEFAULT_GRACE = 3000

const POLL_EVERY = 25

/** What was there before, and what came since. */
interface Watch {
  readonly processes: ReadonlySet<string>
  readonly listeners: ReadonlyMap<string, number>
  readonly spawned: Effect.Effect<ReadonlySet<number>>
  readonly handles: Effect.Effect<ReadonlyArray<Handles.Handle>>
}

const countListeners = (): ReadonlyMap<string, number> =>
  new Map(process.eventNames().map((event) => [`process.on(${String(event)})`, process.listenerCount(event)]))

const awaitNothingLeft = Effect.fnUntraced(function*(
  watch: Watch,
  { grace = DEFAULT_GRACE, ignore = [] }: Options = {}
) {
  for (let waited = 0;; waited += POLL_EVERY) {
    yield* nextTurn
    const processes = yield* leftProcesses(watch)
    const resources = [...leftHandles(yield* watch.handles), ...leftListeners(watch)]
      .filter(({ kind }) => !ignore.includes(kind))
    if (processes.length === 0 && resources.length === 0) return undefined
    if (waited >= grace) return new SomethingLeft({ processes, resources })
    yield* sleep(POLL_EVERY)
  }
})

const leftHandles = (handles: ReadonlyArray<Handles.Handle>): ReadonlyArray<LeftResource> => {
  const groups = Map.groupBy(handles, ({ kind, madeAt }) => `${kind} ${madeAt}`)
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { kind, madeAt } = first
    return [{ kind, count: others.length + 1, ...(madeAt === "" ? {} : { madeAt }) }]
  })
}

const leftListeners = (watch: Watch): ReadonlyArray<LeftResource> =>
  [...countListeners()].flatMap(([kind, count]) => {
    const more = count - (watch.listeners.get(kind) ?? 0)
    return more > 0 ? [{ kind, count: more }] : []
  })

const MAX_COMMAND = 200

const leftProcesses = Effect.fnUntraced(function*(watch: Watch) {
  const now = yield* ProcessTable.readAll
  const spawned = yield* watch.spawned
  const byPid = new Map(now.map((row) => [row.pid, row]))
  return now
    .filter((row) => !row.isZombie && !watch.processes.has(ProcessTable.identity(row)) && isOurs(row, byPid, spawned))
    .map(({ command, pid }) => ({ pid, command: command.slice(0, MAX_COMMAND) }))
})

const isOurs = (row: ProcessTable.Row, byPid: ReadonlyMap<number, ProcessTable.Row>, spawned: ReadonlySet<number>) =>
  spawned.has(row.group) || spawned.has(row.session) || isDescendant(row, byPid) ||
  // other programs in our group, such as the other workers of a test runner, have orphans too
  (spawned.size > 0 && isOrphanOfOurGroup(row, byPid))

const isDescendant = (row: ProcessTable.Row, byPid: ReadonlyMap<number, ProcessTable.Row>): boolean => {
  const seen = new Set<number>()
  let ancestor = byPid.get(row.parent)
  while (ancestor !== undefined && !seen.has(ancestor.pid)) {
    if (ancestor.pid === process.pid) return true
    // the table isn't read in one moment, so a chain of parents may close on itself
    seen.add(ancestor.pid)
    ancestor = byPid.get(ancestor.parent)
  }
  return false
}

/** A child that wasn't detached shares our group, and so do its own children; an orphan's parent is a stranger. */
const isOrphanOfOurGroup = (row: ProcessTable.Row, byPid: ReadonlyMap<number, ProcessTable.Row>): boolean => {
  const group = byPid.get(process.pid)?.group
  return row.pid !== process.pid && row.group === group && byPid.get(row.parent)?.group !== group
}

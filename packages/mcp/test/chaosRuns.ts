/**
 * Runs of calls over connections on which everything may happen, whatever they are made of: two servers, each with chaos
 * of its own, three waves of calls, and a host that acts in the middle of them.
 */
import type { SourceEntry } from "@effect-toolnexus/core/SourceEntry"
import type { McpConfig, McpSource } from "@effect-toolnexus/mcp"
import { assertNothingLeft, type Chaos } from "@effect-toolnexus/testing"
import { assert } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { callOf, isAnswer, makeCalls, MARGIN, measureLateness, type Outcome, problemsOf, run } from "./chaosCalls.ts"
import { entryOf, open, type Opened, platform } from "./support.ts"

export const SEEDS = Number(process.env["SEEDS"] ?? 4)
export const FIRST_SEED = Number(process.env["FIRST_SEED"] ?? 1)

/** Runs mostly wait, so several go at once. */
const AT_ONCE = 4
/** From so many on, it may take its time. */
export const LONG = 25
export const TIMEOUT = 60_000 + SEEDS * 30_000
export const CALLS = 40

/** Eight attempts, each after up to twice the time of the one before, and what each may take. */
const REPAIRED_WITHIN = "2 minutes"

/** How a run goes: what befalls messages, and what the host does meanwhile. */
export interface Kind {
  readonly limits: McpConfig.Limits
  readonly rates: Partial<Chaos.Rates>
  /** So many messages of each direction nothing befalls. */
  readonly spare: (seed: number) => number
  /** What the host does in the middle of it, one for each seed by turns. */
  readonly actions: Arr.NonEmptyReadonlyArray<Action>
}

type Action = (source: McpSource["Service"], definition: McpConfig.McpServerDefinition) => Effect.Effect<unknown>

/** A host that restarts its server, twice at once, and impatiently; that switches it off and on; and takes it away. */
const actions: Arr.NonEmptyReadonlyArray<Action> = [
  (source) => Effect.orDie(source.reconnect("b")),
  (source) => Effect.orDie(Effect.all([source.reconnect("b"), source.reconnect("b")], { concurrency: 2 })),
  (source) => Effect.timeoutOption(Effect.orDie(source.reconnect("b")), "20 millis"),
  (source) => Effect.orDie(Effect.andThen(source.setEnabled("b", false), source.setEnabled("b", true))),
  (source, definition) => Effect.andThen(source.remove("b"), source.add("b", definition))
]

/** The servers of one run, and what they have to complain about when it is over. */
export interface ChaosServers {
  readonly servers: { readonly a: McpConfig.McpServerDefinition; readonly b: McpConfig.McpServerDefinition }
  readonly problems: () => ReadonlyArray<string>
}

export type MakeServers = (
  kind: Kind,
  seed: number
) => Effect.Effect<ChaosServers, unknown, FileSystem.FileSystem | Scope.Scope>

/** Every fourth seed spares not even the handshake. */
export const rough: Kind = {
  limits: { startup: 2500, list: 2000, call: 500, total: 1200 },
  rates: {},
  spare: (seed) => seed % 4 === 0 ? 0 : 4,
  actions
}

/** Nothing is lost, so nothing may be missing. */
export const gentle: Kind = {
  limits: { startup: 10_000, list: 10_000, call: 10_000, total: 10_000 },
  rates: { delay: 0.05, split: 0.25, join: 0.25, duplicate: 0.1, noise: 0.1, drop: 0, garble: 0, cut: 0 },
  spare: () => 0,
  actions: [() => Effect.void]
}

/** No connection lasts for more than a few calls. */
export const hopeless: Kind = {
  ...rough,
  limits: { ...rough.limits, call: 3000, total: 4000 },
  rates: { cut: 0.5 },
  spare: () => 4
}

/** The entries once no server is on its way or under repair. */
const settled = ({ ref }: Opened) =>
  SubscriptionRef.changes(ref).pipe(
    Stream.filter((entries) => entries.every(({ _tag }) => _tag !== "Connecting" && _tag !== "Reconnecting")),
    Stream.runHead,
    Effect.map(Option.getOrElse((): ReadonlyArray<SourceEntry> => [])),
    Effect.timeout(REPAIRED_WITHIN)
  )

/** Calls in a row that tell whether a server answers, and how often they are made: it may be lost once more meanwhile. */
const PROBES = 5
const ROUNDS = 4

/** A connected server answers, the calls of a failed one are unavailable at once. */
export const problemsOfServer = Effect.fnUntraced(function*(opened: Opened, name: string, { limits }: Kind) {
  let seen = ""
  for (let round = 0; round < ROUNDS; round++) {
    const entry = entryOf(yield* settled(opened), name)
    if (entry._tag !== "Loaded" && entry._tag !== "Failed") return [`${name} ended as ${entry._tag}`]
    const tool = entry.tools.find(({ origin }) => origin.name === "echo")
    // its first start has failed
    if (tool === undefined && entry._tag === "Failed") return []
    if (tool === undefined) return [`${name} is connected without its tool`]
    const outcomes = yield* Effect.forEach(Arr.range(1, PROBES), (probe) => run(callOf(tool, `${round}.${probe}`)))
    const problems = outcomes.flatMap((outcome) => problemsOf(outcome, limits.total))
    if (problems.length > 0) return problems
    const isAsItSays = entry._tag === "Loaded"
      ? outcomes.some(isAnswer)
      : outcomes.every(({ result, took }) => result === "ToolUnavailable" && took < MARGIN)
    if (isAsItSays) return []
    seen += `; ${entry._tag}: ${outcomes.map(({ result }) => result).join(", ")}`
  }
  return [`${name} isn't what its entry says${seen}`]
})

const runSeed = Effect.fnUntraced(
  function*(kind: Kind, makeServers: MakeServers, seed: number) {
    const { problems: problemsOfServers, servers } = yield* makeServers(kind, seed)
    const opened = yield* open(servers)
    const act = Arr.getUnsafe(kind.actions, seed % kind.actions.length)(opened.source, servers.b)
    const wave = Effect.fnUntraced(function*(label: string) {
      const listed = (yield* settled(opened)).flatMap((entry) => entry.tools)
      return yield* Effect.forEach(makeCalls(listed, label, CALLS), run, { concurrency: "unbounded" })
    })
    const outcomes = [...yield* wave(`${seed}.first`)]
    const [second] = yield* Effect.all([wave(`${seed}.second`), Effect.delay(act, "30 millis")], { concurrency: 2 })
    outcomes.push(...second, ...yield* wave(`${seed}.third`))
    const ends = yield* Effect.forEach(["a", "b"], (name) => problemsOfServer(opened, name, kind))
    const problems = [
      ...outcomes.flatMap((outcome) => problemsOf(outcome, kind.limits.total)),
      ...ends.flat(),
      ...problemsOfServers()
    ]
    return {
      outcomes,
      entries: yield* settled(opened),
      problems: problems.map((problem) => `seed ${seed}: ${problem}`)
    }
  },
  Effect.scoped
)

/** All outcomes, and how the servers ended. A problem fails the test at once, with its seed. */
export const runSeeds = Effect.fnUntraced(function*(kind: Kind, makeServers: MakeServers) {
  const outcomes: Array<Outcome> = []
  const entries: Array<SourceEntry> = []
  for (const seeds of Arr.chunksOf(Arr.range(FIRST_SEED, FIRST_SEED + SEEDS - 1), AT_ONCE)) {
    const runs = yield* assertNothingLeft(
      Effect.andThen(
        measureLateness,
        Effect.forEach(seeds, (seed) => runSeed(kind, makeServers, seed), { concurrency: AT_ONCE })
      ).pipe(Effect.provide(platform))
    )
    assert.deepStrictEqual(runs.flatMap(({ problems }) => problems), [])
    outcomes.push(...runs.flatMap((each) => each.outcomes))
    entries.push(...runs.flatMap((each) => each.entries))
  }
  return { outcomes, entries }
})

/**
 * Calls over connections on which everything may happen. Whatever does, a call ends in its own answer or in one typed
 * error, within its limit; a server ends connected or failed; and nothing is left behind.
 *
 * `SEEDS` is how many runs there are of each kind, `FIRST_SEED` where they begin.
 */
import type { SourceEntry } from "@effect-toolnexus/core/SourceEntry"
import type { McpConfig, McpSource } from "@effect-toolnexus/mcp"
import { assertNothingLeft, type Chaos, ChaosProxy, ScriptedMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { callOf, isAnswer, makeCalls, MARGIN, type Outcome, problemsOf, run } from "./chaosCalls.ts"
import { define, entryOf, open, type Opened, platform } from "./support.ts"

const SEEDS = Number(process.env["SEEDS"] ?? 4)
const FIRST_SEED = Number(process.env["FIRST_SEED"] ?? 1)

/** Runs mostly wait, so several go at once. */
const AT_ONCE = 4
/** From so many on, it may take its time. */
const LONG = 25
const TIMEOUT = 60_000 + SEEDS * 30_000
const CALLS = 40

/** Eight attempts, each after up to twice the time of the one before, and what each may take. */
const REPAIRED_WITHIN = "2 minutes"

interface Kind {
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

/** Every fourth seed spares not even the handshake. */
const rough: Kind = {
  limits: { startup: 2500, list: 2000, call: 500, total: 1200 },
  rates: {},
  spare: (seed) => seed % 4 === 0 ? 0 : 4,
  actions
}

/** Nothing is lost, so nothing may be missing. */
const gentle: Kind = {
  limits: { startup: 10_000, list: 10_000, call: 10_000, total: 10_000 },
  rates: { delay: 0.05, split: 0.25, join: 0.25, duplicate: 0.1, noise: 0.1, drop: 0, garble: 0, cut: 0 },
  spare: () => 0,
  actions: [() => Effect.void]
}

/** No connection lasts for more than a few calls. */
const hopeless: Kind = {
  ...rough,
  limits: { ...rough.limits, call: 3000, total: 4000 },
  rates: { cut: 0.5 },
  spare: () => 4
}

const echo: ScriptedMcpServer.ScriptedTool = { name: "echo" }
const slow: ScriptedMcpServer.ScriptedTool = { name: "slow", does: [{ delay: 40 }] }
const steps: ScriptedMcpServer.ScriptedTool = { name: "steps", does: [{ progress: { count: 4, every: 8 } }] }

/** Says that its list has changed when `news` is called. Every third has to be forced to end, and isn't alone. */
const serverOf = (seed: number) =>
  ScriptedMcpServer.command({
    tools: [echo, slow, steps, { name: "news", does: [{ setTools: [echo, slow, steps, { name: "news" }] }] }],
    ...(seed % 3 === 0 ? { ignores: ["stdin", "SIGTERM"], grandchild: { ignoresSigterm: true } } : {})
  })

/** Two servers, each with chaos of its own. */
const serversOf = ({ limits, rates, spare }: Kind, seed: number, folder: string) => {
  const shaky = (name: string, index: number) => {
    const chaos = { seed: 2 * seed + index, spare: spare(seed), connections: `${folder}/${name}`, rates }
    const proxy = ChaosProxy.wrap(serverOf(seed + index), chaos)
    return define({ ...proxy, timeout: limits, shutdown: { eof: 200, term: 200 } })
  }
  return { a: shaky("a", 0), b: shaky("b", 1) }
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
const problemsOfServer = Effect.fnUntraced(function*(opened: Opened, name: string, { limits }: Kind) {
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
  function*(kind: Kind, seed: number) {
    const fs = yield* FileSystem.FileSystem
    const servers = serversOf(kind, seed, yield* fs.makeTempDirectoryScoped())
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
    const problems = [...outcomes.flatMap((outcome) => problemsOf(outcome, kind.limits.total)), ...ends.flat()]
    return {
      outcomes,
      entries: yield* settled(opened),
      problems: problems.map((problem) => `seed ${seed}: ${problem}`)
    }
  },
  Effect.scoped
)

/** All outcomes, and how the servers ended. A problem fails the test at once, with its seed. */
const runSeeds = Effect.fnUntraced(function*(kind: Kind) {
  const outcomes: Array<Outcome> = []
  const entries: Array<SourceEntry> = []
  for (const seeds of Arr.chunksOf(Arr.range(FIRST_SEED, FIRST_SEED + SEEDS - 1), AT_ONCE)) {
    const runs = yield* assertNothingLeft(
      Effect.forEach(seeds, (seed) => runSeed(kind, seed), { concurrency: AT_ONCE }).pipe(Effect.provide(platform))
    )
    assert.deepStrictEqual(runs.flatMap(({ problems }) => problems), [])
    outcomes.push(...runs.flatMap((each) => each.outcomes))
    entries.push(...runs.flatMap((each) => each.entries))
  }
  return { outcomes, entries }
})

describe("chaos on stdio", () => {
  it.live("ends each call in its own answer or one typed error, and leaves nothing", () =>
    Effect.gen(function*() {
      const { outcomes } = yield* runSeeds(rough)
      // it was chaos, and many got through it
      const results = new Set(outcomes.map(({ result }) => result))
      for (const kind of ["ToolTimeout", "ToolUnavailable", "Interrupted"]) assert.isTrue(results.has(kind), kind)
      assert.isAbove(outcomes.filter(isAnswer).length, outcomes.length / 3)
    }), TIMEOUT)

  it.live("costs no answer where nothing was lost", () =>
    Effect.gen(function*() {
      const { entries, outcomes } = yield* runSeeds(gentle)
      const missing = outcomes.filter((outcome) => !isAnswer(outcome) && outcome.call.patience === undefined)
      assert.deepStrictEqual(missing.map(({ call, result }) => `${call.text.slice(0, 20)}: ${result}`), [])
      assert.deepStrictEqual([...new Set(entries.map(({ _tag }) => _tag))], ["Loaded"])
    }), TIMEOUT)

  // eight attempts take a minute
  it.live.skipIf(SEEDS < LONG)(
    "gives up servers that are lost again and again, and tells their calls at once",
    () =>
      assertNothingLeft(
        Effect.gen(function*() {
          const fs = yield* FileSystem.FileSystem
          const opened = yield* open(serversOf(hopeless, FIRST_SEED, yield* fs.makeTempDirectoryScoped()))
          const isGivenUp = Effect.map(opened.entries, (entries) => entries.every(({ _tag }) => _tag === "Failed"))
          const calls = makeCalls((yield* opened.entries).flatMap((entry) => entry.tools), "again", CALLS)
          const outcomes: Array<Outcome> = []
          while (!(yield* isGivenUp)) {
            outcomes.push(...yield* Effect.forEach(calls, run, { concurrency: "unbounded" }))
            yield* Effect.sleep("100 millis")
          }
          const ends = yield* Effect.forEach(["a", "b"], (name) => problemsOfServer(opened, name, hopeless))
          const problems = outcomes.flatMap((outcome) => problemsOf(outcome, hopeless.limits.total))
          assert.deepStrictEqual([...problems, ...ends.flat()], [])
        }).pipe(Effect.scoped, Effect.provide(platform))
      ),
    5 * 60_000
  )
})

/**
 * Calls over connections on which everything may happen. Whatever does, a call ends in its own answer or in one typed
 * error, within its limit; a server ends connected or failed; and nothing is left behind.
 *
 * `SEEDS` is how many runs there are of each kind, `FIRST_SEED` where they begin.
 */
import { assertNothingLeft, ChaosProxy, ScriptedMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { isAnswer, makeCalls, missingOf, type Outcome, problemsOf, run } from "./chaosCalls.ts"
import {
  CALLS,
  FIRST_SEED,
  gentle,
  hopeless,
  type Kind,
  LONG,
  problemsOfServer,
  rough,
  runSeeds,
  SEEDS,
  TIMEOUT
} from "./chaosRuns.ts"
import { define, open, platform } from "./support.ts"

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
const serversOf = Effect.fnUntraced(function*({ limits, rates, spare }: Kind, seed: number) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const shaky = (name: string, index: number) => {
    const chaos = { seed: 2 * seed + index, spare: spare(seed), connections: `${folder}/${name}`, rates }
    const proxy = ChaosProxy.wrap(serverOf(seed + index), chaos)
    return define({ ...proxy, timeout: limits, shutdown: { eof: 200, term: 200 } })
  }
  return { servers: { a: shaky("a", 0), b: shaky("b", 1) }, problems: () => [] }
})

describe("chaos on stdio", () => {
  it.live("ends each call in its own answer or one typed error, and leaves nothing", () =>
    Effect.gen(function*() {
      const { outcomes } = yield* runSeeds(rough, serversOf)
      // it was chaos, and many got through it
      const results = new Set(outcomes.map(({ result }) => result))
      for (const kind of ["ToolTimeout", "ToolUnavailable", "Interrupted"]) assert.isTrue(results.has(kind), kind)
      assert.isAbove(outcomes.filter(isAnswer).length, outcomes.length / 3)
    }), TIMEOUT)

  it.live("costs no answer where nothing was lost", () =>
    Effect.gen(function*() {
      const { entries, outcomes } = yield* runSeeds(gentle, serversOf)
      assert.deepStrictEqual(missingOf(outcomes), [])
      assert.deepStrictEqual([...new Set(entries.map(({ _tag }) => _tag))], ["Loaded"])
    }), TIMEOUT)

  // eight attempts take a minute
  it.live.skipIf(SEEDS < LONG)(
    "gives up servers that are lost again and again, and tells their calls at once",
    () =>
      assertNothingLeft(
        Effect.gen(function*() {
          const opened = yield* open((yield* serversOf(hopeless, FIRST_SEED)).servers)
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

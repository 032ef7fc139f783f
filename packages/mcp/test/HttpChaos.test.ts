/**
 * Calls over HTTP on which everything may happen; see Chaos.test.ts. What is more, no call is done twice: none of the
 * tools says that this would be harmless.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isAnswer, missingOf } from "./chaosCalls.ts"
import { gentle, type Kind, rough, runSeeds, TIMEOUT } from "./chaosRuns.ts"
import { chaosServer } from "./httpChaosServer.ts"
import { define } from "./support.ts"

/** By turns they answer in bodies or in events, say again what was lost or don't, and end their streams or don't. */
const serversOf = Effect.fnUntraced(function*({ limits, rates, spare }: Kind, seed: number) {
  const shaky = Effect.fnUntraced(function*(index: number) {
    const asEvents = (seed + index) % 4 !== 0
    const server = yield* chaosServer({
      seed: 2 * seed + index,
      spare: spare(seed),
      rates,
      asEvents,
      isResumable: asEvents && seed % 2 === 0,
      isOpenEnded: asEvents && seed % 3 === 0
    })
    return { ...server, definition: define({ url: server.url, type: "http", timeout: limits }) }
  })
  const a = yield* shaky(0)
  const b = yield* shaky(1)
  return {
    servers: { a: a.definition, b: b.definition },
    problems: () => [a, b].flatMap(({ doneTwice }) => doneTwice().map((what) => `${what} was done twice`))
  }
})

/**
 * A session that is lost, or a server that is gone, costs all that is under way. Here the servers share our own process,
 * and what the machine takes for them counts as their silence.
 */
const roughHttp: Kind = {
  ...rough,
  limits: { startup: 8000, list: 6000, call: 2000, total: 4000 },
  rates: { ...rough.rates, duplicate: 0.01, drop: 0.01, garble: 0.01, cut: 0.004 }
}

/** On the way to an HTTP server these are refusals and lost sessions, which cost calls. */
const gentleHttp: Kind = { ...gentle, rates: { ...gentle.rates, duplicate: 0, noise: 0 } }

describe("chaos over HTTP", () => {
  it.live(
    "ends each call in its own answer or one typed error, does none twice, and leaves nothing",
    () =>
      Effect.gen(function*() {
        const { outcomes } = yield* runSeeds(roughHttp, serversOf)
        // it was chaos, and many got through it
        const results = new Set(outcomes.map(({ result }) => result))
        for (const kind of ["ToolTimeout", "ToolUnavailable", "Interrupted"]) {
          assert.isTrue(results.has(kind), kind)
        }
        assert.isAbove(outcomes.filter(isAnswer).length, outcomes.length / 10)
      }),
    TIMEOUT
  )

  it.live("costs no answer where nothing was lost", () =>
    Effect.gen(function*() {
      const { entries, outcomes } = yield* runSeeds(gentleHttp, serversOf)
      assert.deepStrictEqual(missingOf(outcomes), [])
      const ends = entries.map((entry) => entry._tag === "Failed" ? entry.error.message : entry._tag)
      assert.deepStrictEqual([...new Set(ends)], ["Loaded"])
    }), TIMEOUT)
})

/**
 * Many calls, with ten reconnects under way: each ends as it should, and nothing grows. `CALLS` is how many.
 */
import { assertNothingLeft, type Chaos, ChaosProxy, ScriptedMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { callOf, isAnswer, problemsOf, run } from "./chaosCalls.ts"
import { heapUsed } from "./heapUsed.ts"
import { define, isAlive, open, type Opened, platform, toolOf } from "./support.ts"

const CALLS = Number(process.env["CALLS"] ?? 1000)
const PARTS = 10
const SIZE = Math.ceil(CALLS / PARTS)
const AT_ONCE = 32

const LIMITS = { startup: 10_000, list: 10_000, call: 5000, total: 8000 }

/** Now and then a message is late, torn, doubled or lost; the ends of the connection are the test's own. */
const RATES: Partial<Chaos.Rates> = {
  delay: 0.01,
  split: 0.02,
  join: 0.02,
  duplicate: 0.01,
  noise: 0.01,
  drop: 0.0005,
  garble: 0.0005,
  cut: 0
}

/** Enough for what compiled code and caches come to; a leak of 50 bytes for each of 100,000 calls is more. */
const MAX_GROWTH = 4_000_000

/** By turns the host asks for it, and the process is ended by somebody else. */
const restart = ({ source }: Opened, pid: number, part: number) =>
  part % 2 === 0
    ? Effect.asVoid(Effect.orDie(source.reconnect("a")))
    : Effect.sync(() => void process.kill(pid, "SIGTERM"))

const pidOf = ({ source }: Opened) =>
  Effect.map(source.connections, (connections) => {
    const pid = connections.get("a")?.pid
    assert.isDefined(pid)
    return pid
  })

const soak = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const connections = `${yield* fs.makeTempDirectoryScoped()}/connections`
  const server = ChaosProxy.wrap(ScriptedMcpServer.command({ tools: [{ name: "echo" }] }), {
    seed: 1,
    spare: 4,
    rates: RATES,
    connections
  })
  const opened = yield* open({ a: define({ ...server, timeout: LIMITS }) })
  const echo = toolOf(yield* opened.entries, "a_echo")
  const heap: Array<number> = []
  const problems: Array<string> = []
  let answers = 0
  const one = (text: string) =>
    Effect.map(run(callOf(echo, text)), (outcome) => {
      problems.push(...problemsOf(outcome, LIMITS.total))
      if (!isAnswer(outcome)) return false
      answers++
      return true
    })
  for (let part = 0; part < PARTS; part++) {
    const isUnderWay = yield* Deferred.make<void>()
    const calls = Effect.forEach(
      Array.from({ length: SIZE }, (_, index) => index),
      (index) =>
        Effect.andThen(
          index === Math.floor(SIZE / 3) ? Deferred.succeed(isUnderWay, undefined) : Effect.void,
          one(`größe ${part}.${index} 😀`)
        ),
      { concurrency: AT_ONCE, discard: true }
    )
    const pid = yield* pidOf(opened)
    const restarted = Effect.andThen(Deferred.await(isUnderWay), restart(opened, pid, part))
    yield* Effect.all([calls, restarted], { concurrency: 2 })
    // the first may still reach the connection that has just been lost
    yield* Effect.repeat(one("connected again"), { until: (isAnswered) => isAnswered, times: 10 })
    // a server never runs twice
    assert.isFalse(isAlive(pid))
    heap.push(heapUsed())
  }
  return { answers, heap, problems, starts: (yield* fs.readFileString(connections)).length }
})

describe("soak", () => {
  it.live(
    `${CALLS} calls and ten reconnects: each call ends as it should, and memory stays flat`,
    () =>
      Effect.gen(function*() {
        const { answers, heap, problems, starts } = yield* assertNothingLeft(
          Effect.provide(Effect.scoped(soak), platform)
        )
        assert.deepStrictEqual(problems, [])
        assert.strictEqual(starts, PARTS + 1)
        // what is in flight at an end is lost, and little else
        assert.isAbove(answers, CALLS * 0.99 - PARTS * AT_ONCE)
        const [first = 0] = heap
        assert.isBelow((heap.at(-1) ?? 0) - first, MAX_GROWTH, `heap: ${heap.join(", ")}`)
      }),
    60_000 + CALLS * 10
  )
})

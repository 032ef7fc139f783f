import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { readFileSync } from "node:fs"
import { call, eventually, open, platform, scripted, tempFile, toolOf } from "./support.ts"

const tools = [{ name: "busy" }, { name: "never" }, { name: "echo" }]

const connected = (config: object, options: object = {}) =>
  Effect.flatMap(open({ a: scripted({ tools, ...options }, config) }), ({ entries }) => entries)

/** How many of the calls ran at once, as the server sees it. */
const peakOf = (config: object, calls: number, ms = 150) =>
  Effect.gen(function*() {
    const busy = toolOf(yield* connected(config), "a_busy")
    const results = yield* Effect.all(Array.from({ length: calls }, () => call(busy, { ms })), {
      concurrency: "unbounded"
    })
    return Math.max(...results.map(({ output }) => Number(output)))
  })

describe("maxConcurrent", () => {
  it.live("bounds the calls of one server that run at once", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* peakOf({ maxConcurrent: 2 }, 6), 2)
      assert.strictEqual(yield* peakOf({}, 6), 6)
    }).pipe(Effect.provide(platform)))

  it.live("is no silence of the server's: a call may wait for longer than that", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* peakOf({ maxConcurrent: 1, timeout: { call: 400 } }, 4, 200), 1)
    }).pipe(Effect.provide(platform)))

  it.live("counts the wait against the total", () =>
    Effect.gen(function*() {
      const entries = yield* connected({ maxConcurrent: 1, timeout: { call: 5000, total: 1600 } })
      yield* Effect.forkChild(Effect.flip(call(toolOf(entries, "a_never"))), { startImmediately: true })
      yield* Effect.sleep("800 millis")
      const started = performance.now()
      // waits for 800 ms, until the first call runs into its own total, and has only as much left
      const error = yield* Effect.flip(call(toolOf(entries, "a_never")))
      assert.deepInclude(error, { _tag: "ToolTimeout", limit: 1600, phase: "total" })
      assert.isBelow(performance.now() - started, 2300)
    }).pipe(Effect.provide(platform)))

  it.live("lets a call go that is interrupted while it waits, unseen by the server", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const entries = yield* connected({ maxConcurrent: 1 }, { log })
      const first = yield* Effect.forkChild(call(toolOf(entries, "a_never")), { startImmediately: true })
      yield* eventually(() => readFileSync(log, "utf8").includes("never"))
      const waiting = yield* Effect.forkChild(call(toolOf(entries, "a_echo"), { text: "waiting" }), {
        startImmediately: true
      })
      yield* Effect.timeout(Fiber.interrupt(waiting), "500 millis")
      yield* Fiber.interrupt(first)
      // the turn is free again
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"), { text: "next" })).output, "next")
      assert.notInclude(readFileSync(log, "utf8"), "waiting")
    }).pipe(Effect.provide(platform)))
})

describe("without a bound", () => {
  it.live("two thousand calls at once reach a server that reads them", () =>
    Effect.gen(function*() {
      const echo = toolOf(yield* connected({}), "a_echo")
      const text = "x".repeat(2000)
      const results = yield* Effect.all(
        Array.from({ length: 2000 }, (_, index) => call(echo, { text: `${index}${text}` })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.every(({ output }, index) => output === `${index}${text}`), true)
    }).pipe(Effect.provide(platform)))

  it.live("a server that has read nothing for a while is called no more", () =>
    Effect.gen(function*() {
      const entries = yield* connected({}, { tools: [{ name: "pause" }, { name: "echo" }] })
      yield* call(toolOf(entries, "a_pause"))
      const echo = Effect.flip(call(toolOf(entries, "a_echo"), { text: "x".repeat(10_000) }))
      yield* Effect.forkChild(Effect.all(Array.from({ length: 400 }, () => echo), { concurrency: "unbounded" }))
      yield* Effect.sleep("10500 millis")
      const error = yield* Effect.timeout(echo, "1 second")
      assert.deepStrictEqual([error._tag, error.message], [
        "ToolFailed",
        "it doesn't read what it is sent, and too much is waiting already"
      ])
    }).pipe(Effect.provide(platform)))
})

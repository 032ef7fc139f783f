import { McpInventory } from "@effect-toolnexus/mcp"
import { assert, describe, it } from "@effect/vitest"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { existsSync, readFileSync } from "node:fs"
import {
  call,
  define,
  eventually,
  isAlive,
  open,
  pidsIn,
  platform,
  script,
  scripted,
  tempFile,
  toolOf
} from "./support.ts"

const shell = (options: object) =>
  define({
    command: "sh",
    args: ["-c", "exec 3<&0; \"$0\" \"$1\" \"$2\" <&3 & wait", process.execPath, script, JSON.stringify(options)]
  })

const hasPids = (file: string, count: number) => eventually(() => existsSync(file) && pidsIn(file).length >= count)

/** Runs, and says how long the close took. */
const closing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    let done = 0
    yield* Effect.scoped(Effect.andThen(
      effect,
      Effect.sync(() => {
        done = performance.now()
      })
    ))
    return performance.now() - done
  })

describe("closing", () => {
  it.live("ends a polite server without a signal", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const took = yield* closing(open({ a: scripted({ log }, { shutdown: { eof: 10_000 } }) }))
      assert.isBelow(took, 5000)
      assert.include(readFileSync(log, "utf8"), "\"eof\"")
    }).pipe(Effect.provide(platform)))

  it.live.each(
    [
      { what: "stubborn servers and their grandchildren", make: (options: object) => scripted(options) },
      { what: "the same behind a shell", make: shell }
    ]
  )("ends $what within three seconds", ({ make }) =>
    Effect.gen(function*() {
      const pidFile = yield* tempFile
      const options = { pidFile, grandchild: true, ignoreEof: true, ignoreTerm: true }
      const took = yield* closing(Effect.andThen(
        open({ a: make(options), b: make(options), c: make(options) }),
        hasPids(pidFile, 6)
      ))
      assert.isBelow(took, 3000)
      assert.strictEqual(pidsIn(pidFile).length, 6)
      assert.deepStrictEqual(pidsIn(pidFile).filter(isAlive), [])
    }).pipe(Effect.provide(platform)))

  it.live("ends the group of a leader that has already gone", () =>
    Effect.gen(function*() {
      const pidFile = yield* tempFile
      yield* closing(Effect.andThen(
        open({ a: scripted({ pidFile, grandchild: true, startDelay: 300, tools: [{ name: "die" }] }) }).pipe(
          Effect.flatMap(({ entries }) => entries),
          Effect.flatMap((entries) => Effect.flip(call(toolOf(entries, "a_die"))))
        ),
        hasPids(pidFile, 2)
      ))
      assert.deepStrictEqual(pidsIn(pidFile).filter(isAlive), [])
    }).pipe(Effect.provide(platform)))

  it.live("ends a server that failed while the others live on", () =>
    Effect.gen(function*() {
      const pidFile = yield* tempFile
      const hung = { pidFile, hang: true, grandchild: true, ignoreEof: true, ignoreTerm: true }
      yield* open({ good: scripted(), hung: scripted(hung, { timeout: { startup: 500 } }) })
      yield* Effect.sleep("2500 millis")
      assert.deepStrictEqual(pidsIn(pidFile).filter(isAlive), [])
    }).pipe(Effect.provide(platform)))

  it.live("ends all when the build is interrupted", () =>
    Effect.gen(function*() {
      const pidFile = yield* tempFile
      const hung = scripted({ pidFile, hang: true, grandchild: true, ignoreEof: true, ignoreTerm: true })
      const fiber = yield* Effect.forkChild(Effect.scoped(open({ a: hung, b: hung })))
      yield* hasPids(pidFile, 4)
      const started = performance.now()
      yield* Fiber.interrupt(fiber)
      assert.isBelow(performance.now() - started, 3000)
      assert.deepStrictEqual(pidsIn(pidFile).filter(isAlive), [])
    }).pipe(Effect.provide(platform)))

  it.effect("doesn't wait for a clock that a test has stopped", () =>
    Effect.gen(function*() {
      const pidFile = yield* tempFile
      yield* Effect.scoped(open({ a: scripted({ pidFile, ignoreEof: true, ignoreTerm: true }) }))
      assert.deepStrictEqual(pidsIn(pidFile).filter(isAlive), [])
    }).pipe(Effect.provide(platform)))

  it.live("ends a server that reads nothing any more, with calls waiting to be sent", () =>
    Effect.gen(function*() {
      const text = "x".repeat(10_000)
      const took = yield* closing(Effect.gen(function*() {
        const tools = [{ name: "pause" }, { name: "echo" }]
        const { entries } = yield* open({ a: scripted({ tools }, { timeout: { call: 500 } }) })
        const settled = yield* entries
        yield* call(toolOf(settled, "a_pause"))
        const echo = Effect.flip(call(toolOf(settled, "a_echo"), { text }))
        const errors = yield* Effect.all(Array.from({ length: 2000 }, () => echo), { concurrency: "unbounded" })
        // each call has its own limit, and what it would have sent is forgotten with it
        assert.deepStrictEqual([...new Set(errors.map(({ _tag }) => _tag))], ["ToolTimeout"])
      }))
      assert.isBelow(took, 3000)
    }).pipe(Effect.provide(platform)))

  it.live("doesn't wait for a transport that never closes", () =>
    Effect.gen(function*() {
      const transport: Transport = {
        start: () => Promise.resolve(),
        send: () => Promise.resolve(),
        close: () => new Promise(() => {})
      }
      const took = yield* closing(open({ a: define({ connect: () => transport, timeout: { startup: 100 } }) }))
      assert.isBelow(took, 3000)
    }).pipe(Effect.provide(platform)))

  it.live("fails calls in flight", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.scoped(Effect.gen(function*() {
        const { entries } = yield* open({ a: scripted({ tools: [{ name: "never" }] }) })
        const tool = toolOf(yield* entries, "a_never")
        return yield* Effect.forkDetach(Effect.flip(call(tool)), { startImmediately: true })
      }))
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.message, "a_never is unavailable: mcp server \"a\" was closed")
    }).pipe(Effect.provide(platform)))

  it.live("leaves as many handles after fifty times as after the first", () =>
    Effect.gen(function*() {
      const cycle = Effect.scoped(Effect.flatMap(open({ a: scripted() }), ({ entries }) => entries))
      const settle = Effect.sleep("200 millis")
      yield* Effect.andThen(cycle, settle)
      const before = process.getActiveResourcesInfo().toSorted()
      for (let round = 0; round < 50; round++) yield* cycle
      yield* settle
      assert.deepStrictEqual(process.getActiveResourcesInfo().toSorted(), before)
    }).pipe(Effect.provide(platform)), 60_000)
})

describe("an interrupted call", () => {
  it.live("is cancelled at the other end, and the connection goes on", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const { entries } = yield* open({ a: scripted({ log, tools: [{ name: "never" }, { name: "echo" }] }) })
      const settled = yield* entries
      const fiber = yield* Effect.forkChild(call(toolOf(settled, "a_never")), { startImmediately: true })
      yield* eventually(() => readFileSync(log, "utf8").includes("tools/call"))
      yield* Fiber.interrupt(fiber)
      yield* eventually(() => readFileSync(log, "utf8").includes("notifications/cancelled"))
      assert.strictEqual((yield* call(toolOf(settled, "a_echo"), { text: "still" })).output, "still")
    }).pipe(Effect.provide(platform)))
})

describe("McpInventory", () => {
  it.live("lists everything unfiltered, and leaves nothing running", () =>
    Effect.gen(function*() {
      const pidFile = yield* tempFile
      const tools = [{ name: "x.y" }, { name: "z" }]
      const list = yield* McpInventory.list({
        servers: Object.entries({
          good: scripted({ pidFile, tools }, { tools: ["z"] }),
          bad: scripted({ pidFile, exitAtStart: 2 }),
          off: scripted({}, { disabled: true })
        })
      })
      assert.deepStrictEqual(list.map((entry) => [entry.name, entry.status, entry.tools.map(({ name }) => name)]), [
        ["bad", "failed", []],
        ["good", "connected", ["x.y", "z"]],
        ["off", "disabled", []]
      ])
      assert.include(list[0]?.error?.message, "exited with code 2")
      assert.deepStrictEqual(pidsIn(pidFile).filter(isAlive), [])
    }).pipe(Effect.provide(platform)))

  it.live("says what is odd about each, also where it failed", () =>
    Effect.gen(function*() {
      const list = yield* McpInventory.list({
        servers: Object.entries({
          cut: scripted({ tools: [{ name: "a" }, { title: "nameless" }] }),
          noisy: scripted({ noise: true }),
          odd: scripted({ exitAtStart: 2 }, { timout: 1 })
        })
      })
      assert.deepStrictEqual(list.map(({ diagnostics, status }) => [status, diagnostics.map(({ code }) => code)]), [
        ["connected", ["malformed-tool"]],
        ["connected", ["stdout-noise"]],
        ["failed", ["unknown-key"]]
      ])
    }).pipe(Effect.provide(platform)))
})

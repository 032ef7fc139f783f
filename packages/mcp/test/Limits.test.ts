import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { readFileSync } from "node:fs"
import { call, entryOf, eventually, open, platform, scripted, tempFile, toolOf } from "./support.ts"

const tools = [{ name: "never" }, { name: "progress" }, { name: "echo" }, { name: "busy" }]

const connected = (config: object, options: object = {}) =>
  Effect.flatMap(open({ a: scripted({ tools, ...options }, config) }), ({ entries }) => entries)

describe("limits", () => {
  it.live("end a call after silence; progress postpones that, but not the total", () =>
    Effect.gen(function*() {
      const entries = yield* connected({ timeout: { call: 600, total: 3000 } })
      const silent = yield* Effect.flip(call(toolOf(entries, "a_never")))
      assert.deepInclude(silent, { _tag: "ToolTimeout", limit: 600, phase: "call" })
      const kept = yield* call(toolOf(entries, "a_progress"), { steps: 5, every: 200 })
      assert.strictEqual(kept.output, "done")
      const endless = yield* Effect.flip(call(toolOf(entries, "a_progress"), { steps: 100, every: 100 }))
      assert.deepInclude(endless, { _tag: "ToolTimeout", limit: 3000, phase: "total" })
    }).pipe(Effect.provide(platform)))

  it.live("are not put off by the progress of another call", () =>
    Effect.gen(function*() {
      const entries = yield* connected({ timeout: { call: 600 } })
      const beating = yield* Effect.forkChild(call(toolOf(entries, "a_progress"), { steps: 30, every: 100 }), {
        startImmediately: true
      })
      const started = performance.now()
      const silent = yield* Effect.flip(call(toolOf(entries, "a_never")))
      assert.deepInclude(silent, { _tag: "ToolTimeout", limit: 600, phase: "call" })
      assert.isBelow(performance.now() - started, 2500)
      assert.strictEqual((yield* Fiber.join(beating)).output, "done")
    }).pipe(Effect.provide(platform)))

  it.live("may be another for a single tool, which is a limit of silence as well", () =>
    Effect.gen(function*() {
      const timeout = { call: 300, total: 400 }
      const entries = yield* connected({ timeout, toolTimeouts: { busy: 2000, never: 100, nobody: 5000 } })
      assert.strictEqual((yield* call(toolOf(entries, "a_busy"), { ms: 600 })).output, "1")
      const silent = yield* Effect.flip(call(toolOf(entries, "a_never")))
      assert.deepInclude(silent, { _tag: "ToolTimeout", limit: 100, phase: "call" })
      const noted = entryOf(entries, "a").diagnostics.map(({ code, path }) => [code, path])
      assert.deepStrictEqual(noted, [
        ["timeout-below-second", "mcpServers.x.timeout.call"],
        ["timeout-below-second", "mcpServers.x.timeout.total"],
        ["timeout-below-second", "mcpServers.x.toolTimeouts.never"],
        ["unknown-tool", "mcpServers.x.toolTimeouts"]
      ])
    }).pipe(Effect.provide(platform)))
})

describe("a call that is given up", () => {
  it.live("is cancelled once, with its own id and a reason that says nothing of ours, and initialize never is", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const entries = yield* connected({ timeout: { call: 200 } }, { log })
      yield* Effect.scoped(open({ b: scripted({ log, hang: true }, { timeout: { startup: 200 } }) }))
      const never = toolOf(entries, "a_never")
      const interrupted = yield* Effect.forkChild(call(never), { startImmediately: true })
      yield* eventually(() => readFileSync(log, "utf8").includes("tools/call"))
      yield* Fiber.interrupt(interrupted)
      yield* Effect.flip(call(never))
      yield* call(toolOf(entries, "a_echo"), { text: "after" })
      const messages = readFileSync(log, "utf8").split("\n").filter((line) => line.startsWith("{")).map((line) =>
        JSON.parse(line)
      )
      const asked = messages.filter(({ params }) => params?.name === "never").map(({ id }) => id)
      const cancelled = messages.filter(({ method }) => method === "notifications/cancelled")
      assert.deepStrictEqual(cancelled.map(({ params }) => params.requestId), asked)
      assert.deepStrictEqual(new Set(cancelled.map(({ params }) => params.reason)), new Set(["the caller gave up"]))
    }).pipe(Effect.provide(platform)))
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { readFileSync } from "node:fs"
import { call, entryOf, eventually, names, open, type Opened, platform, scripted, tempFile, toolOf } from "./support.ts"

const now = ({ ref }: Opened) => entryOf(SubscriptionRef.getUnsafe(ref), "a")

describe("a changed list", () => {
  it.live("is read again as a whole: what is new, what is gone, what is described otherwise", () =>
    Effect.gen(function*() {
      const opened = yield* open({ a: scripted({ tools: [{ name: "change" }, { name: "old" }, { name: "kept" }] }) })
      const before = yield* opened.entries
      const tools = [{ name: "new" }, { name: "kept", description: "otherwise" }, { name: "change" }]
      yield* call(toolOf(before, "a_change"), { tools, times: 1 })
      yield* eventually(() => !names(now(opened)).includes("a_old"))
      assert.deepStrictEqual(names(now(opened)), ["a_new", "a_kept", "a_change"])
      assert.strictEqual(toolOf([now(opened)], "a_kept").description, "otherwise")
      const gone = yield* Effect.flip(call(toolOf(before, "a_old")))
      assert.strictEqual(gone._tag, "ToolFailed")
    }).pipe(Effect.provide(platform)))

  it.live("is read a few times, however often the server says so", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const opened = yield* open({ a: scripted({ log, tools: [{ name: "change" }] }) })
      const change = toolOf(yield* opened.entries, "a_change")
      const tools = [{ name: "change" }, { name: "more" }]
      yield* Effect.all(Array.from({ length: 20 }, () => call(change, { tools, times: 50 })), {
        concurrency: "unbounded"
      })
      yield* eventually(() => names(now(opened)).includes("a_more"))
      yield* Effect.sleep("1 second")
      const lists = readFileSync(log, "utf8").split("\n").filter((line) => line.includes("tools/list"))
      assert.isAtMost(lists.length, 4)
    }).pipe(Effect.provide(platform)))

  it.live("that can't be read leaves the old one", () =>
    Effect.gen(function*() {
      const opened = yield* open({ a: scripted({ failSecondList: true, tools: [{ name: "grow" }] }) })
      yield* call(toolOf(yield* opened.entries, "a_grow"), { names: ["p"] })
      yield* eventually(() => now(opened).diagnostics.length > 0)
      assert.deepStrictEqual(names(now(opened)), ["a_grow"])
      assert.deepStrictEqual(now(opened).diagnostics.map(({ code }) => code), ["list-not-updated"])
    }).pipe(Effect.provide(platform)))
})

describe("a server that floods", () => {
  it.live("starves no other, costs no memory, and is closed like any", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const opened = yield* open({
        a: scripted({ log, tools: [{ name: "flood" }, { name: "echo" }] }),
        b: scripted({}, { timeout: { call: 2000 } })
      })
      const entries = yield* opened.entries
      yield* call(toolOf(entries, "a_flood"))
      const started = performance.now()
      const before = process.memoryUsage().heapUsed
      const calls = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => String(index)),
        (text) => Effect.map(call(toolOf(entries, "b_echo"), { text }), ({ output }) => output === text)
      )
      assert.isTrue(calls.every((isRight) => isRight))
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"), { text: "still" })).output, "still")
      yield* Effect.sleep("1 second")
      assert.isBelow(process.memoryUsage().heapUsed - before, 100 * 1024 * 1024)
      const lists = readFileSync(log, "utf8").split("\n").filter((line) => line.includes("tools/list"))
      assert.isAtMost(lists.length, 2 + (performance.now() - started) / 500)
    }).pipe(Effect.provide(platform)))
})

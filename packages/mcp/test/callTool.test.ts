import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { call, connected, isAlive, nested, platform, toolOf, withVariables } from "./support.ts"

describe("calls", () => {
  it.live("gives the result, or the typed error", () =>
    Effect.gen(function*() {
      const tools = ["echo", "fail", "structured", "refuse"].map((name) => ({ name }))
      const { entries } = yield* connected({ tools })
      const echoed = yield* call(toolOf(entries, "a_echo"), { text: "hällo" })
      assert.deepStrictEqual(echoed, {
        output: "hällo",
        isError: false,
        metadata: { server: "a" },
        content: [{ type: "text", text: "hällo" }]
      })
      const structured = yield* call(toolOf(entries, "a_structured"))
      assert.deepStrictEqual([structured.output, structured.structured], ["{\"answer\":42}", { answer: 42 }])
      const failed = yield* Effect.flip(call(toolOf(entries, "a_fail")))
      assert.strictEqual(failed._tag, "ToolFailed")
      assert.strictEqual(failed.message, "it went wrong")
      assert.isTrue(failed._tag === "ToolFailed" && failed.result?.isError)
      const refused = yield* Effect.flip(call(toolOf(entries, "a_refuse")))
      assert.deepStrictEqual([refused._tag, refused.message], ["ToolFailed", "no such thing"])
    }).pipe(Effect.provide(platform)))

  it.live("reports progress in order and before the result, also what comes together with it", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ tools: [{ name: "progress" }] })
      const seen: Array<number> = []
      const onProgress = ({ progress }: { readonly progress: number }) =>
        Effect.andThen(Effect.sleep(5), Effect.sync(() => void seen.push(progress)))
      yield* call(toolOf(entries, "a_progress"), { steps: 5 }, { onProgress })
      assert.deepStrictEqual(seen, [1, 2, 3, 4, 5])
    }).pipe(Effect.provide(platform)))

  it.live("fails at once when the server dies, with what it died of", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ tools: [{ name: "die" }, { name: "never" }] })
      const waiting = yield* Effect.forkChild(Effect.flip(call(toolOf(entries, "a_never"))), { startImmediately: true })
      const error = yield* Effect.flip(call(toolOf(entries, "a_die")))
      assert.strictEqual(error._tag, "ToolUnavailable")
      assert.include(error.message, "mcp server \"a\" exited with code 7; its stderr ends with:\nfatal: out of cheese")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ToolUnavailable")
    }).pipe(Effect.provide(platform)))

  it.live("fails when the server can't be written to any more", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ tools: [{ name: "deafen" }, { name: "echo" }] })
      yield* call(toolOf(entries, "a_deafen"))
      const error = yield* Effect.flip(call(toolOf(entries, "a_echo")))
      assert.strictEqual(error.message, "a_echo is unavailable: mcp server \"a\" closed its input")
    }).pipe(Effect.provide(platform)))

  it.live("fails only the call whose answer is too long", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ tools: [{ name: "huge" }] })
      const tool = toolOf(entries, "a_huge")
      for (const idLast of [false, true]) {
        const error = yield* Effect.flip(call(tool, { length: 17 * 1024 * 1024, idLast }))
        assert.include(error.message, "longer than the limit")
      }
      assert.strictEqual((yield* call(tool, { length: 2_000_000 })).output.length, 2_000_000)
    }).pipe(Effect.provide(platform)))

  it.live("takes a request of the server's that is too long for no answer to one of ours", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ tools: [{ name: "ask" }] })
      for (const idLast of [false, true]) {
        const result = yield* call(toolOf(entries, "a_ask"), { length: 17 * 1024 * 1024, idLast })
        assert.strictEqual(result.output, "asked")
      }
    }).pipe(Effect.provide(platform)))

  it.live("fails at once where the answer is none, and takes one that is nearly right", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ tools: [{ name: "raw" }] }, { env: { T: "s3cret-value" } })
      const raw = (answer: object) =>
        call(toolOf(entries, "a_raw"), { message: { jsonrpc: "2.0", id: "ID", ...answer } })
      for (
        const [answer, expected] of [
          [{ result: "hello" }, "it answered wrongly: its result is no object: \"hello\""],
          [{ error: "the key s3cret-value is old" }, "it answered wrongly: the key <redacted> is old"],
          [{ error: { message: "m".repeat(600) } }, `it answered wrongly: ${"m".repeat(600)}`],
          [{ error: nested(500) }, "it answered wrongly: too much to show"]
        ] satisfies ReadonlyArray<readonly [object, string]>
      ) {
        const error = yield* Effect.timeout(Effect.flip(raw(answer)), "5 seconds")
        assert.deepStrictEqual([error._tag, error.message], ["ToolFailed", expected])
      }
      const content = [{ type: "text", text: "fine" }]
      assert.strictEqual((yield* raw({ result: { content }, error: null })).output, "fine")
      assert.strictEqual((yield* raw({ result: { content }, more: 1 })).output, "fine")
      const refused = yield* Effect.flip(raw({ result: null, error: { code: -3, message: "no" } }))
      assert.strictEqual(refused.message, "no")
    }).pipe(Effect.provide(platform)))

  it.live("never throws an answer away because of a listener, nor waits for it for long", () =>
    Effect.gen(function*() {
      for (const config of [{}, { maxConcurrent: 1 }]) {
        const { entries } = yield* connected({ tools: [{ name: "news" }] }, {
          // over before the listener is stopped
          timeout: { call: 800, total: 800 },
          ...config
        })
        for (const listener of [Effect.never, Effect.uninterruptible(Effect.sleep("3 seconds"))]) {
          const started = performance.now()
          const result = yield* call(toolOf(entries, "a_news"), {}, { onProgress: () => listener })
          assert.strictEqual(result.output, "news")
          assert.isBelow(performance.now() - started, 2900)
        }
      }
    }).pipe(Effect.provide(platform)))

  it.live("ends in time whatever its listener does", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ tools: [{ name: "progress" }] }, { timeout: { total: 700 } })
      const onProgress = () => Effect.uninterruptible(Effect.sleep("5 seconds"))
      const attempt = call(toolOf(entries, "a_progress"), { steps: 1000, every: 20 }, { onProgress })
      for (
        const [limited, tag] of [[Effect.timeout(attempt, 400), "TimeoutError"], [attempt, "ToolTimeout"]] as const
      ) {
        const started = performance.now()
        assert.strictEqual((yield* Effect.flip(limited))._tag, tag)
        assert.isBelow(performance.now() - started, 4000)
      }
    }).pipe(Effect.provide(platform)))

  it.live("reports nothing more once its caller has given up", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ tools: [{ name: "progress" }] })
      const seen: Array<number> = []
      const onProgress = ({ progress }: { readonly progress: number }) =>
        Effect.andThen(Effect.sync(() => void seen.push(progress)), Effect.sleep(20))
      const attempt = call(toolOf(entries, "a_progress"), { steps: 1000, every: 1 }, { onProgress })
      yield* Effect.flip(Effect.timeout(attempt, 400))
      const reported = seen.length
      yield* Effect.sleep(200)
      assert.isAbove(reported, 0)
      assert.strictEqual(seen.length, reported)
    }).pipe(Effect.provide(platform)))

  it.live("reads characters and lines however their bytes are cut, with CRLF and several in one", () =>
    Effect.gen(function*() {
      const text = "é€😀".repeat(20)
      for (const cut of [1, 2, 3, 7]) {
        const { entries } = yield* connected({ cut })
        assert.strictEqual((yield* call(toolOf(entries, "a_echo"), { text })).output, text)
      }
      const { entries } = yield* connected({ asList: true })
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"), { text })).output, text)
    }).pipe(Effect.provide(platform)))

  it.live("gives the child its own environment and directory only", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ tools: [{ name: "env" }] }, { env: { OWN: "1" }, cwd: "." })
      const { cwd, env } = JSON.parse((yield* call(toolOf(entries, "a_env"))).output)
      assert.match(cwd, /test\/fixtures$/)
      assert.deepStrictEqual(Object.keys(env).toSorted(), ["OWN", "PATH"])
    }).pipe(withVariables({ PATH: process.env["PATH"] ?? "", OTHER: "x" }), Effect.provide(platform)))

  it.live("serves the connections", () =>
    Effect.gen(function*() {
      const { opened } = yield* connected()
      const session = (yield* opened.source.connections).get("a")
      assert.deepStrictEqual(session?.serverInfo, { name: "fixture", version: "1.0.0" })
      assert.strictEqual(session?.instructions, "Be kind.")
      assert.isTrue(isAlive(session?.pid ?? 0))
    }).pipe(Effect.provide(platform)))
})

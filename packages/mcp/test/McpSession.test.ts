import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { eventually, platform, session, tempFile } from "./support.ts"

describe("connect", () => {
  it.live("gives a session whose parts are plain data", () =>
    Effect.gen(function*() {
      const live = yield* session()
      assert.deepStrictEqual(live.capabilities, { tools: { listChanged: true } })
      assert.deepStrictEqual(live.serverInfo, { name: "fixture", version: "1.0.0" })
      const { tools } = yield* live.listTools
      assert.deepStrictEqual(tools.map(({ name }) => name), ["echo"])
      const { content } = yield* live.callTool("echo", { text: "hi" })
      assert.deepStrictEqual(content, [{ type: "text", text: "hi" }])
    }).pipe(Effect.provide(platform)))

  it.live("takes for a message only what is one", () =>
    Effect.gen(function*() {
      const noise = [
        { jsonrpc: "2.0" },
        { jsonrpc: "1.0", method: "x" },
        { jsonrpc: "2.0", method: 3 },
        { jsonrpc: "2.0", method: "x", params: [] },
        { jsonrpc: "2.0", id: {}, result: {} },
        { jsonrpc: "2.0", id: 1.5, result: {} },
        { jsonrpc: "2.0", result: {} },
        { jsonrpc: "2.0", id: 99, result: "text" },
        { jsonrpc: "2.0", id: 99, error: "text" },
        { jsonrpc: "2.0", id: 99, error: { code: "E", message: "x" } }
      ]
      const messages = [
        { jsonrpc: "2.0", method: "notifications/x" },
        { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: {}, progress: "much" } },
        { jsonrpc: "2.0", method: "notifications/x", params: { _meta: { progressToken: 1, other: {} }, more: 1 } },
        { jsonrpc: "2.0", id: "99", result: { any: "thing" } },
        { jsonrpc: "2.0", error: { code: -32700, message: "x", data: [] } }
      ]
      const live = yield* session({ print: [...noise, ...messages].map((line) => JSON.stringify(line)) })
      assert.strictEqual((yield* live.noise).lines, noise.length)
    }).pipe(Effect.provide(platform)))
})

describe("a request of the server's", () => {
  it.live("is answered: a ping by nothing, what we can't do by an error", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const print = [
        { jsonrpc: "2.0", id: "p", method: "ping" },
        { jsonrpc: "2.0", id: 0, method: "sampling/createMessage", params: {} }
      ]
      yield* session({ log, print: print.map((line) => JSON.stringify(line)) })
      const answers = () => readFileSync(log, "utf8").split("\n").filter((line) => /"result"|"error"/.test(line))
      yield* eventually(() => answers().length === 2)
      // whoever is asked takes the time it takes
      assert.sameDeepMembers(answers().map((line): unknown => JSON.parse(line)), [
        { jsonrpc: "2.0", id: "p", result: {} },
        { jsonrpc: "2.0", id: 0, error: { code: -32601, message: "Method not found" } }
      ])
    }).pipe(Effect.provide(platform)))
})

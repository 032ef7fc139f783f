import { McpConfig, McpSession } from "@effect-toolnexus/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { eventually, platform, scripted } from "./support.ts"

const connect = Effect.fnUntraced(function*(options: object = {}) {
  const { server } = Result.getOrThrow(McpConfig.normalize("a", scripted(options)))
  if (server._tag === "Disabled") return yield* Effect.die("it is switched off")
  return yield* McpSession.connect({ server })
})

describe("connect", () => {
  it.live("gives a session whose parts are plain data", () =>
    Effect.gen(function*() {
      const session = yield* connect()
      assert.deepStrictEqual(session.capabilities, { tools: { listChanged: true } })
      assert.deepStrictEqual(session.serverInfo, { name: "fixture", version: "1.0.0" })
      const { tools } = yield* session.listTools
      assert.deepStrictEqual(tools.map(({ name }) => name), ["echo"])
      const { content } = yield* session.callTool("echo", { text: "hi" })
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
      const session = yield* connect({ print: [...noise, ...messages].map((line) => JSON.stringify(line)) })
      assert.strictEqual((yield* session.noise).lines, noise.length)
    }).pipe(Effect.provide(platform)))
})

describe("a request of the server's", () => {
  it.live("is answered: a ping by nothing, what we can't do by an error", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const log = `${yield* fs.makeTempDirectoryScoped()}/log`
      const print = [
        { jsonrpc: "2.0", id: "p", method: "ping" },
        { jsonrpc: "2.0", id: 0, method: "sampling/createMessage", params: {} }
      ]
      yield* connect({ log, print: print.map((line) => JSON.stringify(line)) })
      const answers = () => readFileSync(log, "utf8").split("\n").filter((line) => /"result"|"error"/.test(line))
      yield* eventually(() => answers().length === 2)
      assert.deepStrictEqual(answers().map((line) => JSON.parse(line)), [
        { jsonrpc: "2.0", id: "p", result: {} },
        { jsonrpc: "2.0", id: 0, error: { code: -32601, message: "Method not found" } }
      ])
    }).pipe(Effect.provide(platform)))
})

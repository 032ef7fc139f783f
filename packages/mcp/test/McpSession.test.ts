import { McpConfig, McpSession } from "@effect-toolnexus/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import { platform, scripted } from "./support.ts"

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
        { jsonrpc: "2.0", method: "x", params: { _meta: "y" } },
        { jsonrpc: "2.0", method: "x", params: { _meta: { progressToken: {} } } },
        { jsonrpc: "2.0", id: {}, result: {} },
        { jsonrpc: "2.0", id: 1.5, result: {} },
        { jsonrpc: "2.0", result: {} },
        { jsonrpc: "2.0", id: 99, result: "text" },
        { jsonrpc: "2.0", id: 99, error: "text" },
        { jsonrpc: "2.0", id: 99, error: { code: "E", message: "x" } }
      ]
      const messages = [
        { jsonrpc: "2.0", method: "notifications/x" },
        { jsonrpc: "2.0", method: "notifications/x", params: { _meta: { progressToken: 1, other: {} }, more: 1 } },
        { jsonrpc: "2.0", id: "99", result: { any: "thing" } },
        { jsonrpc: "2.0", error: { code: -32700, message: "x", data: [] } }
      ]
      const session = yield* connect({ print: [...noise, ...messages].map((line) => JSON.stringify(line)) })
      assert.strictEqual((yield* session.noise).lines, noise.length)
    }).pipe(Effect.provide(platform)))
})

describe("the package", () => {
  it("loads the SDK only when a server is connected", () => {
    const script = `
      import { registerHooks } from "node:module"
      const loaded = []
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
      await import(process.argv[1])
      console.log(loaded.length, loaded.filter((url) => /modelcontextprotocol|[/]zod[/]|[/]ajv[/]/.test(url)).length)
    `
    const index = import.meta.resolve("@effect-toolnexus/mcp")
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script, index], { encoding: "utf8" })
    const [all = 0, ofSdk] = printed.trim().split(" ").map(Number)
    assert.isAbove(all, 20)
    assert.strictEqual(ofSdk, 0)
  })
})

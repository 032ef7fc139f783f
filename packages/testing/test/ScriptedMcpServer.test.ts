import { ScriptedMcpServer } from "@effect-toolnexus/testing"
import { assertNothingLeft, awaitDead } from "@effect-toolnexus/testing/NothingLeft"
import { assert, describe, it } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import * as types from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { call, connect as connectOver } from "./client.ts"

type Script = ScriptedMcpServer.ScriptedServer

const connect = (script: Script, env: Record<string, string> = {}) => {
  const { args, command } = ScriptedMcpServer.command(script)
  return connectOver(new StdioClientTransport({ command, args: [...args], env, stderr: "pipe" }))
}

const textOf = (result: unknown) => Schema.decodeUnknownSync(Answer)(result).content[0]?.text ?? ""
const Answer = Schema.Struct({ content: Schema.Array(Schema.Struct({ text: Schema.String })) })
const fromJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Unknown))

/** The bare process, killed with the scope. */
const start = (script: Script) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { args, command } = ScriptedMcpServer.command(script)
      return spawn(command, args)
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const output = (child: ChildProcessWithoutNullStreams) => {
  const seen = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => void (seen.stdout += String(chunk)))
  child.stderr.on("data", (chunk) => void (seen.stderr += String(chunk)))
  return seen
}

const request = (child: ChildProcessWithoutNullStreams, id: number, method: string, params = {}) =>
  child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n")

const closed = (child: ChildProcessWithoutNullStreams) => Effect.promise(() => once(child, "close"))

const listTools = (client: Client, cursor?: string) =>
  Effect.promise(() => client.listTools(cursor === undefined ? {} : { cursor }))

describe("ScriptedMcpServer", () => {
  it.live("is a well-behaved server without any script, and leaves nothing", () =>
    assertNothingLeft(Effect.gen(function*() {
      const client = yield* connect({})
      assert.deepStrictEqual((yield* listTools(client)).tools, [])
      assert.strictEqual(client.getServerVersion()?.name, "scripted")
    })))

  it.live("lists a tool as written, and answers with its arguments", () =>
    Effect.gen(function*() {
      const tool = { name: "weather", description: "d", annotations: { readOnlyHint: true } }
      const client = yield* connect({ name: "sky", instructions: "look up", tools: [tool] })
      assert.deepStrictEqual((yield* listTools(client)).tools, [{ ...tool, inputSchema: { type: "object" } }])
      assert.strictEqual(client.getInstructions(), "look up")
      assert.strictEqual(textOf(yield* call(client, "weather")), "{\"city\":\"Oslo\"}")
    }))

  it.live("performs the steps of a call", () =>
    Effect.gen(function*() {
      const client = yield* connect({
        tools: [
          { name: "text", does: [{ delay: 30 }, { text: "sunny" }, { text: "never" }] },
          { name: "error", does: [{ error: "no such city" }] },
          { name: "result", does: [{ result: { content: [], structuredContent: { a: 1 } } }] },
          { name: "rpc", does: [{ rpcError: { code: -32050, message: "out of order" } }] },
          { name: "steps", does: [{ progress: { count: 3, every: 20 } }, { delay: 20 }] },
          { name: "env", does: [{ report: "env" }] },
          { name: "cwd", does: [{ report: "cwd" }] },
          { name: "received", does: [{ report: "received" }] }
        ]
      }, { TOKEN: "t" })
      assert.strictEqual(textOf(yield* call(client, "text")), "sunny")
      const error = yield* call(client, "error")
      assert.deepStrictEqual([textOf(error), error["isError"]], ["no such city", true])
      assert.deepStrictEqual((yield* call(client, "result"))["structuredContent"], { a: 1 })
      const rejected = yield* Effect.flip(Effect.tryPromise(() => client.callTool({ name: "rpc" })))
      assert.include(String(rejected.cause), "out of order")
      const seen: Array<number> = []
      yield* call(client, "steps", { onprogress: ({ progress }) => void seen.push(progress) })
      assert.deepStrictEqual(seen, [1, 2, 3])
      assert.include(textOf(yield* call(client, "env")), "\"TOKEN\":\"t\"")
      assert.strictEqual(textOf(yield* call(client, "cwd")), process.cwd())
      assert.include(textOf(yield* call(client, "received")), "\"notifications/initialized\"")
    }))

  it.live("tells of a list that changed", () =>
    Effect.gen(function*() {
      const client = yield* connect({ tools: [{ name: "grow", does: [{ setTools: [{ name: "b", repeat: 2 }] }] }] })
      const changed = new Promise<void>((resolve) =>
        client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => resolve())
      )
      yield* call(client, "grow")
      yield* Effect.promise(() => changed)
      assert.deepStrictEqual((yield* listTools(client)).tools.map(({ name }) => name), ["b_1", "b_2"])
    }))

  it.live("lists in pages, with malformed tools and a cursor of one's choice at the end", () =>
    Effect.gen(function*() {
      const child = yield* start({
        tools: [{ name: "t", repeat: 3 }],
        pageSize: 2,
        lastCursor: null,
        malformedTools: [{ name: 5 }]
      })
      const seen = output(child)
      request(child, 1, "tools/list")
      request(child, 2, "tools/list", { cursor: "2" })
      child.stdin.end()
      yield* closed(child)
      const inputSchema = { type: "object" }
      assert.deepStrictEqual(seen.stdout.trim().split("\n").map((line) => fromJson(line)), [
        {
          jsonrpc: "2.0",
          id: 1,
          result: { tools: [{ inputSchema, name: "t_1" }, { inputSchema, name: "t_2" }], nextCursor: "2" }
        },
        { jsonrpc: "2.0", id: 2, result: { tools: [{ inputSchema, name: "t_3" }, { name: 5 }], nextCursor: null } }
      ])
    }))

  it.live("exits at the start, after its noise", () =>
    Effect.gen(function*() {
      const child = yield* start({
        stdout: ["hello"],
        stderr: ["warming up"],
        stderrBytes: 300_000,
        exit: { code: 3, stderr: "no token" }
      })
      const seen = output(child)
      const [code] = yield* closed(child)
      assert.strictEqual(code, 3)
      assert.strictEqual(seen.stdout, "hello\n")
      assert.match(seen.stderr, /^warming up\ne{300000}\nno token\n$/)
    }))

  it.live("exits, errs or falls silent instead of answering a method", () =>
    Effect.gen(function*() {
      const child = yield* start({
        methods: {
          initialize: "hang",
          ping: { rpcError: { code: -1, message: "no" } },
          "tools/list": { exit: { signal: "SIGKILL" } }
        }
      })
      const seen = output(child)
      request(child, 1, "initialize")
      request(child, 2, "ping")
      request(child, 3, "tools/list")
      const [, signal] = yield* closed(child)
      assert.strictEqual(signal, "SIGKILL")
      assert.deepStrictEqual(fromJson(seen.stdout), { jsonrpc: "2.0", error: { code: -1, message: "no" }, id: 2 })
    }))

  it.live("hangs, and doesn't answer what was cancelled", () =>
    Effect.gen(function*() {
      const client = yield* connect({
        tools: [{ name: "hang", does: [{ hang: true }] }, { name: "received", does: [{ report: "received" }] }]
      })
      const rejected = yield* Effect.flip(
        Effect.tryPromise(() => client.callTool({ name: "hang" }, undefined, { timeout: 50 }))
      )
      assert.include(String(rejected.cause), "timed out")
      assert.include(textOf(yield* call(client, "received")), "notifications/cancelled")
    }))

  it.live("waits before it starts", () =>
    Effect.gen(function*() {
      const began = performance.now()
      yield* connect({ startupDelay: 300 })
      assert.isAtLeast(performance.now() - began, 300)
    }))

  it.live("writes raw frames after initialize, and stops reading", () =>
    Effect.gen(function*() {
      const child = yield* start({ rawFrames: ["not json", "[]"], closesStdin: true })
      const seen = output(child)
      child.stdin.on("error", () => {})
      request(child, 1, "initialize", { protocolVersion: "2025-06-18" })
      yield* Effect.sleep(300)
      request(child, 2, "ping")
      yield* Effect.sleep(100)
      assert.deepStrictEqual(seen.stdout.trim().split("\n").slice(1), ["not json", "[]"])
      assert.isNull(child.exitCode)
    }))

  it.live("ignores the end of its input and SIGTERM", () =>
    Effect.gen(function*() {
      const child = yield* start({ ignores: ["stdin", "SIGTERM"], stderr: ["ready"] })
      yield* Effect.promise(() => once(child.stderr, "data"))
      child.stdin.end()
      child.kill("SIGTERM")
      yield* Effect.sleep(200)
      assert.deepStrictEqual([child.exitCode, child.signalCode], [null, null])
    }))

  it.live("starts a grandchild, which outlives it", () =>
    Effect.gen(function*() {
      const client = yield* connect({
        grandchild: { ignoresSigterm: true },
        tools: [{ name: "pids", does: [{ report: "pids" }] }]
      })
      const { grandchild, pid } = Schema.decodeUnknownSync(Pids)(textOf(yield* call(client, "pids")))
      yield* Effect.promise(() => client.close())
      assert.deepStrictEqual(yield* awaitDead([pid, grandchild], 200), [grandchild])
      process.kill(grandchild, "SIGKILL")
      assert.deepStrictEqual(yield* awaitDead([grandchild]), [])
    }))

  it("writes what looks like a variable so that no expansion touches it", () => {
    const { args } = ScriptedMcpServer.command({ name: "${HOME} {env:HOME} {file:a}" })
    assert.notMatch(args[1] ?? "", /\$|\{env:|\{file:/)
    assert.deepStrictEqual(fromJson(args[1]), { name: "${HOME} {env:HOME} {file:a}" })
  })
})

const Pids = Schema.fromJsonString(Schema.Struct({ pid: Schema.Int, grandchild: Schema.Int }))

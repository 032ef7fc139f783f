import { assertNothingLeft, InMemoryMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { type CallToolResult, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { call, connect } from "./client.ts"

const text = (value: string): CallToolResult["content"] => [{ type: "text", text: value }]

class Weather extends Context.Service<Weather, { readonly now: string }>()("test/Weather") {}

describe("InMemoryMcpServer", () => {
  it.effect("lists its tools and answers, whatever form the answer has", () =>
    Effect.gen(function*() {
      const server = yield* InMemoryMcpServer.make({
        name: "sky",
        instructions: "look up",
        tools: [
          {
            name: "text",
            description: "d",
            inputSchema: { required: ["city"] },
            handler: ({ city }) => `in ${String(city)}`
          },
          { name: "result", handler: () => ({ content: text("r"), structuredContent: { a: 1 } }) },
          { name: "promise", handler: () => Promise.resolve("p") },
          { name: "effect", handler: () => Weather.useSync(({ now }) => now) }
        ]
      })
      const client = yield* connect(server.connect())
      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.deepStrictEqual(tools[0], {
        name: "text",
        description: "d",
        inputSchema: { type: "object", required: ["city"] }
      })
      assert.strictEqual(client.getInstructions(), "look up")
      assert.deepStrictEqual((yield* call(client, "text"))["content"], text("in Oslo"))
      assert.deepStrictEqual((yield* call(client, "result"))["structuredContent"], { a: 1 })
      assert.deepStrictEqual((yield* call(client, "promise"))["content"], text("p"))
      assert.deepStrictEqual((yield* call(client, "effect"))["content"], text("rain"))
      assert.deepStrictEqual((yield* server.calls)[0], { name: "text", arguments: { city: "Oslo" } })
    }).pipe(Effect.provideService(Weather, { now: "rain" })))

  it.effect("makes a failure of any kind an error result", () =>
    Effect.gen(function*() {
      const server = yield* InMemoryMcpServer.make({
        tools: [
          {
            name: "throw",
            handler: () => {
              throw new Error("broken")
            }
          },
          { name: "reject", handler: () => Promise.reject(new Error("broken")) },
          { name: "fail", handler: () => Effect.fail("broken") }
        ]
      })
      const client = yield* connect(server.connect())
      for (const name of ["throw", "reject", "fail"]) {
        assert.deepStrictEqual(yield* call(client, name), { content: text("broken"), isError: true })
      }
      assert.deepStrictEqual(yield* call(client, "nope"), { content: text("Unknown tool: nope"), isError: true })
      const defect = yield* Effect.flip(Effect.tryPromise(() => client.callTool({ name: "die" }))).pipe(
        (effect) => Effect.andThen(server.setTools([{ name: "die", handler: () => Effect.die("bug") }]), effect)
      )
      assert.include(String(defect.cause), "-32603")
    }))

  it.effect("tells every session that its list changed", () =>
    Effect.gen(function*() {
      const server = yield* InMemoryMcpServer.make({ tools: [] })
      const clients = yield* Effect.all([connect(server.connect()), connect(server.connect())])
      const changed = clients.map((client) =>
        new Promise<void>((resolve) =>
          client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve())
        )
      )
      yield* server.setTools([{ name: "late", handler: () => "" }])
      yield* Effect.promise(() => Promise.all(changed))
      const { tools } = yield* Effect.promise(() => clients[0].listTools())
      assert.deepStrictEqual(tools.map(({ name }) => name), ["late"])
    }))

  it.effect("reports progress to a client that asks for it", () =>
    Effect.gen(function*() {
      const server = yield* InMemoryMcpServer.make({
        tools: [{
          name: "slow",
          handler: (_, { progress }) => Effect.as(progress({ progress: 1, total: 2 }), "done")
        }]
      })
      const client = yield* connect(server.connect())
      const seen: Array<unknown> = []
      yield* call(client, "slow", { onprogress: (report) => void seen.push(report), resetTimeoutOnProgress: true })
      yield* call(client, "slow")
      assert.deepStrictEqual(seen, [{ progress: 1, total: 2 }])
    }))

  it.live("interrupts a handler whose call is cancelled", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const server = yield* InMemoryMcpServer.make({
        tools: [{
          name: "hang",
          handler: () => Effect.never.pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)))
        }]
      })
      const client = yield* connect(server.connect())
      yield* Effect.flip(Effect.tryPromise(() => client.callTool({ name: "hang" }, undefined, { timeout: 20 })))
      yield* Deferred.await(interrupted)
    }))

  it.live("ends its sessions with its scope, and refuses later ones", () =>
    assertNothingLeft(Effect.gen(function*() {
      const client = new Client({ name: "test", version: "1" })
      const ended = new Promise<void>((resolve) => Object.assign(client, { onclose: resolve }))
      const server = yield* Effect.scoped(Effect.gen(function*() {
        const made = yield* InMemoryMcpServer.make({ tools: [] })
        yield* Effect.promise(() => client.connect(made.connect()))
        assert.strictEqual(yield* made.sessions, 1)
        return made
      }))
      yield* Effect.promise(() => ended)
      assert.strictEqual(yield* server.sessions, 0)
      const late = new Client({ name: "late", version: "1" })
      yield* Effect.flip(Effect.tryPromise(() => late.connect(server.connect())))
    })))

  it.effect("can be cut off, and connected to again", () =>
    Effect.gen(function*() {
      const server = yield* InMemoryMcpServer.make({ tools: [] })
      const client = yield* connect(server.connect())
      yield* server.disconnect
      yield* Effect.flip(Effect.tryPromise(() => client.listTools()))
      yield* connect(server.connect())
      assert.strictEqual(yield* server.sessions, 1)
    }))
})

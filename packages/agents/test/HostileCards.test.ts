/** Cards that lie about their agent, or are none. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cardOf, done, start } from "./fixtures/rawAgent.ts"
import { begin, call } from "./fixtures/rawCall.ts"
import { callTool, entriesOf, messageOf, toolsOf } from "./fixtures/support.ts"

describe("a card that lies", () => {
  it.live("about streams", () =>
    Effect.gen(function*() {
      for (const code of [-32004, -32601]) {
        const { agent, tool } = yield* begin(({ method }, wire) => {
          if (method === "SendMessage") return wire.result(done)
          wire.error(code)
        })
        assert.strictEqual((yield* callTool(tool)).output, "42")
        const first = agent.asked.length
        assert.strictEqual((yield* callTool(tool)).output, "42")
        // and it is remembered
        assert.strictEqual(agent.asked.length, first + 1)
      }
    }))

  it.live("about the version, in a stream", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ method }, wire) => {
        if (method !== "message/stream") return wire.error(-32601)
        wire.stream()
        wire.event({ kind: "task", id: "t1", contextId: "c1", status: { state: "working" } })
        wire.event({
          kind: "artifact-update",
          taskId: "t1",
          contextId: "c1",
          artifact: { artifactId: "a", parts: [{ kind: "text", text: "42" }] }
        })
        wire.event({
          kind: "status-update",
          taskId: "t1",
          contextId: "c1",
          status: { state: "completed" },
          final: true
        })
        wire.end()
      })
      assert.strictEqual((yield* callTool(tool)).output, "42")
      assert.strictEqual((yield* callTool(tool)).output, "42")
      assert.deepStrictEqual(agent.methods(), ["SendStreamingMessage", "message/stream", "message/stream"])
      assert.isUndefined(agent.asked.at(-1)?.headers["a2a-version"])
    }))

  it.live("to a server that takes what it doesn't know for no request at all", () =>
    Effect.gen(function*() {
      const result = yield* call(({ method }, wire) => {
        if (method !== "message/send") return wire.error(-32600, "Invalid Request")
        wire.result({
          kind: "task",
          id: "t1",
          status: { state: "completed" },
          artifacts: [{ parts: [{ text: "42" }] }]
        })
      }, { card: (base) => cardOf(base, "1.0", { capabilities: {} }) })
      assert.strictEqual(result.output, "42")
    }))

  it.live("about both, and refuses everything: the first refusal is told", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ method }, wire) => wire.error(-32601, method))
      assert.match((yield* Effect.flip(callTool(tool))).message, /-32601: SendStreamingMessage/)
      assert.deepStrictEqual(agent.methods(), ["SendStreamingMessage", "message/stream", "SendMessage", "message/send"])
    }))
})

describe("a card", () => {
  it.live("of nonsense is the entry's own failure", () =>
    Effect.gen(function*() {
      const answer = () => {}
      const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
        [cardOf("http://h", "1.0", { skills: [] }), /advertises no skill.*"as": "agent"/],
        [cardOf("http://h", "1.0", { supportedInterfaces: [{ url: "x:y", protocolBinding: "GRPC" }] }), /no JSON-RPC/],
        [[], /not an agent card/],
        ["card", /not an agent card/],
        [{ name: "x".repeat(10), url: "http://[" }, /no JSON-RPC/]
      ]
      for (const [card, message] of cases) {
        const agent = yield* start({ answer, card: () => card })
        const [entry] = yield* entriesOf({ x: { card: agent.url } })
        assert.match(messageOf(entry), message)
      }
    }))

  it.live("of many skills is bounded", () =>
    Effect.gen(function*() {
      const skills = Array.from({ length: 1500 }, (_, id) => ({ id: `s${id}`, name: "n", description: "d".repeat(10) }))
      const agent = yield* start({ answer: () => {}, card: (base) => cardOf(base, "1.0", { skills }) })
      const entries = yield* entriesOf({ x: { card: agent.url } })
      assert.strictEqual(toolsOf(entries).length, 1000)
      assert.deepStrictEqual(entries[0]?.diagnostics.map(({ code }) => code), ["too-many-skills"])
    }))
})

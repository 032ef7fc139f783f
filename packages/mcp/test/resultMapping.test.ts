import { isJson } from "@effect-toolnexus/core/Json"
import * as ToolCall from "@effect-toolnexus/core/ToolCall"
import * as ToolResult from "@effect-toolnexus/core/ToolResult"
import { assert, describe, it } from "@effect/vitest"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { define, open, platform, toolOf } from "./support.ts"

/** Our end of a server that answers every call with what it is given, well-formed or not. */
class Parrot implements Transport {
  onclose?: () => void
  onmessage?: (message: JSONRPCMessage) => void
  answer: Record<string, unknown> = {}

  start = () => Promise.resolve()
  close = () => Promise.resolve(this.onclose?.())
  send = (message: JSONRPCMessage) => {
    if ("method" in message && "id" in message) {
      const { id, method } = message
      queueMicrotask(() => this.onmessage?.({ jsonrpc: "2.0", id, result: this.#answer(method) }))
    }
    return Promise.resolve()
  }

  #answer(method: string): Record<string, unknown> {
    if (method === "tools/list") return { tools: [{ name: "say" }] }
    if (method === "tools/call") return this.answer
    return { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "parrot", version: "1" } }
  }
}

const parrot = Effect.gen(function*() {
  const transport = new Parrot()
  const { entries } = yield* open({ srv: define({ connect: () => transport }) })
  const tool = toolOf(yield* entries, "srv_say")
  return (answer: Record<string, unknown>) => {
    transport.answer = answer
    return tool.handler({}, ToolCall.make("srv_say", "1"))
  }
}).pipe(Effect.provide(platform))

describe("a result", () => {
  it.effect("has each kind of part as the contract says, in order", () =>
    Effect.gen(function*() {
      const say = yield* parrot
      const data = Buffer.alloc(3000).toString("base64")
      const result = yield* say({
        content: [
          { type: "text", text: "one" },
          { type: "image", data, mimeType: "image/png" },
          { type: "audio", data: "QUI=", mimeType: "audio/wav" },
          { type: "resource", resource: { uri: "file:///a", text: "inside" } },
          { type: "resource", resource: { uri: "file:///b", mimeType: "application/zip", blob: "QUJD" } },
          { type: "resource_link", uri: "file:///c", name: "see" },
          { type: "hologram", beams: 3 }
        ]
      })
      assert.strictEqual(
        result.output,
        [
          "one",
          "[image image/png, 3000 bytes]",
          "[audio audio/wav, 2 bytes]",
          "[resource file:///a]",
          "inside",
          "[resource file:///b, application/zip, 3 bytes]",
          "[link file:///c see]",
          "[hologram]"
        ].join("\n")
      )
      assert.deepStrictEqual(result.content?.map(({ type }) => type), [
        "text",
        "image",
        "audio",
        "resource",
        "resource",
        "resource_link"
      ])
      assert.deepStrictEqual(result.metadata, { server: "srv" })
      assert.notInclude(result.output, data)
    }))

  it.effect("renders structured content only where nothing else is", () =>
    Effect.gen(function*() {
      const say = yield* parrot
      const structuredContent = { answer: 42 }
      assert.strictEqual((yield* say({ structuredContent })).output, "{\"answer\":42}")
      const blank = yield* say({ content: [{ type: "text", text: " \n" }], structuredContent })
      assert.strictEqual(blank.output, "{\"answer\":42}")
      const both = yield* say({ content: [{ type: "text", text: "forty-two" }], structuredContent })
      assert.strictEqual(both.output, "forty-two")
      assert.deepStrictEqual(both.structured, structuredContent)
      assert.strictEqual((yield* say({ structuredContent: {} })).output, "{}")
      assert.strictEqual((yield* say({ structuredContent: [] })).output, "[]")
    }))

  it.effect("leaves structured content out that is too deep or too much, and says so", () =>
    Effect.gen(function*() {
      const say = yield* parrot
      const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`)
      const deep = yield* say({ content: [{ type: "text", text: "kept" }], structuredContent: nested(20_000) })
      assert.deepStrictEqual([deep.output, deep.structured], ["kept", undefined])
      assert.include(deep.metadata?.["note"], "structured content left out")
      const alone = yield* say({ structuredContent: { value: nested(20_000) } })
      assert.include(alone.output, "[structured content left out: deeper than 200 levels")
      const large = yield* say({ structuredContent: Array.from({ length: 1_000_001 }, () => 0) })
      assert.include(large.output, "[structured content left out")
      assert.isDefined((yield* say({ structuredContent: nested(200) })).structured)
    }))

  it.effect("bounds how many parts there are", () =>
    Effect.gen(function*() {
      const say = yield* parrot
      const part = { type: "text", text: "x" }
      const result = yield* say({ content: Array.from({ length: 10_005 }, () => part) })
      assert.strictEqual(result.content?.length, 10_000)
      assert.isTrue(result.output.endsWith("x\n[5 more parts]"))
    }))

  it.effect("survives parts that are no parts", () =>
    Effect.gen(function*() {
      const say = yield* parrot
      const odd = yield* say({ content: [null, 3, {}, { type: "text" }, { type: "image", data: 3 }] })
      assert.strictEqual(odd.output, "[unknown]\n[unknown]\n[unknown]\n[text]\n[image]")
      assert.strictEqual((yield* say({ content: null })).output, "")
      assert.strictEqual((yield* say({})).output, "")
    }))

  it.effect("has what came without a list or a part around it, and says so", () =>
    Effect.gen(function*() {
      const say = yield* parrot
      const text = yield* say({ content: "hello" })
      assert.deepStrictEqual([text.output, text.content], ["hello", [{ type: "text", text: "hello" }]])
      assert.strictEqual(text.metadata?.["note"], "[the content was no list]")
      assert.strictEqual((yield* say({ content: { type: "text", text: "alone" } })).output, "alone")
      assert.strictEqual((yield* say({ content: ["one", { type: "text", text: "two" }] })).output, "one\ntwo")
      const number = yield* say({ content: 42 })
      assert.deepStrictEqual([number.output, number.metadata?.["note"]], ["[unknown]", "[the content was no list]"])
    }))

  it.effect("keeps structured content in which something is no JSON, and says so", () =>
    Effect.gen(function*() {
      const say = yield* parrot
      const result = yield* say({
        structuredContent: JSON.parse("{\"big\": 1e999, \"list\": [1, -1e999], \"__proto__\": {\"kept\": true}}")
      })
      assert.strictEqual(result.output, "{\"big\":null,\"list\":[1,null],\"__proto__\":{\"kept\":true}}")
      assert.strictEqual(JSON.stringify(result.structured), result.output)
      assert.include(result.metadata?.["note"], "no JSON value")
    }))

  it.effect("that is an error fails the call and is kept", () =>
    Effect.gen(function*() {
      const say = yield* parrot
      const error = yield* Effect.flip(say({ isError: true, content: [] }))
      assert.strictEqual(error.message, "(no output)")
      assert.isFalse((yield* say({ isError: "yes" })).isError)
    }))

  it.effect.prop(
    "is one whatever a server sends",
    [Schema.Json, Schema.Json],
    ([content, structuredContent]) =>
      Effect.gen(function*() {
        const say = yield* parrot
        const result = yield* say({ content: [content, { type: "text", text: content }], structuredContent })
        assert.isTrue(Schema.is(ToolResult.ToolResult)(result) && isJson(result))
      })
  )
})

import { assert, describe, it } from "@effect/vitest"
import type { Json, JsonObject } from "../src/Json.ts"
import * as ProviderSchema from "../src/ProviderSchema.ts"
import { defineTool } from "../src/Tool.ts"
import { back, tool } from "./declarations.ts"

describe("hostile schemas", () => {
  const schemas = ProviderSchema.make()
  const leftOut = (schema: JsonObject) =>
    schemas.check([defineTool({ name: "bad", input: schema, handler: () => "" }), tool({}, "good")], "gemini").left_out

  it("that have no end are left out, and cost no other tool", () => {
    const cyclic: Record<string, JsonObject | string> = { type: "object" }
    cyclic["properties"] = { self: cyclic }
    let deep: JsonObject = { type: "object" }
    for (let level = 0; level < 20_000; level++) deep = { type: "object", properties: { a: deep } }
    const throwing = {
      properties: {
        get p(): JsonObject {
          throw new Error("no")
        }
      }
    }
    for (const schema of [cyclic, deep, throwing]) {
      assert.deepStrictEqual(leftOut(schema).map(({ name }) => name), ["bad"])
    }
  })

  it("end in good time, and in little text", () => {
    const doubling: Record<string, JsonObject> = { d0: { not: {} } }
    for (let level = 1; level < 40; level++) {
      const twice = { $ref: `#/$defs/d${level - 1}` }
      doubling[`d${level}`] = { allOf: [twice, twice] }
    }
    const many = <A>(count: number, make: (index: number) => A) =>
      Array.from({ length: count }, (_, index) => make(index))
    const big = { anyOf: many(70, (index) => ({ type: "object", required: [`p${index}`] })) }
    let inside: JsonObject = { $ref: "#/$defs/a" }
    for (let level = 0; level < 30; level++) {
      inside = {
        type: "object",
        properties: { x: inside },
        required: ["x"],
        anyOf: [{ required: ["a"] }, { required: ["b"] }]
      }
    }
    const p = (schema: JsonObject, $defs: JsonObject = {}) => tool({ properties: { p: schema }, $defs })
    const text = "x".repeat(50_000)
    const often = (b: JsonObject) =>
      tool({
        properties: Object.fromEntries(many(2000, (index) => [`p${index}`, { $ref: "#/$defs/b" }] as const)),
        $defs: { b }
      })
    const hostile = [
      p({ $ref: "#/$defs/d39" }, doubling),
      p({
        allOf: [0, 1].map((side) => ({
          anyOf: many(70, (index) => ({ $ref: "#/$defs/big", description: `${side} ${index}` }))
        }))
      }, { big }),
      p({ allOf: many(40_000, () => ({ not: {} })) }),
      p({ enum: Array.from({ length: 100_000 }, (_, index) => index) }),
      p({ $ref: "#/$defs/a" }, { a: inside }),
      p({ anyOf: many(20_000, (index) => ({ type: "object", properties: { [`p${index}`]: {} } })) }),
      ...[
        { type: "object", description: text, properties: { q: {} } },
        { description: text },
        { type: "string", title: text },
        { type: "string", default: text },
        { type: "object", default: { a: text } },
        { type: "string", examples: [text] },
        { type: "string", format: text },
        { type: "string", enum: [text] },
        { anyOf: many(2000, () => ({ type: "null" })) }
      ].map(often)
    ]
    const own = ProviderSchema.make()
    for (
      const render of [
        own.toAnthropic,
        own.toGemini,
        own.toGeminiOpenApi,
        own.toBedrock,
        (tools: typeof hostile) => own.toOpenAIChat(tools, true)
      ]
    ) {
      for (const each of hostile) assert.isBelow(JSON.stringify(render([each])).length, 8_000_000)
    }
  })

  it("and as large arguments are read back in good time", () => {
    const named = (count: number, name: string, value: Json) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, value]))
    const wide = { properties: named(45_000, "p", { type: "string" }) }
    const sent = { ...named(100_000, "q", "x"), ...named(45_000, "p", null) }
    assert.deepStrictEqual(back(wide, sent), named(100_000, "q", "x"))
    const listed = { type: "string", enum: Array.from({ length: 100_000 }, (_, index) => `v${index}`) }
    const input = {
      properties: { l: { anyOf: [{ type: "array", items: listed }, { type: "array", items: { type: "integer" } }] } }
    }
    const args = { l: Array.from({ length: 100_000 }, () => "v99999") }
    assert.deepStrictEqual(back(input, JSON.parse(JSON.stringify(args))), args)
  })

  it("that multiply are cut, with a note", () => {
    const $defs: Record<string, JsonObject> = { d0: { type: "object", properties: { leaf: { type: "string" } } } }
    for (let level = 1; level < 40; level++) {
      const reference = { $ref: `#/$defs/d${level - 1}` }
      $defs[`d${level}`] = { type: "object", properties: { left: reference, right: reference } }
    }
    const doubling = tool({ properties: { p: { $ref: "#/$defs/d39" } }, $defs })
    const report = schemas.check([doubling], "bedrock")
    assert.deepStrictEqual(report.left_out, [])
    assert.isTrue(report.notes.some(({ kind, text }) => kind === "widened" && /more than fits/.test(text)))
  })
})

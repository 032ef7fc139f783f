import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../src/Json.ts"
import * as ProviderSchema from "../src/ProviderSchema.ts"
import { back, strictOf, tool } from "./declarations.ts"

describe("strict mode", () => {
  it("closes every object, also in items, alternatives and definitions (B058)", () => {
    const sent = strictOf({
      properties: {
        filters: { type: "array", items: { type: "object", properties: { p: { type: "number" } }, required: ["p"] } },
        either: { anyOf: [{ type: "object", properties: { q: { $ref: "#/$defs/q" } } }, { type: "string" }] }
      },
      required: ["filters", "either"],
      $defs: { q: { type: "object", properties: {}, additionalProperties: false } }
    })
    assert.isTrue(sent?.strict)
    assert.deepStrictEqual(sent?.parameters, {
      type: "object",
      properties: {
        filters: {
          type: "array",
          items: { type: "object", properties: { p: { type: "number" } }, required: ["p"], additionalProperties: false }
        },
        either: {
          anyOf: [
            {
              type: "object",
              properties: { q: { anyOf: [{ $ref: "#/$defs/q" }, { type: "null" }] } },
              required: ["q"],
              additionalProperties: false
            },
            { type: "string" }
          ]
        }
      },
      required: ["filters", "either"],
      additionalProperties: false,
      $defs: { q: { type: "object", properties: {}, required: [], additionalProperties: false } }
    })
  })

  it("optional properties may be null, and null is left out on the way back (B059)", () => {
    const input = {
      properties: { url: { type: "string", format: "uri" }, max: { type: "integer", default: 5 } },
      required: ["url"]
    }
    assert.deepStrictEqual(strictOf(input)?.parameters["properties"], {
      url: { type: "string", description: "(format: uri)" },
      max: { type: ["integer", "null"], description: "(default: 5)" }
    })
    assert.deepStrictEqual(back(input, { url: "http://x", max: null }), { url: "http://x" })
  })

  it("a null that is the tool's own stays", () => {
    const input = { properties: { a: { type: ["string", "null"] }, b: { type: "null" } }, required: ["b"] }
    assert.deepStrictEqual(back(input, { a: null, b: null }), { a: null, b: null })
  })

  it("a map is a list of entries", () => {
    const input = {
      properties: { headers: { type: "object", additionalProperties: { type: "string" } } },
      required: ["headers"]
    }
    const entries = strictOf(input)?.parameters["properties"]
    assert.deepStrictEqual(entries, {
      headers: {
        type: "array",
        items: {
          type: "object",
          properties: { key: { type: "string" }, value: { type: "string" } },
          required: ["key", "value"],
          additionalProperties: false
        }
      }
    })
    const sent = { headers: [{ key: "Accept", value: "*/*" }, { key: "__proto__", value: "x" }] }
    assert.deepStrictEqual(JSON.stringify(back(input, sent)), `{"headers":{"Accept":"*/*","__proto__":"x"}}`)
    assert.deepStrictEqual(back(input, { headers: { Accept: "*/*" } }), { headers: { Accept: "*/*" } })
  })

  it("what can't be strict says so, and goes as it is", () => {
    const cases: ReadonlyArray<readonly [JsonObject, RegExp]> = [
      [{ properties: { data: { type: "object" } } }, /^can't be strict: data is any object$/],
      [{ properties: { value: {} } }, /^can't be strict: value may be of any type$/],
      [{ additionalProperties: { type: "string" } }, /^can't be strict: the input may have properties that are not/],
      [{ patternProperties: { "^x-": { type: "string" } } }, /^can't be strict: the input may have properties/],
      [
        {
          properties: {
            o: { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } }
          }
        },
        /^can't be strict: o may have properties that are not declared$/
      ],
      [{ minProperties: 1 }, /^can't be strict: the input may have properties/],
      [{ properties: { a: { type: "string" } }, required: ["b"] }, /^can't be strict: the input may have properties/],
      [nested(11), /more than 10 levels/],
      [
        { properties: { many: { enum: Array.from({ length: 1001 }, (_, index) => `v${index}`) } } },
        /more than 1000 values/
      ]
    ]
    for (const [input, reason] of cases) {
      assert.strictEqual(strictOf(input)?.strict, false)
      const { notes } = ProviderSchema.make().check([tool(input)], "openai", { strict: true })
      assert.match(notes.find(({ kind }) => kind === "not-strict")?.text ?? "", reason)
    }
  })

  it("an empty input is closed, with a note", () => {
    assert.deepStrictEqual(strictOf({})?.parameters, {
      type: "object",
      properties: {},
      required: [],
      additionalProperties: false
    })
    const { notes } = ProviderSchema.make().check([tool({})], "openai", { strict: true })
    assert.deepStrictEqual(notes, [
      { name: "tool", path: "", kind: "narrowed", text: "only declared properties can be given" }
    ])
  })
})

const nested = (levels: number): JsonObject =>
  levels === 0
    ? { type: "string" }
    : { type: "object", properties: { deeper: nested(levels - 1) }, required: ["deeper"] }

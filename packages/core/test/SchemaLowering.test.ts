/** What becomes of a schema where a provider doesn't take all of it. */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../src/Json.ts"
import * as ProviderSchema from "../src/ProviderSchema.ts"
import { back, declared, isObject, strictOf, tool } from "./declarations.ts"

describe("what providers don't take", () => {
  it("keywords go, properties of their names stay (B062)", () => {
    const { openApi } = declared({
      type: "object",
      $id: "x",
      patternProperties: { "^x-": { type: "string" } },
      properties: {
        title: { type: "string", const: "T" },
        default: { type: "integer", exclusiveMinimum: 0, examples: [1] },
        $schema: { type: "string" }
      },
      additionalProperties: { type: "object", additionalProperties: false }
    })
    assert.deepStrictEqual(openApi, {
      type: "object",
      properties: {
        title: { type: "string", enum: ["T"] },
        default: { type: "integer", example: 1, description: "(exclusiveMinimum: 0)" },
        _schema: { type: "string" }
      }
    })
  })

  it("that names are texts goes without saying", () => {
    const map = { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "integer" } }
    const { anthropic, gemini } = declared(map)
    const said = { type: "object", properties: {}, additionalProperties: { type: "integer" } }
    assert.deepStrictEqual([anthropic, gemini], [said, said])
    assert.deepStrictEqual(ProviderSchema.make().check([tool({ properties: { map } })], "gemini").notes, [])
    const { strict, ...others } = declared({ $ref: "#/$defs/Map", propertyNames: { type: "string" } }, {
      required: ["p"],
      $defs: { Map: { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false } }
    })
    for (const sent of [strict, others.openAI, others.anthropic, others.gemini]) {
      assert.deepStrictEqual(sent, { $ref: "#/$defs/Map" })
    }
  })

  it("what is said of an object is said in words where it isn't written as one", () => {
    const said = (property: JsonObject) => {
      const { gemini, openApi, strict } = declared(property, { required: ["p"] })
      return [gemini, openApi, strict].map((sent) => String(Object(sent).description))
    }
    const free = { type: "object", minProperties: 1, required: ["id"], propertyNames: { pattern: "^[a-z]+$" } }
    const words = `(minProperties: 1; names of properties: {"pattern":"^[a-z]+$"}; required: ["id"])`
    assert.deepStrictEqual(said(free).slice(0, 2), [words, words])
    assert.match(said({ type: "object", enum: [{ id: 1 }] })[0] ?? "", /enum: \[{"id":1}\]/)
    const map = { type: "object", additionalProperties: { type: "integer" }, required: ["id"], enum: [{ id: 1 }] }
    for (const text of said(map).slice(1)) assert.strictEqual(text, `(enum: [{"id":1}]; required: ["id"])`)
    const closed = { type: "object", additionalProperties: false, maxProperties: 0 }
    assert.strictEqual(said(closed)[1], "(maxProperties: 0)")
    const sized = { type: "object", additionalProperties: { type: "integer" }, minProperties: 1 }
    const [first] = Object(declared({ anyOf: [sized, { type: "array", items: { type: "integer" } }] }).openApi).anyOf
    assert.strictEqual(first.description, "(minProperties: 1; values: integer)")
  })

  it("names of properties are texts, whatever a schema says of other values", () => {
    const map = (propertyNames: unknown) => declared({ type: "object", propertyNames }).openAI
    assert.deepStrictEqual(Object(map({ minLength: 1 })).propertyNames, { type: "string", minLength: 1 })
    assert.deepStrictEqual(map({ type: ["string", "null"] }), map({ type: "string" }))
    assert.match(Object(declared({ type: "object", propertyNames: false }).gemini).description, /none is valid/)
  })

  it("a map that is referred to beside a list isn't sent as one", () => {
    const Map = { type: "object", additionalProperties: { type: "string" } }
    const union = { anyOf: [{ type: "array", items: { type: "string" } }, { $ref: "#/$defs/Map" }] }
    const more = { required: ["p"], $defs: { Map, Either: { anyOf: [{ $ref: "#/$defs/Map" }, { type: "null" }] } } }
    const text = { type: "string", description: "a map beside a list, as JSON text" }
    const sent = { type: "object", properties: { json_text: text }, required: ["json_text"] }
    const list = { type: "array", items: { type: "string" } }
    assert.deepStrictEqual(declared(union, more).openApi, {
      anyOf: [list, { ...sent, description: "(values: string)" }]
    })
    const further = Object(declared({ anyOf: [list, { $ref: "#/$defs/Either" }] }, more).openApi).anyOf
    assert.deepStrictEqual(further[1].properties, { json_text: text })
    const input = { properties: { p: union }, ...more }
    assert.strictEqual(strictOf(input)?.strict, false)
    assert.deepStrictEqual(back(input, { p: { json_text: "{}" } }, "gemini"), { p: {} })
    const alone = { properties: { p: { $ref: "#/$defs/Map" } }, ...more }
    assert.strictEqual(strictOf(alone)?.strict, true)
  })

  it("null stands with one type where it can't stand beside alternatives, however these nest", () => {
    const Either = { anyOf: [{ type: "integer" }, { type: "object", properties: { n: { type: "integer" } } }] }
    const { openApi } = declared({ anyOf: [{ $ref: "#/$defs/Either" }, { type: "string" }, { type: "null" }] }, {
      $defs: { Either }
    })
    const [first, second] = Either.anyOf
    assert.deepStrictEqual(openApi, { anyOf: [{ anyOf: [{ ...first, nullable: true }, second] }, { type: "string" }] })
  })

  it("true and {} are any value, false is none (B064)", () => {
    const input = { properties: { v: true, w: {}, x: false, y: { type: "array", items: true } } }
    const schemas = ProviderSchema.make()
    assert.deepStrictEqual(schemas.toAnthropic([tool(input)])[0]?.input_schema, {
      type: "object",
      properties: { v: {}, w: {}, y: { type: "array", items: {} } }
    })
    const [gemini] = schemas.toGeminiOpenApi([tool(input)])
    assert.deepStrictEqual(Object.keys(gemini?.functionDeclarations[0]?.parameters["properties"] ?? {}), [
      "v",
      "w",
      "y"
    ])
    assert.deepStrictEqual(declared({ description: "anything" }).openApi, {
      anyOf: [
        { type: "string", description: "anything", nullable: true },
        { type: "number", description: "anything" },
        { type: "boolean", description: "anything" },
        {
          type: "object",
          properties: { json_text: { type: "string", description: "an object or a list, as JSON text" } },
          required: ["json_text"]
        }
      ]
    })
  })

  it("a required property that isn't there is only spoken of (B065)", () => {
    const [sent] = ProviderSchema.make().toGemini([
      tool({ properties: { a: { type: "string" } }, required: ["a", "ghost"] })
    ])
    assert.deepStrictEqual(sent?.functionDeclarations[0]?.parametersJsonSchema, {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      description: `(required: ["ghost"])`
    })
    const [none] = ProviderSchema.make().toGemini([tool({ properties: { a: false }, required: ["a"] })])
    assert.isFalse(Object.hasOwn(none?.functionDeclarations[0]?.parametersJsonSchema ?? {}, "required"))
  })

  it("values without a type have the type they have (B067)", () => {
    assert.deepStrictEqual(declared({ enum: ["a", "b"] }).openApi, { type: "string", enum: ["a", "b"] })
    assert.deepStrictEqual(declared({ anyOf: [{ const: "x" }, { const: "y" }] }).openApi, {
      type: "string",
      enum: ["x", "y"]
    })
    assert.deepStrictEqual(declared({ enum: [1, 2, null] }).openApi, {
      type: "integer",
      description: "(enum: [1,2])",
      nullable: true
    })
  })

  it("references lead anywhere in the schema, and nowhere else (B068)", () => {
    const input = {
      properties: {
        headers: { type: "object", properties: { a: { type: "string" } } },
        actions: { type: "array", items: { $ref: "#/properties/headers", description: "One" } },
        esc: { $ref: "#/$defs/a~1b" },
        percent: { $ref: "#/$defs/%25" },
        far: { $ref: "https://example.com/schema.json" },
        gone: { $ref: "#/$defs/gone", description: "Gone" }
      },
      $defs: { "a/b": { type: "string" }, "%": { type: "boolean" } }
    }
    const schemas = ProviderSchema.make()
    const headers = { type: "object", properties: { a: { type: "string" } } }
    const [bedrock] = schemas.toBedrock([tool(input)])
    assert.deepStrictEqual(bedrock?.toolSpec.inputSchema.json["properties"], {
      headers,
      actions: { type: "array", items: { ...headers, description: "One" } },
      esc: { type: "string" },
      percent: { type: "boolean" },
      far: {},
      gone: { description: "Gone" }
    })
    assert.deepStrictEqual(
      schemas.check([tool(input)], "bedrock").notes.map(({ kind, path }) => [path, kind]),
      [["far", "widened"], ["gone", "widened"]]
    )
  })

  it("alternatives of the whole input become one object that says what each needs", () => {
    const [sent] = ProviderSchema.make().toAnthropic([
      tool({
        properties: { id: { type: "string" }, name: { type: "string" } },
        anyOf: [{ required: ["id"] }, { required: ["name"], properties: { force: { type: "boolean" } } }]
      })
    ])
    assert.deepStrictEqual(sent?.input_schema, {
      type: "object",
      properties: { id: { type: "string" }, name: { type: "string" }, force: { type: "boolean" } },
      description: `(required, one group of: [["id"],["name"]])`
    })
  })

  it("allOf is put together, if becomes a choice, not is said", () => {
    const { anthropic } = declared({
      type: "object",
      allOf: [
        { properties: { a: { type: "integer", minimum: 1 } }, required: ["a"] },
        { properties: { a: { minimum: 3, maximum: 9 }, kind: { enum: ["x", "y"] } } }
      ],
      if: { properties: { kind: { const: "x" } } },
      then: { required: ["b"], properties: { b: { type: "string" } } },
      not: { required: ["c"] }
    })
    const a = { type: "integer", minimum: 3, maximum: 9 }
    assert.deepStrictEqual(anthropic, {
      anyOf: [
        {
          type: "object",
          properties: { a, kind: { type: "string", enum: ["x"] }, b: { type: "string" } },
          required: ["a", "b"]
        },
        { type: "object", properties: { a, kind: { type: "string", enum: ["x", "y"] } }, required: ["a"] }
      ],
      description: `(not: {"required":["c"]})`
    })
  })

  it("a tuple is a list of any of its items where places mean nothing", () => {
    const tuple = { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false, minItems: 2 }
    assert.deepStrictEqual(declared(tuple).openApi, {
      type: "array",
      minItems: 2,
      maxItems: 2,
      items: { anyOf: [{ type: "string" }, { type: "integer" }] },
      description: `(items in order: ["string","integer"])`
    })
    const old = declared({ type: "array", items: tuple.prefixItems, additionalItems: false, minItems: 2 })
    assert.deepStrictEqual(old, declared(tuple))
  })

  it("a definition within itself is cut where it stands, and to Gemini never required", () => {
    const more = {
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } },
          required: ["name", "next"]
        }
      }
    }
    const { bedrock, gemini, openApi } = declared({ $ref: "#/$defs/node" }, more)
    const name = { type: "string" }
    assert.deepStrictEqual(gemini, { $ref: "#/$defs/node" })
    const [sent] = ProviderSchema.make().toGemini([tool({ properties: { p: { $ref: "#/$defs/node" } }, ...more })])
    assert.deepNestedInclude(sent, { "functionDeclarations[0].parametersJsonSchema.$defs.node.required": ["name"] })
    assert.deepStrictEqual(bedrock, { type: "object", properties: { name, next: {} }, required: ["name", "next"] })
    assert.deepNestedInclude(openApi, { "properties.next.required": ["json_text"] })
    const input = { properties: { p: { $ref: "#/$defs/node" } }, ...more }
    assert.deepStrictEqual(
      back(input, { p: { name: "a", next: { json_text: `{"name":"b","next":{}}` } } }, "gemini"),
      { p: { name: "a", next: { name: "b", next: {} } } }
    )
  })

  it("names of properties that a provider refuses go by others, and come back", () => {
    const input = {
      properties: {
        "x-y": { type: "string" },
        x_y: { type: "string" },
        "größe": { type: "integer" },
        $filter: { type: "string" }
      },
      required: ["größe"]
    }
    const schemas = ProviderSchema.make()
    const properties = (schema: object | undefined) => Object.keys(isObject(schema) ? schema["properties"] ?? {} : {})
    assert.deepStrictEqual(properties(schemas.toOpenAIChat([tool(input)])[0]?.function.parameters), [
      "x-y",
      "x_y",
      "gr__e",
      "_filter"
    ])
    const [gemini] = schemas.toGemini([tool(input)])
    const [renamed = ""] = properties(gemini?.functionDeclarations[0]?.parametersJsonSchema)
    assert.match(renamed, /^x_y_[0-9a-f]{12}$/)
    const sent = { [renamed]: "1", x_y: "2", gr__e: 3, _filter: "4" }
    assert.deepStrictEqual(back(input, sent, "gemini"), { "x-y": "1", x_y: "2", "größe": 3, $filter: "4" })
    assert.deepStrictEqual(back(input, { "x-y": "1", "größe": 3 }, "gemini"), { "x-y": "1", "größe": 3 })
  })
})

describe("what goes out", () => {
  const sound = { type: "string" }
  it("never lists no values, nor values of another type", () => {
    assert.deepStrictEqual(declared({ type: "string", enum: [] }).openAI, sound)
    assert.deepStrictEqual(declared({ allOf: [{ type: "string", enum: ["a"] }, { enum: ["b"] }] }).openAI, undefined)
    assert.deepStrictEqual(declared({ type: "integer", enum: [1.5, 2] }).strict, {
      type: ["integer", "null"],
      enum: [2, null]
    })
    assert.deepStrictEqual(declared({ type: "integer", enum: [1, 2, 9], minimum: 5 }).strict, {
      type: ["integer", "null"],
      enum: [9, null]
    })
  })

  it("refers to what is there, and to nothing without end", () => {
    const slash = declared({ $ref: "#/$defs/a/b" }, { $defs: { "a/b": sound, a: { b: { type: "integer" } } } })
    assert.deepStrictEqual(slash.openAI, { type: "integer" })
    const endless = { $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { $ref: "#/$defs/a" } } }
    assert.deepStrictEqual(declared({ $ref: "#/$defs/a" }, endless).bedrock, {})
  })

  it("has formats of their types only", () => {
    assert.deepStrictEqual(declared({ type: "string", format: "int64" }).openApi, {
      type: "string",
      description: "(format: int64)"
    })
    assert.deepStrictEqual(declared({ type: "integer", format: "int64" }).openApi, { type: "integer", format: "int64" })
  })

  it("takes what stands beside a reference for what it was when it was written", () => {
    const more = { $defs: { s: { type: "string" } } }
    const beside = { $ref: "#/$defs/s", maxLength: 1, description: "It" }
    const old = declared(beside, { $schema: "http://json-schema.org/draft-07/schema#", ...more })
    assert.deepStrictEqual(old.anthropic, { type: "string", description: "It" })
    assert.deepStrictEqual(declared(beside, more).bedrock, { type: "string", maxLength: 1, description: "It" })
  })

  it("keeps null where only one alternative certainly means it", () => {
    assert.deepStrictEqual(declared({ oneOf: [{ type: "null" }, { $ref: "#/gone" }] }).anthropic, {})
    const input = { properties: { v: { oneOf: [{ type: "null" }, { not: { type: "null" } }] } } }
    assert.deepStrictEqual(back(input, { v: null }), { v: null })
  })

  it("tells Bedrock in words what it doesn't take at the root", () => {
    const map = tool({ additionalProperties: { type: "string", description: "A header" }, minProperties: 1 })
    const [sent] = ProviderSchema.make().toBedrock([map])
    assert.deepStrictEqual(sent?.toolSpec.inputSchema.json, { type: "object", properties: {} })
    assert.match(
      sent?.toolSpec.description ?? "",
      /minProperties: 1; additionalProperties: \{"type":"string","description":"A header"\}/
    )
  })

  it("keeps what was said of alternatives that together are anything", () => {
    const { gemini } = declared({ anyOf: [{ description: "free-form" }, { type: "string", description: "a date" }] })
    assert.strictEqual(Object(gemini).description, "free-form\na date")
  })
})

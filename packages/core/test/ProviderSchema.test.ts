import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../src/Json.ts"
import * as ProviderSchema from "../src/ProviderSchema.ts"
import { defineTool, type Tool } from "../src/Tool.ts"

const tool = (input: JsonObject, name = "tool", description = ""): Tool =>
  defineTool({ name, description, input: { type: "object", ...input }, handler: () => "" })

/** The one property of a tool's input, as each way declares it. */
const declared = (property: unknown, more: JsonObject = {}) => {
  const tools = [
    defineTool({ name: "tool", input: { type: "object", properties: { p: property }, ...more }, handler: () => "" })
  ]
  const schemas = ProviderSchema.make()
  const of = (schema: unknown): unknown =>
    isObject(schema) && isObject(schema["properties"]) ? schema["properties"]["p"] : undefined
  return {
    openAI: of(schemas.toOpenAIChat(tools)[0]?.function.parameters),
    strict: of(schemas.toOpenAIChat(tools, true)[0]?.function.parameters),
    anthropic: of(schemas.toAnthropic(tools)[0]?.input_schema),
    gemini: of(schemas.toGemini(tools)[0]?.functionDeclarations[0]?.parametersJsonSchema),
    openApi: of(schemas.toGeminiOpenApi(tools)[0]?.functionDeclarations[0]?.parameters),
    bedrock: of(schemas.toBedrock(tools)[0]?.toolSpec.inputSchema.json)
  }
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const strictOf = (input: JsonObject) => ProviderSchema.make().toOpenAIChat([tool(input)], true)[0]?.function

const back = (input: JsonObject, args: JsonObject, provider: ProviderSchema.Provider = "openai") =>
  ProviderSchema.make().fromProvider([tool(input)], provider, "tool", args).args

describe("declarations", () => {
  const weather = tool({ properties: { city: { type: "string" } }, required: ["city"] }, "weather", "The weather")
  const schemas = ProviderSchema.make()
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
  const [name, description] = ["weather", "The weather"]

  it("have the shape of each provider", () => {
    assert.deepStrictEqual(schemas.toOpenAIChat([weather]), [{
      type: "function",
      function: { name, description, parameters: schema }
    }])
    assert.deepStrictEqual(schemas.toOpenAIResponses([weather]), [
      { type: "function", name, description, parameters: schema, strict: false }
    ])
    assert.deepStrictEqual(schemas.toAnthropic([weather]), [{ name, description, input_schema: schema }])
    assert.deepStrictEqual(schemas.toGemini([weather]), [
      { functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }
    ])
    assert.deepStrictEqual(schemas.toGeminiOpenApi([weather]), [
      { functionDeclarations: [{ name, description, parameters: schema }] }
    ])
    assert.deepStrictEqual(schemas.toBedrock([weather]), [
      { toolSpec: { name, description, inputSchema: { json: schema } } }
    ])
  })

  it("of no tools are an empty list, to Gemini one empty element", () => {
    assert.deepStrictEqual(schemas.toAnthropic([]), [])
    assert.deepStrictEqual(schemas.toGemini([]), [{ functionDeclarations: [] }])
  })

  it("are made once for a list, and a schema that stayed isn't read again", () => {
    const tools = [weather]
    assert.strictEqual(schemas.toOpenAIChat(tools, true), schemas.toOpenAIChat(tools, true))
    const [before] = schemas.toOpenAIChat(tools, true)
    const [after] = schemas.toOpenAIChat([weather, tool({}, "more")], true)
    assert.strictEqual(after?.function.parameters, before?.function.parameters)
  })

  it("a schema that a provider takes goes out as it is, without what only identifies it", () => {
    const own = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object" as const,
      properties: { n: { type: ["integer", "null"], minimum: 1, default: null, description: "How many" } }
    }
    const [sent] = schemas.toAnthropic([defineTool({ name: "t", input: own, handler: () => "" })])
    assert.deepStrictEqual(sent?.input_schema, { type: "object", properties: own.properties })
    assert.strictEqual(sent?.input_schema["properties"], own.properties)
  })

  it("who changes what goes out at its root doesn't change the tool", () => {
    const sent = ProviderSchema.make().toOpenAIChat([weather])[0]?.function.parameters
    assert.deepStrictEqual(sent, weather.inputSchema)
    assert.notStrictEqual(sent, weather.inputSchema)
  })

  it("a keyword that code left undefined doesn't go out", () => {
    const p = { type: "string", items: undefined, required: undefined, additionalProperties: undefined } as const
    for (const sent of Object.values(declared(p))) assert.hasAllKeys(sent, ["type"])
  })

  it("a long description goes on in that of the input, and Bedrock's is never empty", () => {
    const long = tool({ description: "Its input" }, "long", `${"word ".repeat(300)}end`)
    const [openAI] = schemas.toOpenAIChat([long])
    assert.isAtMost(openAI?.function.description.length ?? 0, 1024)
    assert.match(String(openAI?.function.parameters["description"]), /^…word .*end\n\nIts input$/s)
    assert.strictEqual(schemas.toBedrock([tool({}, "bare")])[0]?.toolSpec.description, "bare")
    const [bedrock] = schemas.toBedrock([long])
    assert.match(bedrock?.toolSpec.description ?? "", /end\n\nIts input$/)
    assert.deepStrictEqual(Object.keys(bedrock?.toolSpec.inputSchema.json ?? {}), ["type", "properties"])
  })
})

describe("names of tools", () => {
  const schemas = ProviderSchema.make()
  const namesOf = (names: ReadonlyArray<string>) => {
    const tools = names.map((name) => tool({}, name))
    return { tools, declared: schemas.toAnthropic(tools).map(({ name }) => name) }
  }

  it("are legal and distinct, and lead back to the tool (B049, B050, B055)", () => {
    const names = [
      `${"a".repeat(70)}1`,
      `${"a".repeat(70)}2`,
      "admin.tools.list",
      "user/update",
      "größe",
      "9lives",
      "",
      "ok"
    ]
    const { declared: legal, tools } = namesOf(names)
    for (const name of legal) assert.match(name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
    assert.strictEqual(new Set(legal).size, names.length)
    assert.strictEqual(legal.at(-1), "ok")
    for (const [index, name] of legal.entries()) {
      assert.deepStrictEqual(schemas.fromProvider(tools, "gemini", name, {}), { name: names[index] ?? "", args: {} })
      assert.strictEqual(schemas.toolNamed(tools, name)?.name, names[index])
    }
  })

  it("don't depend on which other tools there are, nor on their order", () => {
    const [alone = ""] = namesOf(["user/update"]).declared
    const { declared: among } = namesOf(["user_update", "user.update", "user/update"])
    assert.strictEqual(among[2], alone)
    assert.deepStrictEqual(among.toReversed(), namesOf(["user/update", "user.update", "user_update"]).declared)
    assert.strictEqual(among[0], "user_update")
  })

  it("nobody takes the name that another tool goes by", () => {
    const [taken = ""] = namesOf(["a.b"]).declared
    const { declared: both, tools } = namesOf([taken, "a.b"])
    assert.strictEqual(both[1], taken)
    assert.notStrictEqual(both[0], taken)
    assert.strictEqual(schemas.fromProvider(tools, "openai", taken, "").name, "a.b")
  })
})

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

describe("what a model sends", () => {
  const input = { properties: { city: { type: "string" } } }
  const schemas = ProviderSchema.make()
  const own = (args: Parameters<typeof schemas.fromProvider>[3], name = "tool") =>
    schemas.fromProvider([tool(input)], "openai", name, args)

  it("is an object, its text, or nothing; anything else is for the call to refuse", () => {
    assert.deepStrictEqual(own(`{"city":"Oslo"}`), { name: "tool", args: { city: "Oslo" } })
    for (const nothing of [undefined, null, "", " \n"]) assert.deepStrictEqual(own(nothing).args, {})
    for (const wrong of ["{", "[1]", `"text"`, 7, [1]]) assert.deepStrictEqual(own(wrong).args, wrong)
  })

  it("for a tool that doesn't exist stays as it is", () => {
    assert.deepStrictEqual(own(`{"a":null}`, "nobody"), { name: "nobody", args: { a: null } })
  })

  it("is followed into alternatives by what is in it, however deep", () => {
    const alternatives = {
      properties: {
        p: {
          anyOf: [
            {
              type: "object",
              properties: {
                at: { type: "object", properties: { kind: { const: "a" } }, required: ["kind"] },
                k: { type: ["string", "null"] }
              },
              required: ["at", "k"]
            },
            {
              type: "object",
              properties: {
                at: { type: "object", properties: { kind: { const: "b" } }, required: ["kind"] },
                k: { type: "string" }
              },
              required: ["at"]
            }
          ]
        }
      }
    }
    assert.deepStrictEqual(back(alternatives, { p: { at: { kind: "a" }, k: null } }), {
      p: { at: { kind: "a" }, k: null }
    })
    assert.deepStrictEqual(back(alternatives, { p: { at: { kind: "b" }, k: null } }), { p: { at: { kind: "b" } } })
  })

  it("may be deeper than any stack", () => {
    const recursive = {
      properties: { p: { $ref: "#/$defs/a" } },
      $defs: { a: { type: "array", items: { $ref: "#/$defs/a" } } }
    }
    const text = `{"p":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    assert.isTrue(isObject(schemas.fromProvider([tool(recursive)], "gemini", "tool", text).args))
  })
})

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

describe("check", () => {
  it("says how many are too many", () => {
    const tools = Array.from({ length: 129 }, (_, index) => tool({}, `t${index}`))
    const schemas = ProviderSchema.make()
    assert.deepStrictEqual(schemas.check(tools, "openai").notes, [
      { name: "", path: "", kind: "limit", text: "129 tools, of which OpenAI takes 128" }
    ])
    assert.deepStrictEqual(schemas.check(tools, "gemini").notes, [])
    assert.strictEqual(schemas.toOpenAIChat(tools).length, 129)
  })

  it("names what was dropped, moved, renamed and encoded, and where", () => {
    const input = {
      properties: {
        "a b": {
          type: "array",
          items: { type: "object", properties: { c: { type: "string", format: "uri", "x-hint": 1 } } }
        },
        map: { type: "object", additionalProperties: { type: "integer" } }
      }
    }
    const { notes } = ProviderSchema.make().check([tool(input)], "gemini", { mode: "openapi" })
    assert.deepStrictEqual(notes.map(({ kind, path }) => [path, kind]), [
      ["a b[].c", "dropped"],
      ["a b", "renamed"],
      ["a b[].c", "moved"],
      ["map", "encoded"]
    ])
  })
})

import { assert, describe, it } from "@effect/vitest"
import * as ProviderSchema from "../src/ProviderSchema.ts"
import { defineTool } from "../src/Tool.ts"
import { back, declared, isObject, tool } from "./declarations.ts"

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

  it("what a schema inherits from a class isn't taken for a part of it that goes out", () => {
    class Text {
      readonly enum = ["a"]
      get type() {
        return "string"
      }
    }
    class Wrapped {
      readonly properties = { t: new Text() }
      readonly type = "object"
    }
    const { gemini, openAI } = declared(new Text(), { required: ["p"] })
    assert.deepStrictEqual([gemini, openAI], Array.from({ length: 2 }, () => ({ type: "string", enum: ["a"] })))
    const within = declared(new Wrapped()).openAI
    assert.deepStrictEqual(within, { type: "object", properties: { t: { type: "string", enum: ["a"] } } })
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

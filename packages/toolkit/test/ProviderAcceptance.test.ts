/** Every schema that servers declare becomes something that each provider takes, by rules written apart from ours. */
import { defineTool, Json, type Tool } from "@effect-toolnexus/core"
import * as ProviderSchema from "@effect-toolnexus/core/ProviderSchema"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { generateInput } from "./generatedSchemas.ts"
import * as Rules from "./providerRules.ts"
import { problemsOf, type Way, ways as everyWay } from "./providerWays.ts"
import { generateUsual } from "./usualSchemas.ts"

const Line = Schema.fromJsonString(Schema.Struct({ id: Schema.String, schema: Schema.Json }))

const decodeLine = Schema.decodeSync(Line)

const schemasOf = (name: string) =>
  readFileSync(new URL(`../../../fixtures/schemas/${name}.ndjson`, import.meta.url), "utf8").trim().split("\n").map(
    (line) => decodeLine(line)
  )

const DIALECTS: Readonly<Record<string, string>> = {
  draft4: "http://json-schema.org/draft-04/schema#",
  draft7: "http://json-schema.org/draft-07/schema#"
}

/** A schema of the suite as the one argument of a tool. */
const asArgument = ({ id, schema }: typeof Line.Type): Json.JsonObject => {
  const dialect = DIALECTS[id.split("/")[0] ?? ""]
  return {
    ...(dialect === undefined ? {} : { $schema: dialect }),
    type: "object",
    properties: { value: schema },
    required: ["value"]
  }
}

const asRoot = ({ schema }: typeof Line.Type): Json.JsonObject => ({
  ...(Json.isJsonObject(schema) ? schema : {}),
  type: "object"
})

const SEEDS = Number(process.env["SEEDS"] ?? 150)

const TIMEOUT = 30_000 + SEEDS * 50

const sets: Readonly<Record<string, ReadonlyArray<Json.JsonObject>>> = {
  "817 tools of real MCP servers": schemasOf("mcp-tools").map(asRoot),
  "operations of real OpenAPI documents": schemasOf("openapi-operations").map(asRoot),
  "the JSON Schema test suite, as an argument": schemasOf("json-schema-test-suite").map(asArgument),
  "the JSON Schema test suite, as the whole input": schemasOf("json-schema-test-suite").map(asRoot),
  "generated schemas": Array.from({ length: SEEDS }, (_, seed) => generateInput(seed).schema).filter(Json.isJsonObject),
  "generated schemas of the usual kind": Array.from({ length: 5 * SEEDS }, (_, seed) => generateUsual(seed))
}

const toolsOf = (schemas: ReadonlyArray<Json.JsonObject>): ReadonlyArray<Tool.Tool> =>
  schemas.map((schema, index) => defineTool({ name: `tool-${index}`, input: schema, handler: () => "" }))

const ways: Readonly<Record<string, Way>> = {
  ...everyWay,
  "OpenAI responses, strict": [(schemas, tools) => schemas.toOpenAIResponses(tools, true), Rules.checkOpenAIResponses],
  "OpenAI, as common": [
    (schemas, tools) =>
      schemas.declare(tools, "common").map(({ description, inputSchema: parameters, name }) => ({
        type: "function",
        function: { name, description, parameters }
      })),
    Rules.checkOpenAIChat
  ],
  "Anthropic, as common": [
    (schemas, tools) =>
      schemas.declare(tools, "common").map(({ description, inputSchema: input_schema, name }) => ({
        name,
        description,
        input_schema
      })),
    Rules.checkAnthropic
  ],
  "Gemini, as common": [
    (schemas, tools) => [{
      functionDeclarations: schemas.declare(tools, "common").map(({ description, inputSchema, name }) => ({
        name,
        description,
        parametersJsonSchema: inputSchema
      }))
    }],
    Rules.checkGemini
  ],
  "Bedrock, as common": [
    (schemas, tools) =>
      schemas.declare(tools, "common").map(({ description, inputSchema: json, name }) => ({
        toolSpec: { name, description, inputSchema: { json } }
      })),
    Rules.checkBedrock
  ]
}

describe.each(Object.entries(sets))("%s", (_name, schemas) => {
  const before = JSON.stringify(schemas)
  const tools = toolsOf(schemas)

  it.each(Object.entries(ways))("are taken by %s", { timeout: TIMEOUT }, (_provider, way) => {
    assert.deepStrictEqual(problemsOf(way, ProviderSchema.make(), tools).slice(0, 5), [])
    assert.strictEqual(JSON.stringify(schemas), before, "a tool's own schema was changed")
  })

  it("are all there, and become the same every time", { timeout: TIMEOUT }, () => {
    const [first, second] = [ProviderSchema.make(), ProviderSchema.make()]
    for (const provider of ["openai", "openai-responses", "anthropic", "gemini", "bedrock", "common"] as const) {
      assert.deepStrictEqual(first.check(tools, provider).left_out, [], provider)
    }
    for (const [render] of Object.values(ways)) {
      assert.strictEqual(JSON.stringify(render(first, tools)), JSON.stringify(render(second, tools)))
    }
  })
})

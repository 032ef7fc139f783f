/** The short way to a provider, which most schemas go, says what the way over a shape says. */
import { Json, ProviderProfile } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { renderUsual } from "../../core/src/internal/renderUsual.ts"
import { readToolShape } from "../../core/src/internal/shapeReader.ts"
import { renderShape } from "../../core/src/internal/shapeRenderer.ts"
import { overLimit } from "../../core/src/internal/strictLimits.ts"
import { generateInput } from "./generatedSchemas.ts"
import { generateUsual } from "./usualSchemas.ts"

const decodeLine = Schema.decodeSync(Schema.fromJsonString(Schema.Struct({ schema: Schema.Json })))

const schemasOf = (name: string): ReadonlyArray<Json.Json> =>
  readFileSync(new URL(`../../../fixtures/schemas/${name}.ndjson`, import.meta.url), "utf8").trim().split("\n").map(
    (line) => decodeLine(line).schema
  )

const suite = schemasOf("json-schema-test-suite")

const properties = (count: number, of: (index: number) => Json.Json, name = "p"): Json.JsonObject => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, of(index)])),
  required: Array.from({ length: count }, (_, index) => `${name}${index}`),
  additionalProperties: false
})

const values = (count: number, length: number): Json.Json => ({
  type: "string",
  enum: Array.from({ length: count }, (_, index) => String(index).padStart(length, "v"))
})

/** Each within a limit, and just over it. */
const nearLimits = (): ReadonlyArray<Json.JsonObject> => {
  const deep = (levels: number): Json.JsonObject =>
    levels === 1 ? properties(0, () => "") : properties(1, () => levels === 2 ? { type: "string" } : deep(levels - 1))
  const lists = (levels: number): Json.Json =>
    levels === 1 ? { type: "string" } : { type: "array", items: lists(levels - 1) }
  return [
    ...[10, 11].flatMap((levels) => [deep(levels), properties(1, () => lists(levels - 1))]),
    ...[999, 1000, 1001].map((count) => properties(1, () => values(count, 4))),
    ...[10, 11].map((count) => properties(count, () => values(100, 3))),
    ...[250, 251].map((count) => properties(1, () => values(count, 60))),
    ...[1800, 1900].map((count) => properties(count, () => ({ type: "string" }), "n".repeat(60)))
  ]
}

const SEEDS = Number(process.env["SEEDS"] ?? 500)

const sets = {
  "real MCP servers": schemasOf("mcp-tools"),
  "real OpenAPI documents": schemasOf("openapi-operations"),
  "the JSON Schema test suite, as an argument that is needed": suite.map((schema) => ({
    type: "object",
    properties: { value: schema },
    required: ["value"]
  })),
  "the JSON Schema test suite, as one that is not": suite.map((schema) => ({
    type: "object",
    properties: { value: schema }
  })),
  "the JSON Schema test suite, as the whole": suite.flatMap((schema) =>
    Json.isJsonObject(schema) ? [{ ...schema, type: "object" }] : []
  ),
  "which one more would be over a limit of strict mode": nearLimits(),
  "a generator": Array.from({ length: SEEDS }, (_, seed) => generateInput(seed).schema),
  "a generator of usual ones": Array.from({ length: 10 * SEEDS }, (_, seed) => generateUsual(seed))
}

const { anthropic, bedrock, common, gemini, geminiOpenApi, openAI, openAIStrict } = ProviderProfile

const byShape = (schema: unknown, profile: ProviderProfile.ProviderProfile) => {
  const shape = readToolShape(schema)
  if (typeof shape === "string") return assert.fail(shape)
  const { notes, refused, schema: rendered, text } = renderShape(shape, profile)
  return { schema: rendered, text, notes: [...shape.notes, ...notes], refused }
}

/**
 * One spelling for all that say the same: of references that lead to mere texts by way of others, each time one is written
 * where it is used.
 */
const spell = (schema: unknown, before?: unknown): unknown =>
  isDeepStrictEqual(schema, before) ? schema : spell(byShape(schema, openAI).schema, schema)

describe.each(Object.entries(sets))("schemas of %s", (_name, schemas) => {
  it.each([openAI, openAIStrict, anthropic, gemini, geminiOpenApi, bedrock, common])("$name", (profile) => {
    let count = 0
    for (const schema of schemas) {
      const usual = renderUsual(schema, profile)
      if (usual === undefined) continue
      count++
      const expected = byShape(schema, profile)
      const what = JSON.stringify(schema)
      assert.strictEqual(usual.refused, expected.refused, what)
      if (usual.refused !== undefined) continue
      assert.strictEqual(usual.text, expected.text, what)
      assert.deepStrictEqual(usual.notes, expected.notes, what)
      assert.deepStrictEqual(spell(usual.schema), spell(expected.schema), what)
    }
    assert.isAbove(count, schemas.length / 30)
  })
})

describe("limits of strict mode are kept, whatever they are", () => {
  const NO_LIMITS = {
    levels: Infinity,
    properties: Infinity,
    characters: Infinity,
    listedValues: Infinity,
    longListCharacters: Infinity
  }
  const schemas = [...sets["a generator of usual ones"], ...nearLimits()]

  it.each(["levels", "properties", "characters", "listedValues", "longListCharacters"] as const)("%s", (kind) => {
    let count = 0
    for (const schema of schemas) {
      const within = (limit: number) => {
        const strict = { ...NO_LIMITS, [kind]: limit }
        return { strict, usual: renderUsual(schema, { ...openAIStrict, strict }) }
      }
      const { usual: free } = within(Infinity)
      if (free === undefined || free.refused !== undefined) continue
      for (let limit = 1; limit < 100_000; limit *= 2) {
        const { strict, usual } = within(limit)
        const expected = overLimit(free.schema, strict)
        if (expected !== undefined) count++
        assert.strictEqual(usual?.refused, expected, JSON.stringify([strict, schema]))
      }
    }
    assert.isAbove(count, 0)
  })
})

describe("what is too large or has no end is for the long way", () => {
  const many = <A>(count: number, make: (index: number) => A) =>
    Array.from({ length: count }, (_, index) => make(index))
  const text = (index: number) => ({ type: "string", description: `${index}` })
  const often = (definition: unknown) => ({
    type: "object",
    properties: Object.fromEntries(many(300, (index) => [`p${index}`, { $ref: "#/$defs/a" }] as const)),
    $defs: { a: definition }
  })
  const anyOf: Array<unknown> = [{ type: "string" }]
  anyOf.push({ anyOf })
  const items: Record<string, unknown> = { type: "array" }
  items["items"] = { anyOf: [items, items, text(0)] }

  it.each(
    Object.entries({
      "a list that contains itself": often(items),
      "alternatives that contain themselves": often({ anyOf }),
      "more alternatives than one reads": often({ anyOf: many(300, text) }),
      "alternatives of alternatives": often({ anyOf: many(20, (index) => ({ anyOf: many(20, () => text(index)) })) }),
      "the same long text in many places": {
        type: "object",
        properties: Object.fromEntries(
          many(300, (index) => [`p${index}`, { description: "x".repeat(20_000) }] as const)
        )
      }
    })
  )("%s", (_name, schema) => {
    for (const profile of [openAI, openAIStrict, anthropic, gemini, geminiOpenApi, bedrock, common]) {
      const usual = renderUsual(schema, profile)
      assert.isTrue(usual === undefined || usual.refused !== undefined, profile.name)
    }
  })
})

/** Whatever a model sends under a lowered schema comes back as the tool's own arguments. */
import { defineTool, type Json, type Tool } from "@effect-toolnexus/core"
import * as ProviderSchema from "@effect-toolnexus/core/ProviderSchema"
import { assert, describe, it } from "@effect/vitest"
import * as SchemaValidator from "../src/SchemaValidator.ts"
import { generateInput } from "./generatedSchemas.ts"
import { encode, IMPOSSIBLE, listNull, renames } from "./modelEncoding.ts"

const SEEDS = Number(process.env["SEEDS"] ?? 150)
/** Half a second for each is a hundred times what it takes. */
const TIMEOUT = 30_000 + SEEDS * 500

const FIRST_SEED = Number(process.env["FIRST_SEED"] ?? 1)

interface Way {
  readonly provider: ProviderSchema.Target
  readonly options?: ProviderSchema.ProviderOptions
  readonly schema: (schemas: ProviderSchema.ProviderSchemas, tools: ReadonlyArray<Tool.Tool>) => unknown
}

const ways: Readonly<Record<string, Way>> = {
  openai: { provider: "openai", schema: (schemas, tools) => schemas.toOpenAIChat(tools)[0]?.function.parameters },
  strict: {
    provider: "openai",
    options: { strict: true },
    schema: (schemas, tools) => schemas.toOpenAIChat(tools, true)[0]?.function.parameters
  },
  anthropic: { provider: "anthropic", schema: (schemas, tools) => schemas.toAnthropic(tools)[0]?.input_schema },
  gemini: {
    provider: "gemini",
    schema: (schemas, tools) => schemas.toGemini(tools)[0]?.functionDeclarations[0]?.parametersJsonSchema
  },
  "gemini openapi": {
    provider: "gemini",
    options: { mode: "openapi" },
    schema: (schemas, tools) => schemas.toGeminiOpenApi(tools)[0]?.functionDeclarations[0]?.parameters
  },
  common: { provider: "common", schema: (schemas, tools) => schemas.declare(tools, "common")[0]?.inputSchema },
  bedrock: { provider: "bedrock", schema: (schemas, tools) => schemas.toBedrock(tools)[0]?.toolSpec.inputSchema.json }
}

/** An optional property that may be null may come back as null. */
const isSame = (sent: Json.Json, back: Json.Json | undefined): boolean => {
  if (isList(sent)) {
    return isList(back) && back.length === sent.length && sent.every((each, index) => isSame(each, back[index]))
  }
  if (!isObject(sent)) return Object.is(sent, back)
  if (!isObject(back)) return false
  return Object.keys(sent).every((name) => isSame(sent[name] ?? null, back[name])) &&
    Object.keys(back).every((name) => Object.hasOwn(sent, name) || back[name] === null)
}

const isList = (value: Json.Json | undefined): value is ReadonlyArray<Json.Json> => Array.isArray(value)

const isObject = (value: unknown): value is Json.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const problemOf = (seed: number, { options, provider, schema: render }: Way): string | undefined => {
  const { schema, value: generate } = generateInput(seed)
  const value = generate()
  if (typeof schema === "boolean") return undefined
  const original = SchemaValidator.compile(schema)
  if (original.validate(value).length > 0) return undefined
  const tools = [defineTool({ name: "tool", input: schema, handler: () => "" })]
  const schemas = ProviderSchema.make()
  const lowered = render(schemas, tools)
  if (!isObject(lowered)) return "it is left out"
  const sent = encode(listNull(lowered), renames(schemas.check(tools, provider, options).notes), value)
  if (sent === IMPOSSIBLE) return `no way to send ${JSON.stringify(value)} under ${JSON.stringify(lowered)}`
  const { args, name } = schemas.fromProvider(tools, provider, "tool", JSON.stringify(sent))
  if (name !== "tool") return `the name came back as ${name}`
  if (!isSame(value, args)) {
    return `${JSON.stringify(value)} sent as ${JSON.stringify(sent)} came back as ${JSON.stringify(args)}`
  }
  const issues = original.validate(args)
  return issues.length === 0 ? undefined : `${JSON.stringify(args)} is not valid: ${JSON.stringify(issues)}`
}

describe("ProviderSchema, there and back", () => {
  for (const [name, way] of Object.entries(ways)) {
    it(`${name} gives back what was sent`, { timeout: TIMEOUT }, () => {
      const problems: Array<string> = []
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS && problems.length < 3; seed++) {
        const problem = problemOf(seed, way)
        if (problem !== undefined) {
          problems.push(`seed ${seed}: ${problem}\n${JSON.stringify(generateInput(seed).schema)}`)
        }
      }
      assert.deepStrictEqual(problems, [])
    })
  }
})

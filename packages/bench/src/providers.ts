/**
 * 1,000 schemas of real MCP servers for each provider, beside what OpenAI's Agents SDK makes of them. Every sample has
 * schemas that nobody has seen before: what is measured is the work, not a cache, and not the making of the schemas.
 */
import { defineTool, type Json, ProviderSchema, type Tool } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { measure, settle } from "./harness.ts"
import { convert, type McpTool } from "./openAIAgents.ts"

const COUNT = 1000

const decodeLine = Schema.decodeSync(Schema.fromJsonString(Schema.Struct({ schema: Schema.JsonObject })))

const lines = () =>
  readFileSync(new URL("../../../fixtures/schemas/mcp-tools.ndjson", import.meta.url), "utf8").trim().split("\n")

/** Fresh objects for every sample, made right before it, and old by then. */
const supply = <A>(make: (schema: Json.JsonObject, index: number) => A) => {
  const texts = lines()
  const next = () =>
    Array.from({ length: COUNT }, (_, index) => make(decodeLine(texts[index % texts.length] ?? "").schema, index))
  let made = next()
  return {
    take: () => made,
    prepare: () => {
      made = next()
      settle()
    }
  }
}

const toTool = (schema: Json.JsonObject, index: number): Tool.Tool =>
  defineTool({ name: `tool_${index}`, input: schema, handler: () => "" })

const toMcpTool = (schema: Json.JsonObject, index: number): McpTool => ({
  name: `tool_${index}`,
  description: "",
  inputSchema: { properties: {}, required: [], additionalProperties: true, ...schema, type: "object" }
})

export const providers = Effect.suspend(() => {
  const ours = supply(toTool)
  const theirs = supply(toMcpTool)
  const kept = ours.take()
  const warm = ProviderSchema.make()
  warm.toOpenAIChat(kept)
  const ourWay = (
    name: string,
    render: (schemas: ProviderSchema.ProviderSchemas, tools: ReadonlyArray<Tool.Tool>) => unknown
  ) => ({
    name,
    prepare: ours.prepare,
    run: async () => render(ProviderSchema.make(), ours.take())
  })
  const theirWay = (name: string, toStrict: boolean) => ({
    name,
    prepare: theirs.prepare,
    run: async () => convert(theirs.take(), toStrict)
  })
  return measure({
    title: `${COUNT} schemas of real MCP servers for a provider`,
    batch: 1,
    samples: 21,
    unit: "ms",
    contenders: [
      theirWay("OpenAI Agents JS", false),
      theirWay("OpenAI Agents JS, strict (2 of 3 become so)", true),
      ourWay("OpenAI", (schemas, tools) => schemas.toOpenAIChat(tools)),
      ourWay("OpenAI, strict (9 of 10 become so)", (schemas, tools) => schemas.toOpenAIChat(tools, true)),
      ourWay("Anthropic", (schemas, tools) => schemas.toAnthropic(tools)),
      ourWay("Gemini", (schemas, tools) => schemas.toGemini(tools)),
      ourWay("Gemini, openapi", (schemas, tools) => schemas.toGeminiOpenApi(tools)),
      ourWay("Bedrock", (schemas, tools) => schemas.toBedrock(tools)),
      { name: "the same list again", run: async () => warm.toOpenAIChat(kept) }
    ]
  })
})

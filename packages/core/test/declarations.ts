/** Schemas on their way to providers, and what comes back. */
import type { JsonObject } from "../src/Json.ts"
import * as ProviderSchema from "../src/ProviderSchema.ts"
import { defineTool, type Tool } from "../src/Tool.ts"

export const tool = (input: JsonObject, name = "tool", description = ""): Tool =>
  defineTool({ name, description, input: { type: "object", ...input }, handler: () => "" })

/** The one property of a tool's input, as each way declares it. */
export const declared = (property: unknown, more: JsonObject = {}) => {
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

export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const back = (input: JsonObject, args: JsonObject, provider: ProviderSchema.Provider = "openai") =>
  ProviderSchema.make().fromProvider([tool(input)], provider, "tool", args).args

export const strictOf = (input: JsonObject) => ProviderSchema.make().toOpenAIChat([tool(input)], true)[0]?.function

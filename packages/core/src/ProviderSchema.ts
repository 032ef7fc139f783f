/**
 * Tools in the shapes that providers take (CONTRACT 10). The schemas go out as the tools' owners wrote them; lowering
 * them to what each provider accepts belongs here.
 *
 * @since 0.1.0
 */
import type * as JsonSchema from "effect/JsonSchema"
import type { Tool } from "./Tool.ts"

/**
 * A tool in OpenAI's chat completions.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenAIChatTool {
  readonly type: "function"
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: JsonSchema.JsonSchema
  }
}

/**
 * A tool in OpenAI's Responses API, where `strict` must be said: it defaults to true there.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenAIResponsesTool {
  readonly type: "function"
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema.JsonSchema
  readonly strict: boolean
}

/**
 * A tool in Anthropic's Messages API.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonSchema.JsonSchema
}

/**
 * The one element that Gemini's `tools` gets.
 *
 * @category models
 * @since 0.1.0
 */
export interface GeminiTool {
  readonly functionDeclarations: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly parametersJsonSchema: JsonSchema.JsonSchema
  }>
}

/**
 * For `tools` of OpenAI's chat completions.
 *
 * @category operations
 * @since 0.1.0
 */
export const toOpenAIChat = (tools: ReadonlyArray<Tool>): ReadonlyArray<OpenAIChatTool> =>
  tools.map(({ description, inputSchema, name }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema }
  }))

/**
 * For `tools` of OpenAI's Responses API.
 *
 * @category operations
 * @since 0.1.0
 */
export const toOpenAIResponses = (tools: ReadonlyArray<Tool>): ReadonlyArray<OpenAIResponsesTool> =>
  tools.map(({ description, inputSchema, name }) => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
    strict: false
  }))

/**
 * For `tools` of Anthropic's Messages API.
 *
 * @category operations
 * @since 0.1.0
 */
export const toAnthropic = (tools: ReadonlyArray<Tool>): ReadonlyArray<AnthropicTool> =>
  tools.map(({ description, inputSchema, name }) => ({ name, description, input_schema: inputSchema }))

/**
 * For `tools` of Gemini's `generateContent`: always one element, also without tools.
 *
 * @category operations
 * @since 0.1.0
 */
export const toGemini = (tools: ReadonlyArray<Tool>): ReadonlyArray<GeminiTool> => [{
  functionDeclarations: tools.map(({ description, inputSchema, name }) => ({
    name,
    description,
    parametersJsonSchema: inputSchema
  }))
}]

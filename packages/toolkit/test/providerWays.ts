/** The ways in which tools are declared to providers, each with the rules that judge it. */
import type { ProviderSchema, Tool } from "@effect-toolnexus/core"
import * as Rules from "./providerRules.ts"

export type Way = readonly [
  render: (schemas: ProviderSchema.ProviderSchemas, tools: ReadonlyArray<Tool.Tool>) => unknown,
  check: (tools: unknown) => ReadonlyArray<string>
]

export const ways: Readonly<Record<string, Way>> = {
  "OpenAI chat": [(schemas, tools) => schemas.toOpenAIChat(tools), Rules.checkOpenAIChat],
  "OpenAI chat, strict": [(schemas, tools) => schemas.toOpenAIChat(tools, true), Rules.checkOpenAIChat],
  "OpenAI responses": [(schemas, tools) => schemas.toOpenAIResponses(tools), Rules.checkOpenAIResponses],
  Anthropic: [(schemas, tools) => schemas.toAnthropic(tools), Rules.checkAnthropic],
  Gemini: [(schemas, tools) => schemas.toGemini(tools), Rules.checkGemini],
  "Gemini, openapi": [(schemas, tools) => schemas.toGeminiOpenApi(tools), Rules.checkGeminiOpenApi],
  Bedrock: [(schemas, tools) => schemas.toBedrock(tools), Rules.checkBedrock]
}

/** What is wrong with them, a hundred at a time: each provider takes as many. */
export const problemsOf = (
  [render, check]: Way,
  schemas: ProviderSchema.ProviderSchemas,
  tools: ReadonlyArray<Tool.Tool>
): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(tools.length / 100) }, (_, index) => tools.slice(index * 100, index * 100 + 100))
    .flatMap((some) => check(render(schemas, some)))

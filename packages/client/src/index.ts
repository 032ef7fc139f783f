/**
 * A toolkit in the runtime you have: `effect/ai`, plain Promises, the AI SDK, LangChain.
 *
 * @since 0.1.0
 */
export * as AiSdk from "./AiSdk.ts"
export * as EffectAi from "./EffectAi.ts"
export * as LangChain from "./LangChain.ts"
export * as PlainToolkit from "./PlainToolkit.ts"
export { createToolkit } from "./PlainToolkit.ts"
export * as ToolLoop from "./ToolLoop.ts"

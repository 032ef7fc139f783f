/**
 * At home in agent runtimes.
 *
 * @since 0.1.0
 */
export * as EffectAi from "./EffectAi.ts"
export * as ToolLoop from "./ToolLoop.ts"

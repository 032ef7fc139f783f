/**
 * effect-toolnexus: every tool an agent needs in one flat namespace, in one call.
 *
 * @since 0.1.0
 */
export * from "@effect-toolnexus/agents"
export * from "@effect-toolnexus/builtins"
export * from "@effect-toolnexus/client"
export * from "@effect-toolnexus/core"
export * from "@effect-toolnexus/extra"
export * from "@effect-toolnexus/mcp"
export * from "@effect-toolnexus/skills"
export * from "@effect-toolnexus/toolkit"

/**
 * Remote A2A agents as a source of tools.
 *
 * @since 0.1.0
 */
export * as A2aError from "./A2aError.ts"
export * as A2aReading from "./A2aReading.ts"
export * as A2aTask from "./A2aTask.ts"
export * as AgentCard from "./AgentCard.ts"
export * as AgentSource from "./AgentSource.ts"

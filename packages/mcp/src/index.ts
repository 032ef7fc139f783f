/**
 * MCP servers as a source of tools.
 *
 * @since 0.1.0
 */
export { ClientRoots, type Root } from "./ClientRoots.ts"
export * as McpConfig from "./McpConfig.ts"
export * as McpError from "./McpError.ts"
export * as McpInventory from "./McpInventory.ts"
export * as McpPrompt from "./McpPrompt.ts"
export * as McpResource from "./McpResource.ts"
export * as McpSession from "./McpSession.ts"
export { McpSource, type McpSourceOptions } from "./McpSource.ts"
export {
  SamplingProvider,
  type SamplingProviderService,
  SamplingRefused,
  type SamplingRequest
} from "./SamplingProvider.ts"

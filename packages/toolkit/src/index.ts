/**
 * The fold: every source in one toolkit.
 *
 * @since 0.1.0
 */
export * as NodeHttp from "./NodeHttp.ts"
export * as NodePlatform from "./NodePlatform.ts"
export * as Policy from "./Policy.ts"
export * as Precedence from "./Precedence.ts"
export * as Telemetry from "./Telemetry.ts"
export * as ToolkitConfig from "./ToolkitConfig.ts"
export * as ToolkitLayer from "./ToolkitLayer.ts"
export { ToolkitLive } from "./ToolkitLive.ts"
export * as ToolkitOptions from "./ToolkitOptions.ts"

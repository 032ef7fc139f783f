/**
 * The `toolnexus` command as a program: what `bin.ts` runs, for hosts that bring a toolkit or a platform of their own.
 *
 * @since 0.1.0
 */
export * as SourceFlags from "./SourceFlags.ts"
export { ToolkitFactory } from "./ToolkitFactory.ts"
export * as Toolnexus from "./Toolnexus.ts"
export * as ToolnexusError from "./ToolnexusError.ts"

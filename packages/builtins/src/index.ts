/**
 * Tools that work on the host itself: a shell and files.
 *
 * @since 0.1.0
 */
export * as Bash from "./Bash.ts"
export type { BuiltinOptions, BuiltinSettings } from "./BuiltinOptions.ts"
export * as BuiltinSource from "./BuiltinSource.ts"
export * as Read from "./Read.ts"
export { Workspace, WorkspaceError, type WorkspaceOptions } from "./Workspace.ts"

/**
 * Tools that come with the toolkit: a shell and files of the host, questions to a person, a list of what is to be done.
 *
 * @since 0.1.0
 */
export * as ApplyPatch from "./ApplyPatch.ts"
export * as Bash from "./Bash.ts"
export type { BuiltinLimits, BuiltinOptions, BuiltinSettings } from "./BuiltinOptions.ts"
export * as Builtins from "./Builtins.ts"
export * as BuiltinSource from "./BuiltinSource.ts"
export * as Edit from "./Edit.ts"
export * as Glob from "./Glob.ts"
export * as Grep from "./Grep.ts"
export * as Question from "./Question.ts"
export * as Read from "./Read.ts"
export { Ripgrep } from "./Ripgrep.ts"
export * as StaleGuard from "./StaleGuard.ts"
export * as TodoWrite from "./TodoWrite.ts"
export * as WebFetch from "./WebFetch.ts"
export { Workspace, WorkspaceError, type WorkspaceOptions } from "./Workspace.ts"
export * as Write from "./Write.ts"

/**
 * The builtins as a source of tools: one entry, `builtin`, which is loaded, switched off, or failed because its root
 * isn't there.
 *
 * @since 0.1.0
 */
import { Source, SourceEntry, type Tool } from "@effect-toolnexus/core"
import type { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as ApplyPatch from "./ApplyPatch.ts"
import * as Bash from "./Bash.ts"
import { type BuiltinOptions, type BuiltinSettings, decodeOptions, TOOL_NAMES } from "./BuiltinOptions.ts"
import * as Edit from "./Edit.ts"
import * as Glob from "./Glob.ts"
import * as Grep from "./Grep.ts"
import { ENTRY } from "./internal/defineBuiltin.ts"
import * as Question from "./Question.ts"
import * as Read from "./Read.ts"
import * as StaleGuard from "./StaleGuard.ts"
import * as TodoWrite from "./TodoWrite.ts"
import * as WebFetch from "./WebFetch.ts"
import { Workspace, type WorkspaceError } from "./Workspace.ts"
import * as Write from "./Write.ts"

type Platform = FileSystem.FileSystem | Path.Path | ChildProcessSpawner | HttpConnections

/**
 * A source with the builtins that the options leave on, in the order of CONTRACT 7.
 *
 * **Details**
 *
 * Options are checked also when they come from code; what makes no sense is a diagnostic of the entry. The tools work
 * in the `Workspace` of the context the layer is built in, where there is one; the options narrow it.
 *
 * **Example**
 *
 * ```ts
 * const builtins = BuiltinSource.layer({ root: "/srv/project", tools: { bash: false } })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: BuiltinOptions): Layer.Layer<Source, never, Platform> => {
  const decoded = decodeOptions(options)
  const rest = { diagnostics: decoded.diagnostics.map((diagnostic) => ({ ...diagnostic, entry: ENTRY })) }
  const settings = decoded.options === true ? {} : decoded.options
  if (settings === false) return Source.fromEntries("builtin", [SourceEntry.disabled(ENTRY, rest)])
  return Layer.unwrap(
    Effect.match(makeTools(settings), {
      onSuccess: (tools) => SourceEntry.loaded(ENTRY, { ...rest, tools }),
      onFailure: (error) => SourceEntry.failed(toEntryError(error), rest)
    }).pipe(Effect.map((entry) => Source.fromEntries("builtin", [entry])))
  )
}

export {
  type BuiltinLimits,
  type BuiltinOptions,
  type BuiltinSettings,
  type DecodedOptions,
  decodeOptions
} from "./BuiltinOptions.ts"

type Builder = Effect.Effect<Tool.Tool, never, Workspace | HttpConnections | Scope.Scope>

const builders = ({ bash, limits, network }: BuiltinSettings): Record<(typeof TOOL_NAMES)[number], Builder> => ({
  bash: Bash.make({ ...bash, ...limits }),
  read: Read.make(limits),
  write: Write.make(limits),
  edit: Edit.make(limits),
  apply_patch: ApplyPatch.make(limits),
  grep: Grep.make(limits),
  glob: Glob.make(limits),
  webfetch: WebFetch.make({ ...limits, ...(network === undefined ? {} : { network }) }),
  question: Question.make,
  todowrite: TodoWrite.make
})

const makeTools = Effect.fnUntraced(function*(settings: BuiltinSettings) {
  const workspace = yield* workspaceOf(settings)
  const make = builders(settings)
  const wanted = TOOL_NAMES.filter((name) => settings.tools?.[name] !== false)
  const tools = yield* Effect.forEach(wanted, (name) => make[name]).pipe(
    Effect.provideService(Workspace, workspace),
    Effect.provideService(StaleGuard.StaleGuard, StaleGuard.make(settings.staleGuard))
  )
  return workspace.isReadOnly ? tools.filter(({ annotations }) => annotations?.readOnlyHint === true) : tools
})

/** The host's, where it has put one in place, else one on the platform; either way with no more than the options allow. */
const workspaceOf = (settings: BuiltinSettings) =>
  Effect.flatMap(
    Effect.serviceOption(Workspace),
    Option.match({
      onNone: () => Workspace.make(settings),
      onSome: (workspace) => Workspace.narrow(workspace, settings)
    })
  )

const toEntryError = ({ message }: WorkspaceError): SourceEntry.EntryError =>
  new SourceEntry.EntryError({ kind: "builtin", entry: ENTRY, phase: "config", detail: message })

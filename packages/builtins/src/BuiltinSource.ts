/**
 * The builtins as a source of tools: one entry, `builtin`, which is loaded, switched off, or failed because its root
 * isn't there.
 *
 * @since 0.1.0
 */
import type { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import { Source } from "@effect-toolnexus/core/Source"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { type BuiltinOptions, decodeOptions } from "./BuiltinOptions.ts"
import { ENTRY } from "./internal/defineBuiltin.ts"
import type { WorkspaceError } from "./Workspace.ts"

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
    Effect.match(Effect.flatMap(loadTools, ({ makeTools }) => makeTools(settings)), {
      onSuccess: (tools) => SourceEntry.loaded(ENTRY, { ...rest, tools }),
      onFailure: (error) => SourceEntry.failed(toEntryError(error), rest)
    }).pipe(Effect.map((entry) => Source.fromEntries("builtin", [entry])))
  )
}

/** Only where they are on, and while other sources are on their way already. */
const loadTools = Effect.promise(() => import("./internal/builtinTools.ts"))

export {
  type BuiltinLimits,
  type BuiltinOptions,
  type BuiltinSettings,
  type DecodedOptions,
  decodeOptions
} from "./BuiltinOptions.ts"

const toEntryError = ({ message }: WorkspaceError): SourceEntry.EntryError =>
  new SourceEntry.EntryError({ kind: "builtin", entry: ENTRY, phase: "config", detail: message })

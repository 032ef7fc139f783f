/** From the flags to a toolkit, and from there to what a command does with it. */
import type { Diagnostic } from "@effect-toolnexus/core"
import type { ToolkitConfig } from "@effect-toolnexus/toolkit/ToolkitConfig"
import type { ToolkitOptions } from "@effect-toolnexus/toolkit/ToolkitOptions"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SourceFlags from "../SourceFlags.ts"
import { ToolkitFactory } from "../ToolkitFactory.ts"
import { withProgress } from "./progress.ts"

/** Runs an effect with the toolkit of all sources, and closes that afterwards. */
export const useToolkit = Effect.fnUntraced(
  function*<A, E, R>(flags: SourceFlags.SourceFlags, use: Effect.Effect<A, E, R>) {
    const files = yield* SourceFlags.configFiles(flags)
    const config = yield* loadConfig(files)
    const options = yield* SourceFlags.toOptions(flags, files, config)
    return yield* withLayer(options, SourceFlags.awaitedEntries(flags, config), use)
  },
  Effect.scoped
)

/** The same with skills alone: no server is started for them. `use` also gets what there is to say of the files. */
export const useSkills = Effect.fnUntraced(
  function*<A, E, R>(
    flags: SourceFlags.SourceFlags,
    use: (ofFiles: ReadonlyArray<Diagnostic.Diagnostic>) => Effect.Effect<A, E, R>
  ) {
    const config = yield* loadConfig(yield* SourceFlags.configFiles(flags))
    return yield* withLayer(SourceFlags.toSkillOptions(flags, config), [], use(diagnosticsOf(config)))
  },
  Effect.scoped
)

/** These commands list no entries, so a file that can't be read is told among the diagnostics. */
const diagnosticsOf = ({ diagnostics, error }: ToolkitConfig): ReadonlyArray<Diagnostic.Diagnostic> =>
  error === undefined ? diagnostics : [
    { level: "error", code: "unreadable-config", entry: error.entry, message: error.message },
    ...diagnostics
  ]

const loadConfig = (files: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(() => import("@effect-toolnexus/toolkit/ToolkitConfig")),
    (ToolkitConfig) => ToolkitConfig.load(files)
  )

const withLayer = Effect.fnUntraced(function*<A, E, R>(
  options: ToolkitOptions,
  awaited: ReadonlyArray<string>,
  use: Effect.Effect<A, E, R>
) {
  const makeToolkit = yield* ToolkitFactory
  const context = yield* withProgress(awaited, Layer.build(makeToolkit(options)))
  return yield* Effect.provideContext(use, context)
})

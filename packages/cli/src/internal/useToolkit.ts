/** From the flags to a toolkit, and from there to what a command does with it. */
import type { ToolkitService } from "@effect-toolnexus/core"
import { LogFailures, Toolkit } from "@effect-toolnexus/core/Toolkit"
import type { ToolkitConfig } from "@effect-toolnexus/toolkit/ToolkitConfig"
import type { ToolkitOptions } from "@effect-toolnexus/toolkit/ToolkitOptions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as SourceFlags from "../SourceFlags.ts"
import { ToolkitFactory } from "../ToolkitFactory.ts"
import { requiredDocument } from "./documents.ts"
import { printJson } from "./output.ts"
import { withProgress } from "./progress.ts"

/** Runs an effect with the toolkit of all sources, and closes that afterwards. */
export const useToolkit = Effect.fnUntraced(
  function*<A, E, R>(flags: SourceFlags.SourceFlags, isJson: boolean, use: Effect.Effect<A, E, R>) {
    const config = yield* loadConfig(yield* SourceFlags.configFiles(flags))
    const options = yield* SourceFlags.toOptions(flags, config)
    return yield* withLayer({ isJson, options, required: requiredIn(config) }, use)
  },
  Effect.scoped
)

/** The same with skills alone: no server is started for them. `use` also gets the files, which are no entry then. */
export const useSkills = Effect.fnUntraced(
  function*<A, E, R>(
    flags: SourceFlags.SourceFlags,
    use: (config: ToolkitConfig) => Effect.Effect<A, E, R>
  ) {
    const config = yield* loadConfig(yield* SourceFlags.configFiles(flags))
    const options = SourceFlags.toSkillOptions(flags, config)
    return yield* withLayer({ isJson: false, options, required: [] }, use(config))
  },
  Effect.scoped
)

const loadConfig = (files: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(() => import("@effect-toolnexus/toolkit/ToolkitConfig")),
    (ToolkitConfig) => ToolkitConfig.load(files)
  )

/** The build itself waits for these, and there is no toolkit yet that could say which are still missing. */
const requiredIn = ({ agents, servers }: ToolkitConfig): ReadonlyArray<string> =>
  [...servers, ...agents]
    .filter(([, { config }]) => Predicate.hasProperty(config, "required") && config.required === true)
    .map(([name]) => name)

interface Setup {
  readonly isJson: boolean
  readonly options: ToolkitOptions
  readonly required: ReadonlyArray<string>
}

const withLayer = Effect.fnUntraced(function*<A, E, R>(
  { isJson, options, required }: Setup,
  use: Effect.Effect<A, E, R>
) {
  const makeToolkit = yield* ToolkitFactory
  // the commands say themselves what has failed, each in its place
  const build = Effect.provideService(Layer.build(makeToolkit(options)), LogFailures, false)
  const context = yield* Effect.tapError(
    required.length === 0 ? build : withProgress(() => required, build),
    (error) => isJson ? printJson(requiredDocument(error)) : Effect.void
  )
  yield* awaitEntries(Context.get(context, Toolkit))
  return yield* Effect.provideContext(use, context)
})

/** Until no entry is on its way any more; meanwhile a terminal shows which ones are. */
const awaitEntries = Effect.fnUntraced(function*(toolkit: ToolkitService) {
  let connecting: ReadonlyArray<string> = []
  const settled = toolkit.changes.pipe(
    Stream.map(({ snapshot }) =>
      snapshot.entries.filter(({ entry }) => entry._tag === "Connecting").map(({ id }) => id)
    ),
    Stream.takeUntil((ids) => {
      connecting = ids
      return ids.length === 0
    }),
    Stream.runDrain
  )
  yield* withProgress(() => connecting, settled)
})

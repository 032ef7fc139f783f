/** From the flags to a toolkit, and from there to what a command does with it. */
import type { Snapshot, ToolkitEntry, ToolkitService } from "@effect-toolnexus/core"
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
    const { context } = yield* buildToolkit(flags, isJson, SourceFlags.toOptions)
    yield* awaitEntries(Context.get(context, Toolkit), connecting)
    return yield* Effect.provideContext(use, context)
  },
  Effect.scoped
)

/**
 * The toolkit of all sources, as soon as the required ones have settled; the others may be on their way still. `documents`
 * are the entries whose tools are operations of an API.
 */
export const buildToolkit = Effect.fnUntraced(function*(
  flags: SourceFlags.SourceFlags,
  isJson: boolean,
  toOptions: typeof SourceFlags.toOptions
) {
  const config = yield* loadConfig(yield* SourceFlags.configFiles(flags))
  const options = yield* toOptions(flags, config)
  const context = yield* buildLayer({ isJson, options, required: requiredIn(config) })
  return { context, documents: new Set([...config.openapi.keys(), ...(options.tools ?? []).flatMap(documentOf)]) }
})

const documentOf = (item: object): ReadonlyArray<string> =>
  Predicate.hasProperty(item, "entry") && Predicate.isString(item.entry) ? [item.entry] : []

/** The same with skills alone: no server is started for them. `use` also gets the files, which are no entry then. */
export const useSkills = Effect.fnUntraced(
  function*<A, E, R>(
    flags: SourceFlags.SourceFlags,
    use: (config: ToolkitConfig) => Effect.Effect<A, E, R>
  ) {
    const config = yield* loadConfig(yield* SourceFlags.configFiles(flags))
    const options = SourceFlags.toSkillOptions(flags, config)
    const context = yield* buildLayer({ isJson: false, options, required: [] })
    yield* awaitEntries(Context.get(context, Toolkit), connecting)
    return yield* Effect.provideContext(use(config), context)
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

const buildLayer = Effect.fnUntraced(function*({ isJson, options, required }: Setup) {
  const makeToolkit = yield* ToolkitFactory
  // the commands say themselves what has failed, each in its place
  const build = Effect.provideService(Layer.build(makeToolkit(options)), LogFailures, false)
  return yield* Effect.tapError(
    required.length === 0 ? build : withProgress(() => required, build),
    (error) => isJson ? printJson(requiredDocument(error)) : Effect.void
  )
})

/** The entries that are on their first way. */
export const connecting = ({ entries }: Snapshot): ReadonlyArray<ToolkitEntry> =>
  entries.filter(({ entry }) => entry._tag === "Connecting")

/** Until none of the entries that are waited for is left; meanwhile whoever watches is told which ones are. */
export const awaitEntries = Effect.fnUntraced(function*(
  toolkit: ToolkitService,
  waitedFor: (snapshot: Snapshot) => ReadonlyArray<ToolkitEntry>
) {
  let names: ReadonlyArray<string> = []
  const settled = toolkit.changes.pipe(
    Stream.takeUntil(({ snapshot }) => {
      names = waitedFor(snapshot).map(({ id }) => id)
      return names.length === 0
    }),
    Stream.runDrain
  )
  yield* withProgress(() => names, settled)
})

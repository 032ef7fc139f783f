/**
 * Skills as a source of a toolkit: folders, definitions in code and a provider become one catalog, one tool named
 * `skill`, and a piece of prompt.
 *
 * @since 0.1.0
 */
import { Defect, type Diagnostic, Source } from "@effect-toolnexus/core"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { type Entries, failed, type Parts, toEntries } from "./internal/skillEntries.ts"
import type { Reader } from "./internal/skillTool.ts"
import type { Skill, SkillContent, SkillDefinition, SkippedSkill } from "./Skill.ts"
import * as SkillCatalog from "./SkillCatalog.ts"
import * as SkillDiscovery from "./SkillDiscovery.ts"
import type { SkillError } from "./SkillError.ts"
import { ask, type SkillProvider } from "./SkillProvider.ts"
import type { SkillRoot } from "./SkillRoot.ts"

/**
 * Where skills come from and which of them are let through; see the catalog's options for the filter.
 *
 * **Details**
 *
 * - `roots`: absolute paths of folders. One that can't be read costs only itself.
 * - `watch`: whether changes below the roots become changes of the source while it lives; see `SkillDiscovery.changes`.
 * - `provider`: asked once, for 30 seconds at most.
 *
 * @category models
 * @since 0.1.0
 */
export interface SkillSourceOptions
  extends Pick<SkillCatalog.Options, "filter" | "disabled" | "sampleLimit" | "promptBudget">
{
  readonly roots?: ReadonlyArray<string | SkillRoot>
  readonly watch?: boolean
  readonly definitions?: ReadonlyArray<SkillDefinition>
  readonly provider?: SkillProvider
}

/**
 * The skills of a host beside the tool that loads them.
 *
 * **Example**
 *
 * ```ts
 * const Skills = SkillSource.layer({ roots: ["/srv/skills"], disabled: ["release"] })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class SkillSource extends Context.Service<SkillSource, {
  readonly catalog: Effect.Effect<SkillCatalog.SkillCatalog>
  /** In the order in which they were found, filtered. */
  readonly skills: Effect.Effect<ReadonlyArray<Skill>>
  readonly skipped: Effect.Effect<ReadonlyArray<SkippedSkill>>
  readonly diagnostics: Effect.Effect<ReadonlyArray<Diagnostic.Diagnostic>>
  /** What to put into the system prompt. */
  readonly prompt: Effect.Effect<string>
  /** A skill as the model gets it. */
  readonly load: (name: string) => Effect.Effect<string, SkillError>
  /** What one of a skill's files holds; see `SkillCatalog.readFile`. */
  readonly readFile: (name: string, file: string) => Effect.Effect<SkillContent, SkillError>
}>()("@effect-toolnexus/skills/SkillSource") {
  /**
   * Builds the catalog, part by part as they come; whoever asks the service waits until it is whole. Entries:
   * `<skills>` where there are roots or definitions, or options that break whoever reads them; `<skill-provider>` where
   * there is a provider; and, where there is a skill, an unlisted `<catalog>` with the tool, the prompt and the
   * summaries.
   */
  static readonly layer = (
    options: SkillSourceOptions
  ): Layer.Layer<Source | SkillSource, never, FileSystem.FileSystem | Path.Path> => Layer.effectContext(build(options))
}

const build = Effect.fnUntraced(function*(options: SkillSourceOptions) {
  const platform = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const scope = yield* Effect.scope
  let parts: Parts = options.provider === undefined ? { provided: Result.succeed([]) } : {}
  let catalog = SkillCatalog.make({})
  const reader: Reader = {
    load: (name) => Effect.suspend(() => Effect.provideContext(SkillCatalog.load(catalog, name), platform)),
    readFile: (name, file) =>
      Effect.suspend(() => Effect.provideContext(SkillCatalog.readFile(catalog, name, file), platform))
  }
  const entries = yield* SubscriptionRef.make<Entries>([])
  let hasBroken = false
  const put = (part: Parts) =>
    Effect.sync(() => {
      parts = { ...parts, ...part }
      const next = makeCatalog(options, parts)
      const shown = toEntries(options, parts, next, reader)
      catalog = next
      return shown
    })
  const breakDown = Effect.fnUntraced(function*(defect: unknown) {
    hasBroken = true
    return [failed("<skills>", yield* broken(defect))]
  })
  // what breaks us is a failed entry, not one that connects for ever
  const add = (part: Parts) =>
    SubscriptionRef.updateEffect(
      entries,
      (before) => hasBroken ? Effect.succeed(before) : Effect.catchDefect(put(part), breakDown)
    )
  yield* add({})
  yield* Effect.forkIn(Stream.runForEach(discoveries(options), add), scope)
  if (options.provider !== undefined) {
    yield* Effect.forkIn(Effect.flatMap(ask(options.provider), (provided) => add({ provided })), scope)
  }
  const source = Source.of({ kind: "skill", entries })
  const whole = Effect.map(Source.settled(source), () => catalog)
  return Context.make(Source, source).pipe(
    Context.add(SkillSource, {
      catalog: whole,
      skills: Effect.map(whole, ({ skills }) => skills),
      skipped: Effect.map(whole, ({ skipped }) => skipped),
      diagnostics: Effect.map(whole, ({ diagnostics }) => diagnostics),
      prompt: Effect.map(whole, SkillCatalog.prompt),
      load: (name) => Effect.andThen(whole, reader.load(name)),
      readFile: (name, file) => Effect.andThen(whole, reader.readFile(name, file))
    })
  )
})

/** The skills of other sources stay, whatever becomes of the folders, and so do those found before. */
const discoveries = ({ roots = [], watch = false }: SkillSourceOptions) =>
  Stream.suspend(() =>
    watch && roots.length > 0
      ? SkillDiscovery.changes(roots)
      : Stream.fromEffect(Effect.suspend(() => SkillDiscovery.discover(roots)))
  ).pipe(
    Stream.map((discovery): Parts => ({ discovery })),
    Stream.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Stream.failCause(cause) : Stream.fromEffect(
        Effect.map(broken(Cause.squash(cause)), (detail): Parts => ({ broken: detail }))
      )
    )
  )

const makeCatalog = (options: SkillSourceOptions, { discovery = SkillDiscovery.empty, provided }: Parts) =>
  SkillCatalog.make({
    ...options,
    discovery,
    provided: provided === undefined ? [] : Result.getOrElse(provided, () => [])
  })

/** What is shown of a defect, once it is logged. */
const broken = (defect: unknown): Effect.Effect<string> =>
  Effect.map(Defect.log("reading the skills", defect), (id) => `reading them broke unexpectedly (${id})`)

/**
 * The catalog: every skill a host has, merged and filtered. The prompt and the `skill` tool read the same one, so what
 * is promised can be loaded, and what is filtered out can be neither.
 *
 * @since 0.1.0
 */
import { type Diagnostic, NameFilter, ToolName } from "@effect-toolnexus/core"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { renderBlock } from "./internal/block.ts"
import { readBody } from "./internal/skillBody.ts"
import * as content from "./internal/skillContent.ts"
import { readList } from "./internal/skillDefinition.ts"
import { listFiles } from "./internal/skillFiles.ts"
import { renderPrompt } from "./internal/skillsPrompt.ts"
import type { DataSkill, DiskSkill, Skill, SkillContent, SkillDefinition, SkippedSkill } from "./Skill.ts"
import type { Discovery } from "./SkillDiscovery.ts"
import { SkillNotFound } from "./SkillError.ts"
import type { SkillError, SkillUnreadable } from "./SkillError.ts"

/**
 * The merged and filtered skills, in the order in which they were found.
 *
 * @category models
 * @since 0.1.0
 */
export interface SkillCatalog {
  readonly skills: ReadonlyArray<Skill>
  /** A look-up that is safe for names chosen by a model. */
  readonly byName: ReadonlyMap<string, Skill>
  readonly skipped: ReadonlyArray<SkippedSkill>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
  /** How many files a loaded skill lists at most; see {@link Options}. */
  readonly sampleLimit: number
  /** How many characters the prompt may have; see {@link Options}. */
  readonly promptBudget: number
}

/**
 * What a catalog is made of.
 *
 * **Details**
 *
 * - The first of a name wins, in this order: `discovery`, `definitions`, `provided`; the others are skipped.
 * - `filter`: empty means all; with at least one `true` only those; only `false` means all but those.
 * - `disabled`: names folded into the filter as `false`, where the filter says nothing of them.
 * - A definition that makes no sense, or breaks whoever reads it, is skipped; it costs only itself.
 * - `sampleLimit`: 0 (default) means 10, a negative one lists no files.
 * - `promptBudget`: the most characters (UTF-16 units) of the prompt; default: no limit. The longest descriptions are
 *   shortened first; once all are next to nothing, the skills that come last in precedence are left out, and a last line
 *   says how many. What is left out can be loaded all the same. A diagnostic, `prompt-budget`, tells of either.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly discovery?: Discovery
  readonly definitions?: ReadonlyArray<SkillDefinition>
  readonly provided?: ReadonlyArray<SkillDefinition>
  readonly filter?: Readonly<Record<string, boolean>>
  readonly disabled?: ReadonlyArray<string>
  readonly sampleLimit?: number
  readonly promptBudget?: number
}

const DEFAULT_SAMPLE = 10

/**
 * Merges and filters.
 *
 * **Example**
 *
 * ```ts
 * const catalog = SkillCatalog.make({ discovery, filter: { "lunch-box": true } })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): SkillCatalog => {
  const defined = readDefinitions(options.definitions, "<skills>")
  const provided = readDefinitions(options.provided, "<skill-provider>")
  const { all, duplicates } = merge([...options.discovery?.found ?? [], ...defined.skills, ...provided.skills])
  const filter = filterOf(options)
  const byName = new Map(Array.from(all).filter(([name]) => NameFilter.accepts(filter, name)))
  const skills = Array.from(byName.values())
  const promptBudget = budgetOf(options.promptBudget)
  return {
    skills,
    byName,
    skipped: [...options.discovery?.skipped ?? [], ...defined.skipped, ...provided.skipped, ...duplicates],
    diagnostics: [
      ...options.discovery?.diagnostics ?? [],
      ...defined.diagnostics,
      ...provided.diagnostics,
      ...NameFilter.unmatched(filter, all).map(unknownName),
      ...promptBudget === Number.POSITIVE_INFINITY ? [] : overBudget(skills, promptBudget)
    ],
    sampleLimit: sampleLimitOf(options.sampleLimit),
    promptBudget
  }
}

/** Names switched off come first, so that an explicit word of the filter wins. */
const filterOf = ({ disabled = [], filter = {} }: Pick<Options, "disabled" | "filter">): NameFilter.NameFilter =>
  NameFilter.fromRules([...disabled.map((name) => [name, false] as const), ...Object.entries(filter)])

const readDefinitions = (values: ReadonlyArray<unknown> = [], entry: string) => {
  const results = readList(values, entry)
  const read = Arr.getSuccesses(results)
  return {
    skills: read.map(({ skill }) => skill),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
    skipped: Arr.getFailures(results)
  }
}

const merge = (skills: ReadonlyArray<Skill>) => {
  const all = new Map<string, Skill>()
  const duplicates: Array<SkippedSkill> = []
  for (const skill of skills) {
    const winner = all.get(skill.name)
    if (winner === undefined) all.set(skill.name, skill)
    else duplicates.push(duplicate(skill, winner))
  }
  return { all, duplicates }
}

const duplicate = ({ location, name }: Skill, winner: Skill): SkippedSkill => ({
  location,
  reason: "duplicate-name",
  message: `The name "${name}" is already taken by ${winner.location}`
})

const unknownName = (name: string): Diagnostic.Diagnostic => ({
  level: "warning",
  code: "unknown-skill",
  entry: "<skills>",
  message: `The skills filter names "${name}", but there is no such skill`
})

/** What is no number, from untyped code, is no limit. */
const budgetOf = (budget: number | undefined): number =>
  budget === undefined || Number.isNaN(budget) ? Number.POSITIVE_INFINITY : budget

const overBudget = (skills: ReadonlyArray<Skill>, budget: number): ReadonlyArray<Diagnostic.Diagnostic> => {
  const { hidden, shortened } = renderPrompt(skills, budget)
  if (hidden === 0 && shortened === 0) return []
  const message = hidden === 0
    ? `${shortened} ${
      shortened === 1 ? "description is" : "descriptions are"
    } shortened to keep the skills prompt within ${budget} characters`
    : `${hidden} ${
      hidden === 1 ? "skill is" : "skills are"
    } not in the skills prompt, which has ${budget} characters at most`
  return [{ level: hidden === 0 ? "info" : "warning", code: "prompt-budget", entry: "<skills>", message }]
}

const sampleLimitOf = (limit = 0): number => limit > 0 ? Math.ceil(limit) : limit < 0 ? 0 : DEFAULT_SAMPLE

/**
 * A skill by its name.
 *
 * @category getters
 * @since 0.1.0
 */
export const get = (catalog: SkillCatalog, name: string): Option.Option<Skill> =>
  Option.fromNullishOr(catalog.byName.get(name))

/**
 * What to put into the system prompt: one line for each skill that has a description, sorted by name in code points,
 * and how to load one. Empty where no skill has a description, and where the budget has no room at all.
 *
 * @category getters
 * @since 0.1.0
 */
export const prompt = ({ promptBudget, skills }: SkillCatalog): string => renderPrompt(skills, promptBudget).text

/**
 * The text in which a skill reaches the model. The body of a skill on disk is read now.
 *
 * **Details**
 *
 * Nothing in the body or the name can close the block: the block's own tags are written with entities there.
 *
 * @category operations
 * @since 0.1.0
 */
export const render = (
  catalog: SkillCatalog,
  skill: Skill
): Effect.Effect<string, SkillUnreadable, FileSystem.FileSystem | Path.Path> =>
  skill._tag === "DiskSkill" ? renderDisk(skill, catalog.sampleLimit) : Effect.succeed(renderData(skill, catalog))

const renderDisk = Effect.fnUntraced(function*(skill: DiskSkill, limit: number) {
  const path = yield* Path.Path
  const body = yield* readBody(skill)
  const base = yield* Effect.orDie(path.toFileUrl(skill.directory))
  return renderBlock({ name: skill.name, body, base: base.href, files: yield* listFiles(skill.directory, limit) })
})

const renderData = ({ base, content: body, name, resources }: DataSkill, { sampleLimit }: SkillCatalog): string =>
  renderBlock({ name, body, base, files: resources.slice(0, sampleLimit).map((resource) => resource.name) })

/**
 * Loads a skill by name: {@link render} of the skill that has it.
 *
 * @category operations
 * @since 0.1.0
 */
export const load = (
  catalog: SkillCatalog,
  name: string
): Effect.Effect<string, SkillError, FileSystem.FileSystem | Path.Path> =>
  Effect.flatMap(find(catalog, name), (skill) => render(catalog, skill))

/**
 * What one of a skill's files holds.
 *
 * **Details**
 *
 * `file` is a path below the skill's base directory, relative or as it is listed. It never leaves the skill's real folder,
 * whatever dots or links it goes through, and reads no hidden file and no file of a skill nested in this one. Up to
 * 400 KiB of UTF-8 text, or 5 MiB of an image.
 *
 * @category operations
 * @since 0.1.0
 */
export const readFile = (
  catalog: SkillCatalog,
  name: string,
  file: string
): Effect.Effect<SkillContent, SkillError, FileSystem.FileSystem | Path.Path> =>
  Effect.flatMap(
    find(catalog, name),
    (skill): Effect.Effect<SkillContent, SkillError, FileSystem.FileSystem | Path.Path> =>
      skill._tag === "DiskSkill" ? content.readFile(skill, file) : content.readResource(skill, file)
  )

const find = (catalog: SkillCatalog, name: string): Effect.Effect<Skill, SkillNotFound> => {
  const skill = catalog.byName.get(name)
  return skill === undefined
    ? Effect.fail(new SkillNotFound({ skill: name, available: names(catalog) }))
    : Effect.succeed(skill)
}

const names = ({ byName }: SkillCatalog): ReadonlyArray<string> =>
  Array.from(byName.keys()).toSorted(ToolName.byCodePoints)

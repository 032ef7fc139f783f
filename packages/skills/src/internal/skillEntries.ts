/** The entries of a source of skills: what became of folders, definitions and provider, and the catalog they make. */
import { type Diagnostic, SourceEntry } from "@effect-toolnexus/core"
import * as Result from "effect/Result"
import type { Skill, SkillDefinition, SkippedSkill } from "../Skill.ts"
import * as SkillCatalog from "../SkillCatalog.ts"
import type { Discovery } from "../SkillDiscovery.ts"
import type { SkillProviderError } from "../SkillProvider.ts"
import type { SkillSourceOptions } from "../SkillSource.ts"
import { type Reader, skillTool } from "./skillTool.ts"

/** What is known so far: each part is `undefined` until it has come. */
export interface Parts {
  readonly discovery?: Discovery
  readonly provided?: Provided
  /** Why the folders couldn't be searched: what to show of a defect. */
  readonly broken?: string
}

type Provided = Result.Result<ReadonlyArray<SkillDefinition>, SkillProviderError>

export const toEntries = (
  options: SkillSourceOptions,
  { broken: brokenFolders, discovery, provided }: Parts,
  catalog: SkillCatalog.SkillCatalog,
  reader: Reader
): Entries => [
  ...withDiagnostics(
    [...folderEntry(options, discovery, brokenFolders), ...providerEntry(options, provided)],
    catalog,
    discovery?.unreadableRoots ?? []
  ),
  ...catalogEntry(catalog, reader)
]

export type Entries = ReadonlyArray<SourceEntry.SourceEntry>

/** An unreadable root makes the entry failed, while the skills of the others are in the catalog all the same. */
const folderEntry = (
  { definitions = [], roots = [] }: SkillSourceOptions,
  discovery: Parts["discovery"],
  brokenFolders: Parts["broken"]
): Entries => {
  if (brokenFolders !== undefined) return [failed("<skills>", brokenFolders)]
  if (roots.length === 0 && definitions.length === 0) return []
  if (discovery === undefined) return [SourceEntry.connecting("<skills>")]
  return discovery.unreadableRoots.length === 0
    ? [SourceEntry.loaded("<skills>")]
    : [failed("<skills>", discovery.unreadableRoots.map(({ message }) => message).join("; "))]
}

const providerEntry = (
  { provider }: SkillSourceOptions,
  provided: Parts["provided"]
): Entries => {
  if (provider === undefined) return []
  if (provided === undefined) return [SourceEntry.connecting("<skill-provider>")]
  return [
    Result.match(provided, {
      onSuccess: () => SourceEntry.loaded("<skill-provider>"),
      onFailure: ({ cause, message }) => failed("<skill-provider>", message, cause)
    })
  ]
}

export const failed = (entry: string, detail: string, cause?: unknown): SourceEntry.SourceEntry =>
  SourceEntry.failed(
    new SourceEntry.EntryError({
      kind: "skill",
      entry,
      phase: "list",
      detail,
      ...(cause === undefined ? {} : { cause })
    })
  )

/**
 * The first entry carries what is to be said of the whole catalog; what was skipped is part of that, but for the roots
 * that its error names.
 */
const withDiagnostics = (
  [first, ...others]: Entries,
  { diagnostics, skipped }: SkillCatalog.SkillCatalog,
  unreadableRoots: ReadonlyArray<SkippedSkill>
): Entries => {
  if (first === undefined) return []
  const roots = new Set(unreadableRoots)
  const told = skipped.filter((skill) => !roots.has(skill)).map(toDiagnostic)
  return [{ ...first, diagnostics: [...diagnostics, ...told] }, ...others]
}

const toDiagnostic = ({ location, message, reason }: SkippedSkill): Diagnostic.Diagnostic => ({
  level: "warning",
  code: reason,
  path: location,
  message
})

const catalogEntry = (catalog: SkillCatalog.SkillCatalog, reader: Reader): Entries =>
  catalog.skills.length === 0 ? [] : [
    SourceEntry.loaded("<catalog>", {
      unlisted: true,
      tools: [skillTool("<catalog>", reader)],
      prompt: SkillCatalog.prompt(catalog),
      skills: catalog.skills.map(summarize)
    })
  ]

const summarize = ({ description, location, name }: Skill): SourceEntry.SkillSummary => ({
  name,
  ...(description === undefined ? {} : { description }),
  location
})

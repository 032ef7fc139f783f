/** The fold: the entries of all sources, in precedence order, become one snapshot. A pure function. */
import {
  type Diagnostic,
  type Shadowed,
  type Snapshot,
  SourceEntry,
  type Tool,
  type ToolkitEntry,
  ToolName
} from "@effect-toolnexus/core"
import type { PipedEntry } from "./pipedEntry.ts"

/** What one source holds now. */
export interface SourceState {
  readonly kind: SourceEntry.SourceKind
  readonly entries: ReadonlyArray<SourceEntry.SourceEntry>
}

export interface FoldOptions {
  /** Final names that are taken out after the merge. */
  readonly disableTools: ReadonlyArray<string>
  /** Whether a builtin gives way to an own tool of its name before the fold. */
  readonly replaceableBuiltins: boolean
  /** Puts the tools of an entry behind the pipeline. */
  readonly pipe: (entry: SourceEntry.SourceEntry) => PipedEntry
}

export const fold = (given: ReadonlyArray<SourceState>, options: FoldOptions): Snapshot => {
  const piped = given.map(({ entries, kind }) => ({ kind, entries: entries.map(options.pipe) }))
  const sources = piped.map(({ entries, kind }): SourceState => ({ kind, entries: entries.map(({ entry }) => entry) }))
  const broken = piped.flatMap(({ entries }) => entries.flatMap(({ diagnostics }) => diagnostics))
  const merged = merge(sources, options)
  const entries = identify(sources)
  const exposed = new Set(merged.byName.values())
  const withTools = entries.filter(({ entry }) => entry.tools.some((tool) => exposed.has(tool)))
  const listed = entries.filter(({ entry }) => entry.unlisted !== true)
  return {
    tools: [...merged.byName.values()],
    toolNames: sortNames([...merged.byName.keys()]),
    byName: merged.byName,
    shadowed: merged.shadowed,
    entries,
    // names come from outside, and this makes `__proto__` a name like any
    statuses: Object.fromEntries(listed.map(({ entry, id }) => [id, SourceEntry.status(entry)])),
    errors: Object.fromEntries(listed.flatMap(({ entry, id }) => errorOf(entry).map((message) => [id, message]))),
    sources: rankSources(sources),
    diagnostics: [...entries.flatMap(diagnosticsOf), ...broken, ...merged.diagnostics],
    // a skill that no exposed tool can load would be an empty promise
    skills: withTools.flatMap(({ entry }) => entry.skills ?? []),
    skillsPrompt: withTools.flatMap(({ entry }) => entry.prompt ?? []).filter((prompt) => prompt !== "").join("\n\n")
  }
}

/** JavaScript's own order is the one by code points, and much faster, while no name goes beyond the basic plane. */
const sortNames = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.some((name) => /[\uD800-\uFFFF]/.test(name)) ? names.toSorted(ToolName.byCodePoints) : names.toSorted()

interface Merged {
  readonly byName: ReadonlyMap<string, Tool.Tool>
  readonly shadowed: ReadonlyArray<Shadowed>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** First name wins. A tool disabled by name is gone with all that it shadowed: nothing comes up in its place. */
const merge = (sources: ReadonlyArray<SourceState>, options: FoldOptions): Merged => {
  const byName = new Map<string, Tool.Tool>()
  const shadowed: Array<Shadowed> = []
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  const replacements = options.replaceableBuiltins ? ownTools(sources) : new Map<string, Tool.Tool>()
  for (const { entries, kind } of sources) {
    for (const tool of entries.flatMap((entry) => entry.tools)) {
      const winner = (kind === "builtin" ? replacements.get(tool.name) : undefined) ?? byName.get(tool.name)
      if (tool.name === "") diagnostics.push(emptyName(tool))
      else if (winner === undefined) byName.set(tool.name, tool)
      else shadowed.push({ name: tool.name, winner: winner.origin, loser: tool.origin })
    }
  }
  // what is on its way may have the name yet
  const isComplete = !sources.some(({ entries }) => entries.some(({ _tag }) => _tag === "Connecting"))
  // a name may be disabled in code and in the file
  for (const name of new Set(options.disableTools)) {
    if (!byName.delete(name) && isComplete) diagnostics.push(unknownTool(name))
  }
  return { byName, shadowed, diagnostics }
}

const ownTools = (sources: ReadonlyArray<SourceState>): ReadonlyMap<string, Tool.Tool> =>
  new Map(
    sources.filter(({ kind }) => kind === "extra")
      .flatMap(({ entries }) => entries.flatMap((entry) => entry.tools))
      .filter((tool) => !isOperation(tool))
      .map((tool): [string, Tool.Tool] => [tool.name, tool])
      // the first of a name is the one that counts, and a Map keeps the last
      .toReversed()
  )

/** Of a document, which somebody else writes: what it calls `bash` must not stand where a host's own `bash` may. */
const isOperation = ({ origin }: Tool.Tool): boolean => origin.kind === "http" && origin.entry !== ""

const emptyName = ({ origin }: Tool.Tool): Diagnostic.Diagnostic => ({
  level: "error",
  code: "empty-tool-name",
  ...(origin.entry === "" ? {} : { entry: origin.entry }),
  message: "A tool without a name can't be called and was left out"
})

const unknownTool = (name: string): Diagnostic.Diagnostic => ({
  level: "warning",
  code: "unknown-tool",
  path: "disableTools",
  message: `disableTools names "${name}", but there is no such tool`
})

/** The order in which the listed entries of the kinds claim an entry's name; a later kind that clashes is prefixed. */
const claims: ReadonlyArray<readonly [kind: SourceEntry.SourceKind, prefix: string]> = [
  ["config", "config"],
  ["skill", "skill"],
  ["builtin", "builtin"],
  ["mcp", "mcp"],
  ["agent", "agent"],
  ["extra", "openapi"]
]

const identify = (sources: ReadonlyArray<SourceState>): ReadonlyArray<ToolkitEntry> => {
  const all = sources.flatMap(({ entries, kind }) => entries.map((entry) => ({ kind, entry })))
  const ids = new Map<(typeof all)[number], string>()
  const taken = new Set<string>()
  for (const [kind, prefix] of claims) {
    for (const claimant of all.filter((each) => each.kind === kind && each.entry.unlisted !== true)) {
      let id = claimant.entry.name
      while (taken.has(id)) id = `${prefix}:${id}`
      taken.add(id)
      ids.set(claimant, id)
    }
  }
  return all.map((each) => ({ id: ids.get(each) ?? each.entry.name, ...each }))
}

const errorOf = (entry: SourceEntry.SourceEntry): ReadonlyArray<string> =>
  entry._tag === "Failed" || entry._tag === "NeedsAuth" ? [entry.error.message] : []

const diagnosticsOf = ({ entry, id }: ToolkitEntry): ReadonlyArray<Diagnostic.Diagnostic> =>
  entry.diagnostics.map((diagnostic) => ({ entry: id, ...diagnostic }))

/** The best thing that can be said of a kind: one live server makes its source connected. */
const ranking: ReadonlyArray<SourceEntry.Status> = ["connected", "reconnecting", "connecting", "needs_auth", "failed"]

const rankSources = (sources: ReadonlyArray<SourceState>): Snapshot["sources"] => {
  const statusOf = (kind: SourceEntry.SourceKind): SourceEntry.Status => {
    const present = new Set(
      sources.filter((source) => source.kind === kind).flatMap(({ entries }) => entries.map(SourceEntry.status))
    )
    return ranking.find((status) => present.has(status)) ?? "disabled"
  }
  return {
    mcp: statusOf("mcp"),
    skill: statusOf("skill"),
    builtin: statusOf("builtin"),
    agent: statusOf("agent"),
    extra: statusOf("extra")
  }
}

/** The same for people: tables, and below them what went wrong. */
import type { ProviderSchema, Snapshot, ToolkitEntry } from "@effect-toolnexus/core"
import * as Diagnostic from "@effect-toolnexus/core/Diagnostic"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import type { InventoryEntry } from "@effect-toolnexus/mcp/McpInventory"
import type { Finding } from "@effect-toolnexus/skills/SkillCheck"
import type { SkillList } from "./documents.ts"
import { oneLine, plainText } from "./plainText.ts"
import { emphasize, type Screen, table } from "./table.ts"

const NO_TOOLS = "No tools."

/** What `tools` shows. */
export const toolsView = (snapshot: Snapshot, screen: Screen): string =>
  sections([
    snapshot.tools.length === 0
      ? NO_TOOLS
      : table(
        ["NAME", "SOURCE", "DESCRIPTION"],
        snapshot.tools.map(({ description, name, source }) => [name, source, description]),
        screen
      ),
    entriesTable(snapshot, screen),
    list("Errors:", Object.values(snapshot.errors)),
    list(
      "Shadowed:",
      snapshot.shadowed.map(({ loser, name, winner }) =>
        `${name} of ${loser.kind} ${loser.entry} gives way to ${winner.kind} ${winner.entry}`
      )
    ),
    diagnosticsList(snapshot.diagnostics)
  ])

/** Of the configuration itself there is nothing to see as long as it can be read. */
const entriesTable = ({ entries, statuses, tools }: Snapshot, screen: Screen): string => {
  const listed = new Set(tools)
  const rows = entries.filter(({ entry, id, kind }) =>
    Object.hasOwn(statuses, id) && !(kind === "config" && SourceEntry.status(entry) === "connected")
  ).map((
    each
  ) => [
    each.id,
    each.kind,
    SourceEntry.status(each.entry),
    String(toolsOf(each, entries).filter((tool) => listed.has(tool)).length)
  ])
  return rows.length === 0 ? "" : table(["ENTRY", "KIND", "STATUS", "TOOLS"], rows, screen)
}

/** The one tool of all skills is in an entry of its own, which isn't listed. */
const toolsOf = ({ entry, kind }: ToolkitEntry, entries: ReadonlyArray<ToolkitEntry>) =>
  kind === "skill"
    ? entries.flatMap((each) => each.kind === kind ? each.entry.tools : [])
    : entry.tools

/** What `skills` shows. */
export const skillsView = ({ diagnostics, skills, skipped }: SkillList, screen: Screen): string =>
  sections([
    skills.length === 0
      ? "No skills; --skills and --config add some."
      : table(
        ["NAME", "LOCATION", "DESCRIPTION"],
        skills.map(({ description = "", location, name }) => [name, location, description]),
        screen
      ),
    list("Skipped:", skipped.map(({ location, message, reason }) => oneLine(`${location}: ${message} (${reason})`))),
    diagnosticsList(diagnostics)
  ])

/** What `skills check` shows: a line a finding, which begins like a compiler's, so that editors take one to its place. */
export const findingsView = (findings: ReadonlyArray<Finding>, { colors }: Screen): string =>
  findings.length === 0
    ? "Nothing to change."
    : findings.map(({ code, level, location, message }) => {
      const [, line = "", text = ""] = /^(?:line (\d+): )?([^]*)$/.exec(message) ?? []
      const place = line === "" ? location : `${location}:${line}`
      return `${oneLine(place)}: ${emphasize(level, colors)}: ${oneLine(text)} (${code})`
    }).join("\n")

/** What `servers` shows. */
export const serversView = (listed: ReadonlyArray<InventoryEntry>, screen: Screen): string =>
  sections([
    listed.length === 0
      ? "No servers; --server, --url and --config add some."
      : table(
        ["SERVER", "STATUS", "TOOL", "DESCRIPTION"],
        listed.flatMap(({ name, status, tools }) =>
          tools.length === 0
            ? [[name, status, "", ""]]
            : tools.map((tool) => [name, status, tool.name, tool.description])
        ),
        screen
      ),
    list("Errors:", listed.flatMap(({ error }) => error === undefined ? [] : [error.message]))
  ])

/** What `check` shows. */
export const checkView = (
  { tools }: Snapshot,
  { left_out, notes, provider }: ProviderSchema.Report,
  screen: Screen
): string =>
  tools.length === 0 ? NO_TOOLS : sections([
    left_out.length === 0
      ? `${provider} can be told of all tools.`
      : list("Left out:", left_out.map(({ name, reason }) => oneLine(`${name}: ${reason}`))),
    notes.length === 0
      ? "Their schemas lose nothing."
      : table(
        ["TOOL", "PATH", "KIND", "WHAT"],
        notes.map(({ kind, name, path, text }) => [name, path, kind, text]),
        screen
      )
  ])

const diagnosticsList = (diagnostics: ReadonlyArray<Diagnostic.Diagnostic>): string =>
  list(
    "Diagnostics:",
    diagnostics.map((diagnostic) => `${diagnostic.level}: ${oneLine(Diagnostic.describe(diagnostic))}`)
  )

/** Messages may have several lines, like the end of a server's stderr; those that follow are indented. */
const list = (title: string, items: ReadonlyArray<string>): string =>
  items.length === 0
    ? ""
    : [title, ...items.map((item) => `  ${plainText(item).replaceAll("\n", "\n    ")}`)].join("\n")

const sections = (texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join("\n\n")

/** The JSON documents of the commands (CONTRACT 12). */
import type { Diagnostic, Snapshot, SourceEntry, Tool } from "@effect-toolnexus/core"
import type { InventoryEntry } from "@effect-toolnexus/mcp/McpInventory"
import type { SkippedSkill } from "@effect-toolnexus/skills/Skill"
import { isPrintable } from "./output.ts"

/** What `tools --json` prints. A schema that can't be printed costs only itself. */
export const toolsDocument = ({ diagnostics, errors, shadowed, statuses, tools }: Snapshot) => {
  const unprintable = new Set(tools.filter(({ inputSchema }) => !isPrintable(inputSchema)))
  return {
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      source: tool.source,
      origin: tool.origin,
      inputSchema: unprintable.has(tool) ? ANY_OBJECT : tool.inputSchema
    })),
    statuses,
    errors,
    shadowed,
    diagnostics: [...diagnostics, ...Array.from(unprintable, toDiagnostic)]
  }
}

const ANY_OBJECT: Tool.ObjectSchema = { type: "object" }

const toDiagnostic = ({ name, origin }: Tool.Tool): Diagnostic.Diagnostic => ({
  level: "warning",
  code: "unprintable-schema",
  ...(origin.entry === "" ? {} : { entry: origin.entry }),
  path: name,
  message: "Its input schema is too large or too deep to be printed; any object is shown in its place"
})

/** What `servers --json` prints, by server. */
export const serversDocument = (listed: ReadonlyArray<InventoryEntry>) =>
  Object.fromEntries(listed.map(({ error, name, status, tools }) => [name, {
    status,
    ...(error === undefined ? {} : { error: error.message }),
    tools: tools.map(({ description, inputSchema, name: tool }) => ({
      name: tool,
      description,
      inputSchema: isPrintable(inputSchema) ? inputSchema : ANY_OBJECT
    }))
  }]))

/** The skills of a toolkit, and what became of the others. */
export interface SkillList {
  readonly skills: ReadonlyArray<SourceEntry.SkillSummary>
  readonly skipped: ReadonlyArray<SkippedSkill>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** What `skills --json` prints. */
export const skillsDocument = ({ diagnostics, skills, skipped }: SkillList) => ({
  skills: skills.map(({ description = "", location, name }) => ({ name, description, location })),
  skipped: skipped.map(({ location, message, reason }) => ({ location, reason, message })),
  diagnostics
})

/** What any command prints with `--json` when a required entry has failed. */
export const requiredDocument = ({ _tag, entries, message }: SourceEntry.RequiredEntriesFailed) => ({
  error: {
    _tag,
    message,
    entries: entries.map((error) => ({
      entry: error.entry,
      kind: error.kind,
      phase: error.phase,
      message: error.message
    }))
  }
})

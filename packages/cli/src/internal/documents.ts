/** The JSON documents of the commands (CONTRACT 12). */
import type { Diagnostic, Snapshot, SourceEntry } from "@effect-toolnexus/core"
import type { SkippedSkill } from "@effect-toolnexus/skills/Skill"

/** What `tools --json` prints. */
export const toolsDocument = ({ diagnostics, errors, shadowed, statuses, tools }: Snapshot) => ({
  tools: tools.map(({ description, inputSchema, name, origin, source }) => ({
    name,
    description,
    source,
    origin,
    inputSchema
  })),
  statuses,
  errors,
  shadowed,
  diagnostics
})

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

/** Definitions from code or a provider, which may be anything where no compiler looked at them. */
import type { Diagnostic } from "@effect-toolnexus/core"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type DataSkill, type Resource, SkillDefinition, type SkippedSkill } from "../Skill.ts"
import { checkDescription, checkName } from "./openFormat.ts"
import { oneLine } from "./skillName.ts"

/** Checks without a copy: a copy would lose a resource named `__proto__`. */
const isDefinition = Schema.is(SkillDefinition)

export interface ReadDefinition {
  readonly skill: DataSkill
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** `entry` is the source's entry it belongs to, `place` what names it where it has no name. */
export const readDefinition = (
  value: unknown,
  entry: string,
  place: string
): Result.Result<ReadDefinition, SkippedSkill> => {
  const name = Predicate.hasProperty(value, "name") && typeof value.name === "string" ? oneLine(value.name) : ""
  if (name === "") {
    return Result.fail({ location: place, reason: "missing-name", message: "The skill definition has no name" })
  }
  const location = `skill://${encodeURIComponent(name)}/`
  if (!isDefinition(value)) {
    const message = "It is no skill definition: {name, description?, content, resources?, base?}"
    return Result.fail({ location, reason: "malformed-frontmatter", message })
  }
  const base = value.base ?? location
  const description = value.description?.toWellFormed().trim()
  const told = description === undefined || description === "" ? {} : { description }
  return Result.succeed({
    skill: {
      _tag: "DataSkill",
      name,
      ...told,
      location: base,
      base,
      content: value.content,
      resources: toResources(value.resources)
    },
    diagnostics: [
      ...checkName({ entry, path: base }, name),
      ...checkDescription({ entry, path: base }, told.description)
    ]
  })
}

const toResources = (resources: SkillDefinition["resources"]): ReadonlyArray<Resource> => {
  if (resources === undefined) return []
  return isList(resources)
    ? resources.map((name) => ({ name }))
    : Object.entries(resources).map(([name, content]) => ({ name, content }))
}

const isList = (resources: NonNullable<SkillDefinition["resources"]>): resources is ReadonlyArray<string> =>
  Array.isArray(resources)

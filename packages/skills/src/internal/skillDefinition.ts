/** Definitions from code or a provider, which may be anything where no compiler looked at them. */
import type { Diagnostic } from "@effect-toolnexus/core"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type DataSkill, type Resource, SkillDefinition, type SkippedSkill } from "../Skill.ts"
import { checkDescription, checkName } from "./openFormat.ts"
import { oneLine } from "./skillName.ts"

/** Checks without a copy: a decoder's copy would lose a resource named `__proto__`. */
const isDefinition = Schema.is(SkillDefinition)

export interface ReadDefinition {
  readonly skill: DataSkill
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

type Read = Result.Result<ReadDefinition, SkippedSkill>

/** As many as a root of folders may hold. */
const MAX_DEFINITIONS = 100_000

/** `entry` is the source's entry they belong to. A getter, or a proxy, that throws costs only its own definition. */
export const readList = (values: ReadonlyArray<unknown>, entry: string): ReadonlyArray<Read> => {
  const length = Result.getOrElse(Result.try(() => values.length), () => undefined)
  if (length === undefined) return [Result.fail(broken(entry))]
  const read = Array.from({ length: Math.min(length, MAX_DEFINITIONS) }, (_, index) => {
    const place = `${entry}[${index}]`
    return Result.getOrElse(
      Result.try(() => readDefinition(snapshot(values[index]), entry, place)),
      () => Result.fail(broken(place))
    )
  })
  const location = `${entry}[${MAX_DEFINITIONS}]`
  const message = `There are ${length} definitions; those after the first ${MAX_DEFINITIONS} are left out`
  return length > MAX_DEFINITIONS ? [...read, Result.fail({ location, reason: "unreadable", message })] : read
}

const broken = (location: string): SkippedSkill => ({
  location,
  reason: "unreadable",
  message: "The skill definition breaks whoever reads it"
})

/** Each part is read once, so that what is checked is what is kept. */
const snapshot = (value: unknown): unknown => {
  if (!Predicate.isObject(value)) return value
  const { base, content, description, name, resources }: Readonly<Record<string, unknown>> = value
  return { base, content, description, name, resources: copyOf(resources) }
}

/** Unlike a decoder's copy this one keeps a resource named `__proto__`. */
const copyOf = (resources: unknown): unknown => {
  if (Array.isArray(resources)) return Array.from<unknown>(resources)
  return Predicate.isObject(resources) ? Object.fromEntries(Object.entries(resources)) : resources
}

/** `place` is what names it where it has no name. */
const readDefinition = (value: unknown, entry: string, place: string): Read => {
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

/** A snapshot with fewer tools: what is left out is neither listed nor found nor promised. */
import type { Snapshot, ViewOptions } from "@effect-toolnexus/core"
import * as Predicate from "effect/Predicate"
import { matcher } from "./glob.ts"

export const narrow = (options: ViewOptions, show: (snapshot: Snapshot) => Snapshot) => {
  checkOptions(options)
  const { exclude = [], include } = options
  const isIncluded = include === undefined ? () => true : matcher(include)
  const isExcluded = matcher(exclude)
  const isShown = (name: string) => isIncluded(name) && !isExcluded(name)
  // one snapshot is narrowed once, and its readers share the result
  const narrowed = new WeakMap<Snapshot, Snapshot>()
  return (full: Snapshot): Snapshot => {
    const before = narrowed.get(full)
    if (before !== undefined) return before
    const snapshot = filter(show(full), isShown)
    narrowed.set(full, snapshot)
    return snapshot
  }
}

/** For programs that no compiler has looked at: what isn't understood would show everything. */
const checkOptions = (options: unknown): void => {
  if (Predicate.isObject(options) && Object.entries(options).every(isRule)) return
  throw new TypeError("A view takes { include, exclude }, each a list of names in which * stands for any characters")
}

const isRule = ([key, value]: readonly [string, unknown]): boolean =>
  (key === "include" || key === "exclude") &&
  (value === undefined || Array.isArray(value) && value.every(Predicate.isString))

const filter = (snapshot: Snapshot, isShown: (name: string) => boolean): Snapshot => {
  const byName = new Map(Array.from(snapshot.byName).filter(([name]) => isShown(name)))
  const offersSkills = snapshot.byName.has(SKILL_TOOL) === byName.has(SKILL_TOOL)
  return {
    ...snapshot,
    tools: [...byName.values()],
    toolNames: snapshot.toolNames.filter(isShown),
    byName,
    shadowed: snapshot.shadowed.filter(({ name }) => isShown(name)),
    entries: snapshot.entries.map(({ entry, ...rest }) => ({
      ...rest,
      entry: { ...entry, tools: entry.tools.filter(({ name }) => isShown(name)) }
    })),
    skills: offersSkills ? snapshot.skills : [],
    skillsPrompt: offersSkills ? snapshot.skillsPrompt : ""
  }
}

/** The one tool that loads skills (CONTRACT 6): without it they would be an empty promise. */
const SKILL_TOOL = "skill"

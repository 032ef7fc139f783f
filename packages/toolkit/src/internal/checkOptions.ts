/**
 * Looks at options that no type checker has seen, before anything is built: a misspelled `policy` would refuse nothing,
 * a `disableTools` that is a text would disable its letters, and nobody would hear of it.
 */
import { Suggestion } from "@effect-toolnexus/core"
import * as Predicate from "effect/Predicate"
import type { ToolkitOptions } from "../ToolkitOptions.ts"

interface Expectation {
  readonly fits: (value: unknown) => boolean
  readonly what: string
}

/** What is wrong with these is told by the entry, or the diagnostics, of their own. */
const byItsOwner: Expectation = { fits: () => true, what: "" }
const names: Expectation = {
  fits: (value) => Array.isArray(value) && value.every(Predicate.isString),
  what: "a list of names"
}
const boolean: Expectation = { fits: Predicate.isBoolean, what: "true or false" }
const number: Expectation = { fits: Predicate.isNumber, what: "a number" }
const listOf = (what: string): Expectation => ({ fits: Array.isArray, what: `a list of ${what}` })

/** A record, so that none can be forgotten. */
const known: Readonly<Record<keyof ToolkitOptions, Expectation>> = {
  config: byItsOwner,
  skills: {
    fits: (value) => typeof value === "string" || Array.isArray(value),
    what: "a folder, or a list of folders and skills"
  },
  skillDefs: listOf("skills"),
  skillProvider: byItsOwner,
  skillsFilter: {
    fits: (value) => Predicate.isObject(value) && Object.values(value).every(Predicate.isBoolean),
    what: "an object of names to true or false"
  },
  skillSampleLimit: number,
  disableSkills: names,
  builtins: byItsOwner,
  agents: { fits: Predicate.isObjectOrArray, what: "a list of agents, or an object of them by name" },
  tools: listOf("what defineTool, httpTool and openApiTools make"),
  disableTools: names,
  precedence: {
    fits: (value) => Predicate.hasProperty(value, "order") && Array.isArray(value.order),
    what: "Precedence.standard, Precedence.layered or Precedence.make([...])"
  },
  middleware: {
    fits: (value) => Array.isArray(value) && value.every(Predicate.isFunction),
    what: "a list of functions"
  },
  maxOutput: byItsOwner,
  startup: { fits: (value) => value === "wait" || value === "background", what: `"wait" or "background"` },
  waitFor: { fits: Predicate.isFunction, what: "a function" },
  policy: listOf("what Policy.allow, Policy.ask and Policy.deny make"),
  watch: boolean,
  promptBudget: number
}

/** What stands in a configuration, and is easily taken for an option beside it. */
const ofConfiguration = ["mcpServers", "openapi"]

/** Throws a `TypeError` for a mistake. What resembles no option is left alone: hosts hand on objects of their own. */
export const checkOptions = <R>(options: ToolkitOptions<R>): void => {
  const misplaced = ofConfiguration.find((key) => Object.hasOwn(options, key))
  if (misplaced !== undefined) {
    throw new TypeError(`"${misplaced}" is no option of a toolkit; it belongs into config: { ${misplaced}: ... }`)
  }
  const stray = Suggestion.misspelled(options, Object.keys(known))
  if (stray !== undefined) {
    throw new TypeError(`"${stray[0]}" is no option of a toolkit; did you mean "${stray[1]}"?`)
  }
  for (const [key, { fits, what }] of Object.entries(known)) {
    const value: unknown = Reflect.get(options, key)
    if (value !== undefined && !fits(value)) throw new TypeError(`${key} must be ${what}`)
  }
}

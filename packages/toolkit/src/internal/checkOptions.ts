/**
 * Looks at options that no type checker has seen, before anything is built: a misspelled `policy` would refuse nothing,
 * a `disableTools` that is a text would disable its letters, and nobody would hear of it.
 */
import { OptionCheck } from "@effect-toolnexus/core"
import * as Predicate from "effect/Predicate"
import type { ToolkitOptions } from "../ToolkitOptions.ts"

const { boolean, functionOf, listOf, number, oneOf, recordOf } = OptionCheck

/** What is wrong with these is told by the entry, or the diagnostics, of their own. */
const byItsOwner = OptionCheck.anything
const names = listOf("names", Predicate.isString)

/** A record, so that none can be forgotten. */
const known: Readonly<Record<keyof ToolkitOptions, OptionCheck.Expectation>> = {
  config: byItsOwner,
  skills: {
    fits: (value) => typeof value === "string" || Array.isArray(value),
    what: "a folder, or a list of folders and skills"
  },
  skillDefs: listOf("skills"),
  skillProvider: byItsOwner,
  skillsFilter: recordOf("names to true or false", Predicate.isBoolean),
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
  middleware: listOf("functions", Predicate.isFunction),
  maxOutput: byItsOwner,
  startup: oneOf(["wait", "background"]),
  waitFor: functionOf("a function"),
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
  OptionCheck.check(options, { owner: "a toolkit", keys: known, named: (key) => key })
}

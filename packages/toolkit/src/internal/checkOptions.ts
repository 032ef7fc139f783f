/**
 * Looks at options that no type checker has seen, before anything is built: a misspelled `policy` would refuse nothing,
 * and nobody would hear of it.
 */
import { Suggestion } from "@effect-toolnexus/core"
import type { ToolkitOptions } from "../ToolkitOptions.ts"

/** A record, so that none can be forgotten. */
const known: Readonly<Record<keyof ToolkitOptions, true>> = {
  config: true,
  skills: true,
  skillDefs: true,
  skillProvider: true,
  skillsFilter: true,
  skillSampleLimit: true,
  disableSkills: true,
  builtins: true,
  agents: true,
  tools: true,
  disableTools: true,
  precedence: true,
  middleware: true,
  maxOutput: true,
  startup: true,
  waitFor: true,
  policy: true,
  watch: true,
  promptBudget: true
}

/** Throws a `TypeError` for a mistake. What resembles no option is left alone: hosts hand on objects of their own. */
export const checkOptions = <R>(options: ToolkitOptions<R>): void => {
  for (const key of Object.keys(options)) {
    const [meant] = Object.hasOwn(known, key) ? [] : Suggestion.closest(key, Object.keys(known), 1)
    if (meant !== undefined && !Object.hasOwn(options, meant)) {
      throw new TypeError(`"${key}" is no option of a toolkit; did you mean "${meant}"?`)
    }
  }
  if (options.precedence !== undefined && !Array.isArray(options.precedence.order)) {
    throw new TypeError("precedence must be Precedence.standard, Precedence.layered or Precedence.make([...])")
  }
  if (options.tools !== undefined && !Array.isArray(options.tools)) {
    throw new TypeError("tools must be a list of what defineTool, httpTool and openApiTools make")
  }
}

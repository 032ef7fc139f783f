/** Whether a schema in strict mode stays within what the provider takes in all. */
import * as Predicate from "effect/Predicate"
import type { StrictLimits } from "../ProviderProfile.ts"
import { SIZE_OF_PART, SIZE_OF_VALUE } from "./renderPass.ts"
import { MAX_LENGTH } from "./shapeNames.ts"

const LONG_LIST = 250

/**
 * Whether so few parts on so few levels are within all limits, whatever they say: each is one property at most, and lists
 * no more values than a part may have, and null. It spares counting what most schemas are far from.
 */
export const isFarWithin = (parts: number, levels: number, limits: StrictLimits): boolean =>
  levels <= limits.levels && parts <= limits.properties &&
  parts * (MAX_LENGTH + SIZE_OF_PART) <= limits.characters &&
  parts * (1 + SIZE_OF_PART / SIZE_OF_VALUE) <= limits.listedValues &&
  parts * SIZE_OF_PART <= limits.longListCharacters

/** What is over a limit, in words; `undefined` if nothing is. */
export const overLimit = (schema: unknown, limits: StrictLimits): string | undefined => {
  const total = { levels: 0, properties: 0, characters: 0, listedValues: 0, longest: 0 }
  const count = (value: unknown, level: number): void => {
    if (!Predicate.isObject(value)) return
    total.levels = Math.max(total.levels, level)
    const { anyOf, enum: listed, items, properties = {} } = value
    if (Predicate.isObject(properties)) {
      for (const name of Object.keys(properties)) {
        total.properties++
        total.characters += name.length
        count(properties[name], level + 1)
      }
    }
    if (Array.isArray(listed)) countList(listed)
    if (Array.isArray(anyOf)) { for (const branch of anyOf) count(branch, level) }
    count(items, level + 1)
  }
  const countList = (listed: ReadonlyArray<unknown>): void => {
    const characters = listed.reduce<number>((sum, each) => sum + String(each).length, 0)
    total.listedValues += listed.length
    total.characters += characters
    if (listed.length > LONG_LIST) total.longest = Math.max(total.longest, characters)
  }
  count(schema, 1)
  if (Predicate.isObject(schema) && Predicate.isObject(schema["$defs"])) {
    for (const [name, definition] of Object.entries(schema["$defs"])) {
      total.characters += name.length
      count(definition, 1)
    }
  }
  if (total.levels > limits.levels) return `has more than ${limits.levels} levels`
  if (total.properties > limits.properties) return `has more than ${limits.properties} properties`
  if (total.characters > limits.characters) {
    return `has more than ${limits.characters} characters in names and listed values`
  }
  if (total.listedValues > limits.listedValues) return `lists more than ${limits.listedValues} values`
  if (total.longest > limits.longListCharacters) {
    return `has a list with more than ${limits.longListCharacters} characters`
  }
  return undefined
}

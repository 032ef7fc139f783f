/**
 * "Did you mean": close names among known ones, for unknown keys of a configuration and tools a model made up.
 *
 * @since 0.1.0
 */
import * as Order from "effect/Order"
import { byCodePoints } from "./ToolName.ts"

/** Longer names aren't typed by hand, and the distance costs the product of both lengths. */
const MAX_LENGTH = 128

/**
 * The known names closest to a name, nearest first, at most `limit`. A name is close when at most a third of it
 * differs, upper and lower case aside, or when one contains the other.
 *
 * **Example**
 *
 * ```ts
 * Suggestion.closest("comand", ["command", "args"], 1) // => ["command"]
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const closest = (name: string, known: Iterable<string>, limit: number): ReadonlyArray<string> => {
  if (name.length > MAX_LENGTH) return []
  const scored: Array<Scored> = []
  const wanted = name.toLowerCase()
  const allowed = Math.max(1, Math.floor(name.length / 3))
  for (const candidate of known) {
    const distance = distanceOf(wanted, candidate.toLowerCase(), allowed)
    if (distance <= allowed) {
      scored.push({ candidate, distance, surplus: Math.abs(candidate.length - name.length) })
    }
  }
  return scored.toSorted(byDistance).slice(0, limit).map(({ candidate }) => candidate)
}

/**
 * The first key of an object that nobody knows and that was probably meant for one that is known and absent, as
 * `[key, meant]`. For what comes from code: keys that resemble none are its host's own, but for `otherNames`: what others
 * call a known one.
 *
 * **Example**
 *
 * ```ts
 * Suggestion.misspelled({ polcy: [] }, ["policy", "tools"]) // => ["polcy", "policy"]
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const misspelled = (
  object: object,
  known: ReadonlyArray<string>,
  otherNames: Readonly<Record<string, string>> = {}
): readonly [key: string, meant: string] | undefined => {
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue
    const meant = Object.hasOwn(otherNames, key) ? otherNames[key] : closest(key, known, 1)[0]
    if (meant !== undefined && !Object.hasOwn(object, meant)) return [key, meant]
  }
  return undefined
}

interface Scored {
  readonly candidate: string
  readonly distance: number
  /** Of names that contain each other the one that is nearer in length: `skill` is `skills`, not `disableSkills`. */
  readonly surplus: number
}

const byDistance: Order.Order<Scored> = Order.combineAll([
  Order.mapInput(Order.Number, ({ distance }: Scored) => distance),
  Order.mapInput(Order.Number, ({ surplus }: Scored) => surplus),
  Order.mapInput(byCodePoints, ({ candidate }: Scored) => candidate)
])

/** Shorter texts occur in most names by chance. */
const MIN_CONTAINED = 4

const distanceOf = (name: string, candidate: string, allowed: number): number => {
  if (candidate.length > MAX_LENGTH) return Number.POSITIVE_INFINITY
  const shorter = Math.min(name.length, candidate.length)
  if (shorter >= MIN_CONTAINED && (candidate.includes(name) || name.includes(candidate))) return 1
  return editDistance(name, candidate, allowed)
}

/** Levenshtein's distance, one row at a time, given up as soon as it can't stay within what is allowed. */
const editDistance = (left: string, right: string, allowed: number): number => {
  if (Math.abs(left.length - right.length) > allowed) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const replaced = at(row, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, at(row, j) + 1, at(next, j - 1) + 1))
    }
    row = next
    if (Math.min(...row) > allowed) return Number.POSITIVE_INFINITY
  }
  return at(row, right.length)
}

const at = (row: ReadonlyArray<number>, index: number): number => row[index] ?? Number.POSITIVE_INFINITY

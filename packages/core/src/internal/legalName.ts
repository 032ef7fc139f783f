/** Names of tools as every provider takes them: one rule, so that a tool is called the same everywhere. */
import * as Hash from "effect/Hash"

const LEGAL = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

const MAX_LENGTH = 64

/** Eight hex digits: enough to tell apart what wasn't made to collide. */
export const hashOf = (text: string): string => (Hash.string(text) >>> 0).toString(16).padStart(8, "0")

/**
 * A legal name for each, all distinct. One that is legal stays; any other always gets its hash, so that it stays the same
 * whichever tools come and go.
 */
export const legalNames = (names: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const legal = new Map(names.filter((name) => LEGAL.test(name)).map((name) => [name, name]))
  if (legal.size === names.length) return legal
  const taken = new Set(legal.keys())
  for (const name of names.filter((other) => !legal.has(other)).toSorted()) {
    const chosen = distinctName(name, taken)
    taken.add(chosen)
    legal.set(name, chosen)
  }
  return legal
}

const distinctName = (name: string, taken: ReadonlySet<string>): string => {
  const plain = name.replace(/[^a-zA-Z0-9_-]/gu, "_").replace(/^(?=[^A-Za-z_])/, "_")
  for (let number = 1;; number++) {
    const suffix = number === 1 ? `_${hashOf(name)}` : `_${hashOf(name)}_${number}`
    const candidate = plain.slice(0, MAX_LENGTH - suffix.length) + suffix
    if (!taken.has(candidate)) return candidate
  }
}

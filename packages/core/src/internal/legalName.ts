/** Names of tools as every provider takes them: one rule, so that a tool is called the same everywhere. */
import * as Hash from "effect/Hash"

const LEGAL = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

const MAX_LENGTH = 64

/** Twelve hex digits of two hashes: enough to tell apart what wasn't made to collide. */
export const hashOf = (text: string): string =>
  (hex(Hash.string(text)) + hex(Hash.string(`${text}\0${text.length}`))).slice(4)

const hex = (hash: number): string => (hash >>> 0).toString(16).padStart(8, "0")

/** What ends like a name of ours gets one, so that nobody takes the name that another tool has, or will have. */
const LOOKS_LIKE_OURS = /_[0-9a-f]{12}(?:_\d+)?$/

/**
 * A legal name for each, all distinct. One that is legal stays; any other always gets its hash, so that it stays the same
 * whichever tools come and go.
 */
export const legalNames = (names: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const legal = new Map(names.filter(isFine).map((name) => [name, name]))
  if (legal.size === names.length) return legal
  const free = makeFreeNames(new Set(legal.keys()))
  for (const name of names.filter((other) => !isFine(other)).toSorted()) {
    const plain = name.replace(/[^a-zA-Z0-9_-]/gu, "_").replace(/^(?=[^A-Za-z_]|$)/, "_")
    legal.set(name, free(plain, `_${hashOf(name)}`, MAX_LENGTH))
  }
  return legal
}

const isFine = (name: string): boolean => LEGAL.test(name) && !LOOKS_LIKE_OURS.test(name)

/** Names with a suffix that nobody has yet; where even that is taken they are numbered on from the last. */
export const makeFreeNames = (taken: Set<string>) => {
  const last = new Map<string, number>()
  return (plain: string, suffix: string, limit: number): string => {
    const base = plain.slice(0, limit - suffix.length) + suffix
    let number = last.get(base) ?? 1
    let name = base
    for (; taken.has(name); number++) {
      const end = `${suffix}_${number + 1}`
      name = plain.slice(0, limit - end.length) + end
    }
    last.set(base, number)
    taken.add(name)
    return name
  }
}

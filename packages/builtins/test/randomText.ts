/** Random texts and edits, the same for the same seed. */

export type Random = () => number

/** Numbers from 0 up to 1 (mulberry32). */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const below = (random: Random, limit: number): number => Math.floor(random() * limit)

export const pick = <A>(random: Random, [first, ...others]: readonly [A, ...ReadonlyArray<A>]): A =>
  others[below(random, others.length + 1) - 1] ?? first

/** Few different lines, so that they repeat; what patterns and markers are made of is among them. */
const WORDS = [
  "a",
  "b",
  "  a",
  "b  ",
  "",
  "\t",
  "$&",
  "$1",
  "+a",
  "-b",
  "@@ a",
  "*** End Patch",
  "日本",
  "😀x",
  "if (x) {",
  "}"
] as const

export const randomLines = (random: Random, most: number): ReadonlyArray<string> =>
  Array.from(
    { length: below(random, most + 1) },
    () => pick(random, WORDS) + (random() < 0.3 ? pick(random, WORDS) : "")
  )

/** What to look at when lines aren't found: where they nearly are, and the first line that differs. */
import { Text } from "@effect-toolnexus/core"
import { TYPOGRAPHY } from "./looseLines.ts"

const MAX_SHOWN = 3
/** Characters of a line that are shown, and compared. */
const MAX_LINE = 200
/** Lines that are compared; a file of more is searched in its first part. */
const MAX_COMPARED = 10_000

/** A sentence, or nothing where nothing is like it. */
export const explainMissing = (lines: ReadonlyArray<string>, wanted: ReadonlyArray<string>): string => {
  const nearest = longestRun(lines, wanted)
  if (nearest !== undefined && nearest.length < wanted.length) {
    const { at, length, skipped } = nearest
    const there = lines[at + length]
    const line = wanted[skipped + length] ?? ""
    const shown = there !== undefined && looksLike(line)(there) ? quoteExactly : quote
    const found = there === undefined ? "the end of the file" : shown(there)
    return `Line ${skipped + length + 1} of the text differs: ${shown(line)} is looked for, and `
      + `line ${at + length + 1} of the file is ${found}`
  }
  const first = wanted.find((line) => line.trim() !== "") ?? ""
  const same = lines.slice(0, MAX_COMPARED).findIndex(looksLike(first))
  if (same !== -1) {
    return `The first line looked for is ${quoteExactly(first)}; line ${same + 1} of the file looks the same, but is ${
      quoteExactly(lines[same] ?? "")
    }`
  }
  const close = closest(lines, first)
  if (close.length === 0) return `No line of the file is like ${quote(first)}`
  return `The first line looked for is ${quote(first)}; the closest of the file: ${
    close.map((index) => `line ${index + 1} ${quote(lines[index] ?? "")}`).join(", ")
  }`
}

interface Run {
  readonly at: number
  readonly length: number
  /** Blank lines in front of the wanted ones. */
  readonly skipped: number
}

/** Where most of the first lines stand together, blanks around each aside. */
const longestRun = (lines: ReadonlyArray<string>, wanted: ReadonlyArray<string>): Run | undefined => {
  const skipped = wanted.findIndex((line) => line.trim() !== "")
  if (skipped === -1) return undefined
  const trimmed = wanted.slice(skipped).map((line) => line.trim())
  let best: Run | undefined
  let steps = 0
  for (let at = 0; at < lines.length && steps < MAX_COMPARED * 20; at++, steps++) {
    let length = 0
    while (length < trimmed.length && lines[at + length]?.trim() === trimmed[length]) length++
    steps += length
    if (length > (best?.length ?? 0)) best = { at, length, skipped }
  }
  return best
}

const closest = (lines: ReadonlyArray<string>, wanted: string): ReadonlyArray<number> => {
  const pairs = pairsOf(wanted)
  if (pairs.size === 0) return []
  return lines.slice(0, MAX_COMPARED)
    .map((line, index) => ({ index, score: similarity(pairs, pairsOf(line)) }))
    .filter(({ score }) => score >= 0.5)
    .toSorted((left, right) => right.score - left.score || left.index - right.index)
    .slice(0, MAX_SHOWN)
    .map(({ index }) => index)
}

/** Pairs of neighbouring characters: what two lines share of them tells how like they are (Dice). */
const pairsOf = (line: string): ReadonlySet<string> => {
  const text = line.trim().slice(0, MAX_LINE)
  const pairs = new Set<string>()
  for (let index = 0; index + 1 < text.length; index++) pairs.add(text.slice(index, index + 2))
  return pairs
}

const similarity = (left: ReadonlySet<string>, right: ReadonlySet<string>): number => {
  if (right.size === 0) return 0
  let shared = 0
  for (const pair of left) if (right.has(pair)) shared++
  return 2 * shared / (left.size + right.size)
}

/** Whether a person would see no difference though there is one: characters that are composed, other blanks and quotes. */
const looksLike = (wanted: string): (line: string) => boolean => {
  const seen = TYPOGRAPHY.fold(wanted.normalize("NFC"))
  return (line) => line.trim() !== wanted.trim() && TYPOGRAPHY.fold(line.normalize("NFC")) === seen
}

/** What isn't ASCII by its numbers. */
const quoteExactly = (line: string): string =>
  quote(line).replaceAll(/[^\x20-\x7e…]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

const quote = (line: string): string => JSON.stringify(Text.cut(line, MAX_LINE, "…"))

/**
 * The replacing that `edit` does: the exact text, or else the one place where whole lines differ from it in their ends,
 * in trailing blanks or in common indentation. Nothing in either text has a meaning of its own.
 */
import * as Result from "effect/Result"
import { explainMissing } from "./closestLines.ts"
import * as Lines from "./lines.ts"
import { FoldedLines, INDENTATION, type Likeness, TRAILING } from "./looseLines.ts"
import { textOccurrences } from "./sequenceSearch.ts"

export interface Replacement {
  readonly oldString: string
  readonly newString: string
  readonly replaceAll: boolean
}

export interface Replaced {
  readonly text: string
  readonly count: number
  /** What the place differed in from the text looked for; `undefined`: nothing. */
  readonly difference: string | undefined
}

/** The failure goes on where the path ends. */
export const replace = (text: string, wanted: Replacement): Result.Result<Replaced, string> => {
  const exact = textOccurrences(text, wanted.oldString, MAX_PLACES + 1).map((start) => ({
    start,
    end: start + wanted.oldString.length
  }))
  if (exact.length > 0) return replacePlaces(text, exact, wanted, undefined)
  const tooMany = Lines.tooMany(text)
  if (tooMany !== undefined) {
    return Result.fail(`doesn't have the exact text, and ${tooMany}, too many to look for one that is like it`)
  }
  const otherEnds = placesWithOtherEnds(text, wanted.oldString)
  return otherEnds.length > 0 ? replacePlaces(text, otherEnds, wanted, "line ends") : replaceLoosely(text, wanted)
}

/** As many as lines are looked at one by one: each costs as much, and a text may be nothing but one character. */
const MAX_PLACES = 500_000

interface Place {
  readonly start: number
  readonly end: number
}

const replacePlaces = (
  text: string,
  places: ReadonlyArray<Place>,
  wanted: Replacement,
  difference: string | undefined
): Result.Result<Replaced, string> => {
  const isTooMany = places.length > MAX_PLACES
  const count = isTooMany ? `more than ${MAX_PLACES}` : String(places.length)
  if (isTooMany && wanted.replaceAll) {
    return Result.fail(`has the text ${count} times, too many to be replaced by one edit`)
  }
  if (places.length === 1 || wanted.replaceAll) {
    return Result.succeed({ text: replaceAt(text, places, wanted.newString), count: places.length, difference })
  }
  const numbers = places.slice(0, MAX_NUMBERS + 1).map(({ start }) => Lines.numberAt(text, start))
  return Result.fail(
    `has the text ${count} times, ${atLines(numbers)}. Give more of what stands around the one that is meant, or `
      + "replaceAll"
  )
}

/** A model writes LF whatever the file has: lines in the middle of which a place may begin and end. */
const placesWithOtherEnds = (text: string, wanted: string): ReadonlyArray<Place> => {
  if (!text.includes("\r\n") && !wanted.includes("\r\n")) return []
  const flat = text.replaceAll("\r\n", "\n")
  const old = wanted.replaceAll("\r\n", "\n")
  const toOriginal = positionsBefore(text)
  return textOccurrences(flat, old, MAX_PLACES + 1).map((at) => {
    const start = toOriginal(at)
    return { start, end: toOriginal(at + old.length) }
  })
}

/** From positions in a text without its CRs to those in the text; to be asked in ascending order. */
const positionsBefore = (text: string): (flat: number) => number => {
  let dropped = 0
  let next = text.indexOf("\r\n")
  return (flat) => {
    while (next !== -1 && next - dropped < flat) {
      dropped++
      next = text.indexOf("\r\n", next + 2)
    }
    return flat + dropped
  }
}

const MAX_NUMBERS = 20

const atLines = (numbers: ReadonlyArray<number>): string => {
  const shown = numbers.slice(0, MAX_NUMBERS).join(", ")
  return `at line${numbers.length === 1 ? "" : "s"} ${shown}${numbers.length > MAX_NUMBERS ? ", ..." : ""}`
}

const replaceAt = (text: string, places: ReadonlyArray<Place>, newString: string): string => {
  const pieces: Array<string> = []
  let position = 0
  for (const place of places) {
    const start = Math.max(position, isInsideCrlf(text, place.start) ? place.start - 1 : place.start)
    pieces.push(text.slice(position, start), withEndsOf(text, start, place.end, newString))
    position = place.end
  }
  pieces.push(text.slice(position))
  return pieces.join("")
}

/** A text that begins with a line end means all of it. */
const isInsideCrlf = (text: string, position: number): boolean =>
  position > 0 && text[position] === "\n" && text[position - 1] === "\r"

/** New lines end as those of the place they come to: as those replaced, else as the line they come into, or one before. */
const withEndsOf = (text: string, start: number, end: number, newString: string): string => {
  if (!newString.includes("\n")) return newString
  const lineEnd = Lines.firstEnd(text.slice(start, end)) ?? endOfLineAt(text, end) ?? endOfLineBefore(text, start)
  return lineEnd === undefined ? newString : Lines.withEnds(newString, lineEnd)
}

const endOfLineAt = (text: string, position: number): Lines.LineEnd | undefined => {
  const newline = text.indexOf("\n", position)
  if (newline === -1) return undefined
  return newline > 0 && text[newline - 1] === "\r" ? "\r\n" : "\n"
}

const endOfLineBefore = (text: string, position: number): Lines.LineEnd | undefined => {
  const newline = position === 0 ? -1 : text.lastIndexOf("\n", position - 1)
  if (newline === -1) return undefined
  return newline > 0 && text[newline - 1] === "\r" ? "\r\n" : "\n"
}

const replaceLoosely = (text: string, wanted: Replacement): Result.Result<Replaced, string> => {
  const lines = Lines.split(text)
  const texts = lines.map((line) => line.text)
  const old = Lines.split(wanted.oldString)
  const oldTexts = old.map((line) => line.text)
  const folded = new FoldedLines(texts)
  const isBlank = oldTexts.every((line) => line.trim() === "")
  for (const likeness of isBlank ? [] : [TRAILING, INDENTATION]) {
    const found = findAll(folded, texts, oldTexts, likeness)
    const [at] = found
    if (at === undefined) continue
    if (found.length > 1) {
      return Result.fail(
        `doesn't have the exact text, and several places differ from it only in ${likeness.name}, ${
          atLines(found.map((index) => index + 1))
        }. Give the text as it is in the file`
      )
    }
    const place = lines.slice(at, at + old.length)
    const inserted = replacementLines(place, old, wanted.newString)
    return Result.succeed({
      text: Lines.join([...lines.slice(0, at), ...inserted, ...lines.slice(at + old.length)]),
      count: 1,
      difference: likeness.name
    })
  }
  return Result.fail(`doesn't have the text. ${explainMissing(texts, oldTexts)}`)
}

/** Two are enough to tell that it isn't one; some more for the message. */
const MAX_FOUND = 100

/** Lines that are compared by their indentation, in all places together: each takes a microsecond. */
const MAX_DEDENTED = 200_000

const findAll = (
  folded: FoldedLines,
  texts: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>,
  likeness: Likeness
): ReadonlyArray<number> => {
  const limit = Math.max(2, Math.min(MAX_FOUND, Math.floor(MAX_DEDENTED / wanted.length)))
  const found = folded.find(wanted, likeness, { limit })
  if (likeness !== INDENTATION) return found
  const dedented = dedent(wanted).join("\n")
  return found.filter((at) => dedent(texts.slice(at, at + wanted.length)).join("\n") === dedented)
}

/** Lines without what all of them (blank ones aside) are indented by, and without blanks at their ends. */
const dedent = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { length } = commonIndentation(lines)
  return lines.map((line) => line.slice(length).trimEnd())
}

const commonIndentation = (lines: ReadonlyArray<string>): string => {
  const indentations = lines.filter((line) => line.trim() !== "").map((line) => /^\s*/.exec(line)?.[0] ?? "")
  const [first = "", ...others] = indentations
  let { length } = first
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length--
  }
  return first.slice(0, length)
}

/** The new lines, indented as the place is, with its line ends; its last one has none where the old text had none. */
const replacementLines = (
  place: ReadonlyArray<Lines.Line>,
  old: ReadonlyArray<Lines.Line>,
  newString: string
): ReadonlyArray<Lines.Line> => {
  const from = commonIndentation(old.map(({ text }) => text))
  const to = commonIndentation(place.map(({ text }) => text))
  const lineEnd = place.find(({ end }) => end !== "")?.end ?? "\n"
  const lines = Lines.split(newString).map(({ end, text }): Lines.Line => ({
    text: from !== to && text.trim() !== "" && text.startsWith(from) ? to + text.slice(from.length) : text,
    end: end === "" ? "" : lineEnd
  }))
  const hasOpenEnd = old.at(-1)?.end === ""
  const lastEnd = place.at(-1)?.end ?? ""
  if (!hasOpenEnd) return lines
  // the line end of the place wasn't part of the text looked for, and stays
  const last = lines.at(-1)
  if (last === undefined || last.end !== "") return [...lines, { text: "", end: lastEnd }]
  return [...lines.slice(0, -1), { ...last, end: lastEnd }]
}

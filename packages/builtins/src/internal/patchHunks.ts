/** Applies the hunks of one file to its text: each finds its place below the one before, by whole lines. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { explainMissing } from "./closestLines.ts"
import * as Lines from "./lines.ts"
import { EXACT, FoldedLines, INDENTATION, type Likeness, TRAILING, TYPOGRAPHY } from "./looseLines.ts"
import type { Hunk } from "./patchParser.ts"

export interface Patched {
  readonly text: string
  /** What places differed in from the hunks that were looked for. */
  readonly differences: ReadonlySet<string>
}

/** A hunk with the lines it takes the place of. */
interface Placed {
  readonly hunk: Hunk
  readonly start: number
  readonly length: number
}

/** The failure goes on where the path ends. Others have their turn between two hunks: each may go through all lines. */
export const applyHunks = Effect.fnUntraced(function*(text: string, hunks: ReadonlyArray<Hunk>) {
  const tooMany = Lines.tooMany(text)
  if (tooMany !== undefined) return yield* Effect.fail(`${tooMany}, too many for a patch: change it by edit`)
  const lines = Lines.split(text)
  const finder = new PlaceFinder(lines.map((line) => line.text))
  const placed: Array<Placed> = []
  for (const hunk of hunks) {
    const place = yield* Effect.mapError(
      Effect.fromResult(finder.place(hunk)),
      (problem) => `${problem} (hunk at line ${hunk.at} of the patch)`
    )
    placed.push({ hunk, ...place })
    yield* Effect.yieldNow
  }
  return { text: build(lines, placed), differences: finder.differences } satisfies Patched
})

interface Found {
  readonly start: number
  readonly difference: string | undefined
}

const LIKENESSES: ReadonlyArray<Likeness> = [EXACT, TRAILING, INDENTATION, TYPOGRAPHY]

class PlaceFinder {
  readonly differences = new Set<string>()
  readonly #lines: ReadonlyArray<string>
  readonly #folded: FoldedLines
  /** The line below all that was found so far. */
  #next = 0

  constructor(lines: ReadonlyArray<string>) {
    this.#lines = lines
    this.#folded = new FoldedLines(lines)
  }

  place(hunk: Hunk): Result.Result<Omit<Placed, "hunk">, string> {
    const header = this.#goBelow(hunk.headers)
    if (header !== undefined) return Result.fail(header)
    const old = hunk.lines.filter(({ kind }) => kind !== "added").map(({ text }) => text)
    if (old.length === 0) return this.#insertion(hunk)
    // a header is often said again as the first line of context
    const from = hunk.headers.length > 0 ? Math.max(0, this.#next - 1) : this.#next
    const found = this.#find(old, this.#next, hunk.isAtEnd) ?? this.#find(old, from, hunk.isAtEnd)
    if (found === undefined) return Result.fail(this.#missing(old, hunk.isAtEnd))
    const { difference, start } = found
    if (difference !== undefined) this.differences.add(difference)
    this.#next = start + old.length
    return Result.succeed({ start, length: old.length })
  }

  /** What is wrong; `undefined`: each header was found below the one before. */
  #goBelow(headers: ReadonlyArray<string>): string | undefined {
    for (const header of headers) {
      const found = this.#find([header], this.#next, false)
      if (found === undefined) {
        return `doesn't have the context ${JSON.stringify(header)} below line ${this.#next}: it was not found. ${
          explainMissing(this.#lines, [header])
        }`
      }
      this.#next = found.start + 1
    }
    return undefined
  }

  #insertion({ headers, isAtEnd, isNumbered }: Hunk): Result.Result<Omit<Placed, "hunk">, string> {
    if (isNumbered) {
      return Result.fail(
        "can't be patched by line numbers: the hunk only adds lines, so give a line of context for its place"
      )
    }
    const isBelowHeader = headers.length > 0 && !isAtEnd
    const start = isBelowHeader ? this.#next : this.#lines.length
    this.#next = start
    return Result.succeed({ start, length: 0 })
  }

  #find(wanted: ReadonlyArray<string>, from: number, isAtEnd: boolean): Found | undefined {
    const first = isAtEnd ? Math.max(from, this.#lastStart(wanted.length)) : from
    for (const likeness of LIKENESSES) {
      const [start] = this.#folded.find(wanted, likeness, { from: first, limit: 1 })
      if (start !== undefined) return { start, difference: likeness.name }
    }
    return undefined
  }

  /** Blank lines at the end of a file are easily overlooked. */
  #lastStart(length: number): number {
    const lastText = this.#lines.findLastIndex((line) => line.trim() !== "")
    return Math.max(0, lastText + 1 - length)
  }

  #missing(old: ReadonlyArray<string>, isAtEnd: boolean): string {
    const where = isAtEnd ? " at its end" : this.#next === 0 ? "" : ` below line ${this.#next}`
    return `doesn't have the expected lines${where}: they were not found. ${explainMissing(this.#lines, old)}`
  }
}

/** The last line gets a line end, whether or not it had one: the format has no way to say otherwise but the marker. */
const build = (lines: ReadonlyArray<Lines.Line>, placed: ReadonlyArray<Placed>): string => {
  const usual = lines.find(({ end }) => end !== "")?.end ?? "\n"
  const built: Array<Lines.Line> = []
  let position = 0
  for (const { hunk, length, start } of placed) {
    for (const line of lines.slice(position, start)) built.push(line)
    for (const line of replaced(hunk, lines.slice(start, start + length), built.at(-1)?.end || usual)) built.push(line)
    position = start + length
  }
  for (const line of lines.slice(position)) built.push(line)
  const hasOpenEnd = placed.at(-1)?.hunk.hasOpenEnd === true && position === lines.length
  return built.map(({ end, text }, index) => {
    const isLast = index === built.length - 1
    return text + (isLast && hasOpenEnd ? "" : end === "" ? usual : end)
  }).join("")
}

/** Context stays as the file has it; a new line ends as the one it replaces, else as the one above. */
const replaced = (hunk: Hunk, old: ReadonlyArray<Lines.Line>, above: Lines.LineEnd): ReadonlyArray<Lines.Line> => {
  const built: Array<Lines.Line> = []
  /** Of the lines removed since the last one that stayed; the first ones are those of lines added since. */
  let removedEnds: Array<Lines.LineEnd> = []
  let given = 0
  let position = 0
  let last = above
  for (const { kind, text } of hunk.lines) {
    const line = old[position]
    if (kind === "added") {
      last = removedEnds[given++] || last
      built.push({ text, end: last })
      continue
    }
    position++
    if (line === undefined) continue
    if (kind === "removed") removedEnds.push(line.end)
    else {
      removedEnds = []
      given = 0
      built.push(line)
      last = line.end || last
    }
  }
  return built
}

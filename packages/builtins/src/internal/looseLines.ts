/**
 * Finds lines in a file that a model remembers not quite as they are: with other blanks at their ends, another
 * indentation, plain quotes and dashes where the file has typographic ones. The closest kind of likeness wins.
 */
import { occurrences } from "./sequenceSearch.ts"

/** From the strictest to the loosest. */
export interface Likeness {
  /** What is different, for the result to say; `undefined`: nothing. */
  readonly name: string | undefined
  /** Two lines are alike when this makes them equal. */
  readonly fold: (line: string) => string
}

export const EXACT: Likeness = { name: undefined, fold: (line) => line }
export const TRAILING: Likeness = { name: "trailing blanks", fold: (line) => line.trimEnd() }
export const INDENTATION: Likeness = { name: "indentation", fold: (line) => line.trim() }
export const TYPOGRAPHY: Likeness = { name: "quotes, dashes or blanks", fold: (line) => plain(line).trim() }

/** Compatibility forms in general aren't folded: a ligature is not its letters. */
const plain = (line: string): string =>
  line
    .replaceAll(/[\u2018\u2019\u201A\u201B\u2032]/g, "'")
    .replaceAll(/[\u201C\u201D\u201E\u201F\u2033]/g, "\"")
    .replaceAll(/[\u2010-\u2015\u2212]/g, "-")
    .replaceAll(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " ")

/** Questions after which an answer is worth a look at all lines. */
const WORTHWHILE = 20

/** Lines folded in each way, each made once however many hunks there are. */
export class FoldedLines {
  readonly #lines: ReadonlyArray<string>
  readonly #folded = new Map<Likeness, ReadonlyArray<string>>()
  readonly #lastPlaces = new Map<Likeness, ReadonlyMap<string, number>>()
  #asked = 0

  constructor(lines: ReadonlyArray<string>) {
    this.#lines = lines
  }

  /** Where lines like the wanted ones stand, from an index on. */
  find(
    wanted: ReadonlyArray<string>,
    likeness: Likeness,
    options: { readonly from?: number; readonly limit?: number } = {}
  ): ReadonlyArray<number> {
    const lines = wanted.map(likeness.fold)
    return this.#lacks(lines, likeness, options.from ?? 0) ? [] : occurrences(this.#foldedBy(likeness), lines, options)
  }

  /**
   * Whether some of the lines stand nowhere from an index on: else each hunk of a patch whose lines all are a little
   * different would go through the whole file, and that for each likeness.
   */
  #lacks(lines: ReadonlyArray<string>, likeness: Likeness, from: number): boolean {
    if (this.#asked++ < WORTHWHILE) return false
    const last = this.#lastPlaces.get(likeness)
      ?? new Map(this.#foldedBy(likeness).map((line, index): readonly [string, number] => [line, index]))
    this.#lastPlaces.set(likeness, last)
    return lines.some((line) => (last.get(line) ?? -1) < from)
  }

  #foldedBy(likeness: Likeness): ReadonlyArray<string> {
    const known = this.#folded.get(likeness)
    if (known !== undefined) return known
    const folded = this.#lines.map(likeness.fold)
    this.#folded.set(likeness, folded)
    return folded
  }
}

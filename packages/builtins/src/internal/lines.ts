/** A text as lines that keep their own ends, so that a text put together again is the same text. */

export interface Line {
  readonly text: string
  /** `""`: the last line, without an end. A lone CR ends no line. */
  readonly end: LineEnd
}

export type LineEnd = "\n" | "\r\n" | ""

/**
 * Lines of a text that is taken apart: each costs some hundred bytes, and a tenth of a microsecond for each look at it. A
 * file of the largest size may be nothing but line ends.
 */
const MAX_LINES = 500_000

/** Whether a text has more lines than may be looked at one by one, and how to say so where the path ends. */
export const tooMany = (text: string): string | undefined => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (++count > MAX_LINES) return `has more than ${MAX_LINES} lines`
  }
  return undefined
}

/** No text has no line; a text that ends with a line end has none behind it. */
export const split = (text: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let start = 0
  while (start < text.length) {
    const newline = text.indexOf("\n", start)
    if (newline === -1) {
      lines.push({ text: text.slice(start), end: "" })
      break
    }
    const isCrlf = newline > start && text[newline - 1] === "\r"
    lines.push({ text: text.slice(start, isCrlf ? newline - 1 : newline), end: isCrlf ? "\r\n" : "\n" })
    start = newline + 1
  }
  return lines
}

export const join = (lines: ReadonlyArray<Line>): string => lines.map(({ end, text }) => text + end).join("")

/** The first line end of a text; `undefined` where there is none. */
export const firstEnd = (text: string): LineEnd | undefined => {
  const newline = text.indexOf("\n")
  if (newline === -1) return undefined
  return text[newline - 1] === "\r" ? "\r\n" : "\n"
}

/** A text with all its line ends made one. */
export const withEnds = (text: string, end: LineEnd): string => text.replaceAll(/\r?\n/g, () => end)

/** The number, from 1, of the line a position of a text is in. */
export const numberAt = (text: string, position: number): number => {
  let number = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < position; at = text.indexOf("\n", at + 1)) number++
  return number
}

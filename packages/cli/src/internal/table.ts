/** Rows of text as a table for people. */
import * as CliOutput from "effect/cli/CliOutput"
import { oneLine } from "./plainText.ts"

/** Where a table is shown. `width` is in columns; absent where nothing has to fit, as in a pipe. */
export interface Screen {
  readonly width: number | undefined
  readonly colors: boolean
}

const GAP = "  "

/** Below this a column says nothing. */
const MIN_COLUMN = 4

/** The last column, a description, is cut down to this before any other is touched: names are there to be typed. */
const MIN_LAST_COLUMN = 20

/**
 * A table with a head; cells become one line each. On a screen it fits the width: the last column is cut first, then
 * the widest ones.
 */
export const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  { colors, width }: Screen
): string => {
  const cells = rows.map((row) => row.map((cell) => oneLine(width === undefined ? cell : preCut(cell, width))))
  const widths = fit([head, ...cells], width)
  return [
    emphasize(line(head, widths), colors),
    ...cells.map((row) => line(row, widths))
  ].join("\n")
}

/** Bold, where there are colors. */
const emphasize = (text: string, colors: boolean): string => colors ? `\u001B[1m${text}\u001B[0m` : text

/** A character seldom takes more than a few code units, so the rest of a huge text needn't be measured. */
const preCut = (text: string, width: number): string => text.length <= width * 16 ? text : text.slice(0, width * 16)

const naturalWidths = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> =>
  (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, CliOutput.displayWidth(row[column] ?? "")), 0)
  )

/** The width of each column; none for one that is neither cut nor padded. */
const fit = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number | undefined
): ReadonlyArray<number | undefined> => {
  if (width === undefined) return [...naturalWidths(rows.map((row) => row.slice(0, -1))), undefined]
  const natural = naturalWidths(rows)
  const available = width - GAP.length * (natural.length - 1)
  const others = natural.slice(0, -1)
  const left = available - others.reduce((a, b) => a + b, 0)
  const last = Math.min(natural.at(-1) ?? 0, Math.max(left, MIN_LAST_COLUMN))
  const widths = [...others.map((column) => Math.min(column, Math.max(available, MIN_COLUMN))), last]
  for (let excess = widths.reduce((a, b) => a + b, 0) - available; excess > 0; excess--) {
    const widest = Math.max(...widths)
    if (widest <= MIN_COLUMN) break
    widths[widths.lastIndexOf(widest)] = widest - 1
  }
  return widths
}

const line = (row: ReadonlyArray<string>, widths: ReadonlyArray<number | undefined>): string =>
  row
    .map((cell, column) => {
      const width = widths[column]
      return width === undefined ? cell : pad(cut(cell, width), width)
    })
    .join(GAP)
    .trimEnd()

const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** At most so many columns of a text, with an ellipsis where something was cut; no character is split. */
export const cut = (text: string, width: number): string => {
  if (CliOutput.displayWidth(text) <= width) return text
  let kept = ""
  let used = 1
  for (const { segment } of graphemes.segment(text)) {
    used += CliOutput.displayWidth(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

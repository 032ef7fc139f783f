/**
 * Rows of text as a table for people. The last column, a description, is cut to what a screen has room for; what is left
 * of it are names and paths, which are there to be copied, and never cut.
 */
import * as CliOutput from "effect/cli/CliOutput"
import { oneLine } from "./plainText.ts"

/** Where a table is shown. `width` is in columns; absent where nothing has to fit, as in a pipe. */
export interface Screen {
  readonly width: number | undefined
  readonly colors: boolean
}

type Row = ReadonlyArray<string>

const GAP = "  "

/** Where nothing has to fit: a wider cell runs over, for all rows padded to a huge name are a huge text of blanks. */
const MAX_COLUMN = 60

/** With less room than this, in columns, a description stands on a line of its own below its row. */
const MIN_LAST_COLUMN = 20

const INDENT = "    "

/** A table with a head; cells become one line each. In a pipe each row is one line, at a terminal it fits the width. */
export const table = (head: Row, rows: ReadonlyArray<Row>, { colors, width }: Screen): string => {
  const cells = rows.map((row) => [...row.slice(0, -1), preCut(row.at(-1) ?? "", width)].map(oneLine))
  const widths = fit(head, cells, width)
  return [emphasize(headLine(head, widths, width), colors), ...cells.map((row) => rowLines(row, widths, width))].join(
    "\n"
  )
}

/** Bold, where there are colors. */
export const emphasize = (text: string, colors: boolean): string => colors ? `\u001B[1m${text}\u001B[0m` : text

/** A character seldom takes more than a few code units, so the rest of a huge text needn't be looked at. */
const preCut = (text: string, width: number | undefined): string =>
  width === undefined ? text : text.slice(0, width * 16)

/** Longer texts fit nowhere, and to measure them takes its time. */
const MAX_MEASURED = 1000

const PLAIN = /^[\u0020-\u007E]*$/

const measure = (text: string): number =>
  text.length > MAX_MEASURED || PLAIN.test(text) ? text.length : CliOutput.displayWidth(text)

/** The widths of all columns but the last. Each is that of a cell: as wide a one as leaves room for the last column. */
const fit = (head: Row, rows: ReadonlyArray<Row>, width: number | undefined): ReadonlyArray<number> => {
  const choices = head.slice(0, -1).map((label, column) =>
    choicesOf(label, rows.map((row) => row[column] ?? ""), width ?? MAX_COLUMN)
  )
  const room = width === undefined ? Number.POSITIVE_INFINITY : width - MIN_LAST_COLUMN
  for (;;) {
    const widths = choices.map(([widest = 0]) => widest)
    const used = widths.reduce((sum, column) => sum + column + GAP.length, 0)
    const shrinkable = choices.filter((column) => column.length > 1)
    if (used <= room || shrinkable.length === 0) return widths
    shrinkable.reduce((first, next) => (next[0] ?? 0) > (first[0] ?? 0) ? next : first).shift()
  }
}

/** The distinct widths of a column's cells, the widest first, from the limit down to its label's. */
const choicesOf = (label: string, cells: Row, limit: number): Array<number> => {
  const least = measure(label)
  const widths = new Set(cells.map(measure).filter((width) => width > least && width <= limit))
  return [...[...widths].toSorted((left, right) => right - left), least]
}

const headLine = (head: Row, widths: ReadonlyArray<number>, width = Number.POSITIVE_INFINITY): string => {
  const start = startOf(head, widths)
  const last = head.at(-1) ?? ""
  return (measure(start) + measure(last) <= width ? start + last : start).trimEnd()
}

const rowLines = (row: Row, widths: ReadonlyArray<number>, width: number | undefined): string => {
  const start = startOf(row, widths)
  const last = row.at(-1) ?? ""
  if (width === undefined || last === "") return (start + last).trimEnd()
  const room = width - measure(start)
  return room >= Math.min(measure(last), MIN_LAST_COLUMN)
    ? start + cut(last, room)
    : `${start.trimEnd()}\n${INDENT}${cut(last, width - INDENT.length)}`
}

const startOf = (row: Row, widths: ReadonlyArray<number>): string =>
  widths.map((width, column) => pad(row[column] ?? "", width) + GAP).join("")

const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - measure(text)))

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** At most so many columns of a text, with an ellipsis where something was cut; no character is split. */
export const cut = (text: string, width: number): string => {
  if (measure(text) <= width) return text
  let kept = ""
  let used = 1
  for (const { segment } of graphemes.segment(text)) {
    used += measure(segment)
    if (used > width) return `${kept.trimEnd()}…`
    kept += segment
  }
  return text
}

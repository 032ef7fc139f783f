/** What a change comes to, as a unified diff for whoever watches. */
import { Text } from "@effect-toolnexus/core"
import * as TextDiff from "effect/TextDiff"

export interface DiffSummary {
  /** A unified diff, perhaps cut. */
  readonly diff: string
  readonly added: number
  readonly removed: number
}

/** Characters; together with others it goes into the metadata of one answer. */
export const MAX_DIFF = 32_768

/** What the search may cost, in steps: a tenth of a second or so. Beyond it a change is shown larger than it is. */
const BUDGET = 10_000_000

export const summarize = (before: string, after: string, from: string, to: string = from): DiffSummary => {
  const size = countLines(before) + countLines(after)
  const maxEdits = Math.min(2000, Math.max(10, Math.floor(BUDGET / (size + 1))))
  const edits = TextDiff.lines(before, after, { maxEdits })
  const count = (tag: "Insert" | "Delete") =>
    edits.reduce((sum, { _tag, items }) => _tag === tag ? sum + items.length : sum, 0)
  return {
    diff: Text.cut(TextDiff.unified(edits, { fromFile: from, toFile: to }), MAX_DIFF, "\n[diff cut]"),
    added: count("Insert"),
    removed: count("Delete")
  }
}

const countLines = (text: string): number => {
  let count = 1
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

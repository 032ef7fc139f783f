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

/** What the search may cost, in steps. Beyond it a change is shown larger than it is. */
const BUDGET = 2_000_000

/** Characters, of both texts, that are compared line by line; nobody looks through a diff of more. */
const MAX_COMPARED = 1_000_000

export const summarize = (before: string, after: string, from: string, to: string = from): DiffSummary => {
  const changed = changedPart(before, after)
  return changed.before.length + changed.after.length > MAX_COMPARED
    ? { diff: "[too large a change for a diff]", added: countLines(changed.after), removed: countLines(changed.before) }
    : compare(before, after, from, to)
}

const compare = (before: string, after: string, from: string, to: string): DiffSummary => {
  const maxEdits = Math.min(2000, Math.max(10, Math.floor(BUDGET / (countLines(before) + countLines(after) + 1))))
  const edits = TextDiff.lines(before, after, { maxEdits })
  const count = (tag: "Insert" | "Delete") =>
    edits.reduce((sum, { _tag, items }) => _tag === tag ? sum + items.length : sum, 0)
  return {
    diff: Text.cut(TextDiff.unified(edits, { fromFile: from, toFile: to }), MAX_DIFF, "\n[diff cut]"),
    added: count("Insert"),
    removed: count("Delete")
  }
}

/** Both texts without what they begin and end with in common. */
const changedPart = (before: string, after: string) => {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let end = 0
  while (
    end < shorter - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) end++
  return { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) }
}

const countLines = (text: string): number => {
  let count = 1
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

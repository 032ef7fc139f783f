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

/** Unchanged lines that are shown around a change. */
const CONTEXT = 3

export const summarize = (before: string, after: string, from: string, to: string = from): DiffSummary => {
  const { end, start } = common(before, after)
  const [removed, added] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  if (removed.length + added.length > MAX_COMPARED) {
    return { diff: "[too large a change for a diff]", added: countLines(added), removed: countLines(removed) }
  }
  // nobody has to take a large file apart for a small change
  const first = lineBefore(before, start)
  const rest = before.length - lineAfter(before, before.length - end)
  const { diff, ...counts } = compare(
    before.slice(first, before.length - rest),
    after.slice(first, after.length - rest),
    from,
    to
  )
  return { diff: Text.cut(below(diff, countLines(before.slice(0, first)) - 1), MAX_DIFF, "\n[diff cut]"), ...counts }
}

const compare = (before: string, after: string, from: string, to: string): DiffSummary => {
  const maxEdits = Math.min(2000, Math.max(10, Math.floor(BUDGET / (countLines(before) + countLines(after) + 1))))
  const edits = TextDiff.lines(before, after, { maxEdits })
  const count = (tag: "Insert" | "Delete") =>
    edits.reduce((sum, { _tag, items }) => _tag === tag ? sum + items.length : sum, 0)
  return {
    diff: TextDiff.unified(edits, { context: CONTEXT, fromFile: from, toFile: to }),
    added: count("Insert"),
    removed: count("Delete")
  }
}

/** A diff of what stands so many lines below the beginning. Lines of the files have a mark in front, no header has. */
const below = (diff: string, lines: number): string =>
  lines === 0
    ? diff
    : diff.replaceAll(
      /^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@$/gm,
      (_, old: string, oldCount = "", now: string, nowCount = "") =>
        `@@ -${Number(old) + lines}${oldCount} +${Number(now) + lines}${nowCount} @@`
    )

/** Where the line begins that has as many below it as are shown, up to the one that a position is in. */
const lineBefore = (text: string, position: number): number => {
  let at = position
  for (let lines = 0; lines <= CONTEXT; lines++) {
    const newline = at === 0 ? -1 : text.lastIndexOf("\n", at - 1)
    if (newline === -1) return 0
    at = newline
  }
  return at + 1
}

/** Where as many lines as are shown have ended behind the one that a position is in. */
const lineAfter = (text: string, position: number): number => {
  let at = position
  for (let lines = 0; lines <= CONTEXT; lines++) {
    const newline = text.indexOf("\n", at)
    if (newline === -1) return text.length
    at = newline + 1
  }
  return at
}

/** How many characters both texts begin with, and then end with, in common. */
const common = (before: string, after: string) => {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let end = 0
  while (
    end < shorter - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) end++
  return { start, end }
}

const countLines = (text: string): number => {
  let count = 1
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

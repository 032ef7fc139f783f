/**
 * The tool `grep`: lines that match a regular expression, in time that grows with their length alone (CONTRACT 7).
 *
 * **Details**
 *
 * - `file:line:text`, by file and line; with `context` the lines around as `file-line-text`, and `--` where lines are left
 *   out. The file is relative to `path`; it is the name where `path` is a file. Lines over 1000 bytes are cut.
 * - `.gitignore`, `.ignore` and `.rgignore` of the tree and of its parents are followed, with or without a repository.
 *   Hidden files aren't searched, nor links followed, `.git` and binary files never. A `path` that is itself ignored or
 *   hidden is searched.
 * - `include` is a glob; without a slash it means names at any depth. Both dialects are those of `glob`.
 * - A cut is said, with how many matches there are in all. What couldn't be read is said, and costs only itself.
 *
 * @since 0.1.0
 */
import { type Tool, type ToolError, ToolResult } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BuiltinLimits } from "./BuiltinOptions.ts"
import { defineBuiltin } from "./internal/defineBuiltin.ts"
import { type FileLines, GrepReader } from "./internal/grepReader.ts"
import * as PathPattern from "./internal/pathPattern.ts"
import { badArgument } from "./internal/refused.ts"
import type { Ended } from "./internal/ripgrep.ts"
import * as Searcher from "./internal/searcher.ts"
import { complaintNotes, timeNote } from "./internal/searchNotes.ts"
import { decoded, shownPath } from "./internal/shownPath.ts"
import type { Workspace } from "./Workspace.ts"

/** Matches. */
const DEFAULT_LIMIT = 100

const MAX_CONTEXT = 50

const positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/**
 * What `grep` takes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Input = Schema.Struct({
  pattern: Schema.String.annotate({
    description: "Regular expression for a line, in Rust's syntax: no look-around, no back-references"
  }),
  path: Schema.optionalKey(Schema.String.annotate({ description: "Folder or file; default: the workspace" })),
  include: Schema.optionalKey(
    Schema.String.annotate({ description: "Only files that this glob means, like *.ts or src/**/*.{ts,tsx}" })
  ),
  limit: Schema.optionalKey(positive.annotate({ description: `Most matches; default ${DEFAULT_LIMIT}` })),
  ignoreCase: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether case doesn't matter; default false" })
  ),
  context: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_CONTEXT })).annotate({
      description: `Lines around each match, at most ${MAX_CONTEXT}; default 0`
    })
  )
})

/**
 * @category schemas
 * @since 0.1.0
 */
export interface Input extends Schema.Schema.Type<typeof Input> {}

/**
 * @category models
 * @since 0.1.0
 */
export interface GrepOptions extends Pick<BuiltinLimits, "output"> {}

/**
 * Makes the tool.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (options?: GrepOptions) => Effect.Effect<Tool.Tool, never, Workspace> = Effect.fnUntraced(
  function*(options?: GrepOptions) {
    const searcher = yield* Searcher.make(options)
    return defineBuiltin({
      name: "grep",
      description:
        "Find lines by a regular expression, in files or in one file. What .gitignore names and hidden files "
        + "are left out.",
      input: Input,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      handler: (input, { toolName }) => grep(searcher, input, toolName)
    })
  }
)

/** A line is shown so far, in bytes. */
const MAX_LINE = 1000

/** So many lines of one file ripgrep holds at most before it prints them. */
const MAX_LINES = 50_000

/** A regular expression that is longer is none that somebody wrote. */
const MAX_PATTERN = 10_000

const grep = Effect.fnUntraced(function*(
  searcher: Searcher.Searcher,
  { context = 0, ignoreCase = false, include, limit = DEFAULT_LIMIT, path = ".", pattern }: Input,
  toolName: string
) {
  const included = include === undefined
    ? PathPattern.everything
    : yield* Searcher.patternOf(include, "include", toolName)
  yield* checkPattern(pattern, toolName)
  const place = yield* searcher.locate(path, toolName)
  const isFolder = place.file === undefined
  // a file that is named is meant
  const wanted = isFolder ? included : PathPattern.named
  const maxMatches = Math.ceil(MAX_LINES / (1 + 2 * context))
  const reader = new GrepReader({ count: limit, bytes: searcher.maxOutput }, wanted.matches, maxMatches)
  const args = [
    ...OUTPUT,
    ...BOUNDS,
    `--max-count=${maxMatches}`,
    `--context=${context}`,
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...Searcher.onlyNamed(wanted),
    `--regexp=${pattern}`
  ]
  const ended = yield* searcher.search(place, args, (chunk) => reader.take(chunk), toolName)
  const kept = reader.end()
  if (ended.code === 2 && reader.matches === 0) yield* checkComplaint(ended.complaints, pattern, toolName)
  return answer(kept, reader, ended, { limit, maxOutput: searcher.maxOutput, context, isFolder })
})

/** What {@link GrepReader} reads. */
const OUTPUT = [
  "--line-number",
  "--no-heading",
  "--with-filename",
  "--no-context-separator",
  "--crlf",
  `--max-columns=${MAX_LINE}`,
  "--max-columns-preview"
]

/** Of a pattern; a tenth of what ripgrep takes by default, which takes seconds to fill. */
const BOUNDS = ["--regex-size-limit=10M", "--dfa-size-limit=100M"]

const checkPattern = (pattern: string, toolName: string): Effect.Effect<void, ToolError.InvalidArguments> => {
  if (pattern.includes("\0")) return Effect.fail(badArgument(toolName, "pattern", "can't contain NUL"))
  if (pattern.length <= MAX_PATTERN) return Effect.void
  return Effect.fail(badArgument(toolName, "pattern", `is longer than ${MAX_PATTERN} characters`))
}

/** Without a match what ripgrep complains of may be the pattern itself; about a file it begins with that file's name. */
const checkComplaint = (
  complaints: string,
  pattern: string,
  toolName: string
): Effect.Effect<void, ToolError.InvalidArguments> => {
  const text = complaints.replace(/^rg: /, "").trim()
  if (text === "" || text.startsWith("./")) return Effect.void
  if (text.includes("is not allowed in a regex")) {
    return Effect.fail(
      badArgument(toolName, "pattern", "is held against single lines, and so can't contain a line break")
    )
  }
  return Effect.fail(badArgument(toolName, "pattern", asWritten(text, pattern)))
}

/** It shows the pattern in a group of its own, and where in it the fault is; what it advises are options of its own. */
const asWritten = (text: string, pattern: string): string => {
  const [head = "", shown = "", caret = "", ...rest] = text.replace(/\n\nConsider .*/s, "").split("\n")
  if (shown.trim() !== `(?:${pattern})`) return [head, shown, caret, ...rest].join("\n").trimEnd()
  const column = Math.max(0, caret.indexOf("^") - shown.indexOf("(") - GROUP)
  return [head, `    ${pattern}`, `    ${" ".repeat(column)}${caret.trim()}`, ...rest].join("\n")
}

/** The length of `(?:`. */
const GROUP = 3

interface Shape {
  readonly limit: number
  readonly maxOutput: number
  /** Lines around a match. */
  readonly context: number
  readonly isFolder: boolean
}

const answer = (
  kept: ReadonlyArray<FileLines>,
  { files, isBinary, isEstimate, matches }: GrepReader,
  ended: Ended,
  shape: Shape
): ToolResult.ToolResult => {
  const { lines, shown } = render(kept, shape)
  const total = `${isEstimate || !ended.isWhole ? "at least " : ""}${matches}`
  const notes = [
    ...(isBinary && !shape.isFolder ? ["[binary file, not searched]"] : matches === 0 ? ["(no matches)"] : []),
    ...(shown < matches || isEstimate
      ? [`[cut: the first ${shown} of ${total} matches in ${files} files are shown]`]
      : []),
    ...timeNote(ended),
    ...complaintNotes(ended)
  ]
  return ToolResult.success([...lines, ...notes].join("\n"), { metadata: { matches, files, shown } })
}

/** As many lines as fit; with context, groups of them apart. */
const render = (kept: ReadonlyArray<FileLines>, { context, limit, maxOutput }: Shape) => {
  const encoder = new TextEncoder()
  const lines: Array<string> = []
  let [shown, size] = [0, 0]
  for (const file of kept) {
    const name = shownPath(decoded(file.path))
    let [before, lastMatch] = [-1, Number.NEGATIVE_INFINITY]
    for (const { isMatch, number, text } of file.lines) {
      const mark = isMatch ? ":" : "-"
      const line = `${name}${mark}${number}${mark}${text}`
      size += encoder.encode(line).length + 1
      const isBehind = isMatch || number > lastMatch + context
      if ((shown >= limit && isBehind) || (size > maxOutput && lines.length > 0)) return { lines, shown }
      if (context > 0 && lines.length > 0 && number !== before + 1) lines.push("--")
      lines.push(line)
      before = number
      if (!isMatch) continue
      shown++
      lastMatch = number
    }
  }
  return { lines, shown }
}

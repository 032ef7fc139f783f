/**
 * The tool `glob`: files by a pattern for their paths (CONTRACT 7).
 *
 * **Details**
 *
 * - Paths relative to `path`, one a line, sorted by code points; files only. A cut is said, with how many there are in all.
 * - A pattern without a slash matches names at any depth, one with a slash the path from `path` on. `*` and `?` stay within
 *   a name, `**` is any number of folders, and there are `{a,b}` and `[a-z]`.
 * - What is left out is what `grep` leaves out: ignored and hidden files, links, `.git`.
 * - Line breaks and other control characters in a name are shown escaped.
 *
 * @since 0.1.0
 */
import { type Tool, ToolError, ToolResult } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BuiltinLimits } from "./BuiltinOptions.ts"
import { defineBuiltin } from "./internal/defineBuiltin.ts"
import { fitting } from "./internal/limits.ts"
import { PathReader } from "./internal/pathReader.ts"
import type { Ended } from "./internal/ripgrep.ts"
import * as Searcher from "./internal/searcher.ts"
import { complaintNotes, timeNote } from "./internal/searchNotes.ts"
import { shownPath } from "./internal/shownPath.ts"
import type { Workspace } from "./Workspace.ts"

/** Paths. */
const DEFAULT_LIMIT = 100

/**
 * What `glob` takes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Input = Schema.Struct({
  pattern: Schema.String.annotate({ description: "Like *.ts (at any depth), src/**/*.{ts,tsx} or test/fixtures/**" }),
  path: Schema.optionalKey(Schema.String.annotate({ description: "Folder to look in; default: the workspace" })),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: `Most paths; default ${DEFAULT_LIMIT}`
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
export interface GlobOptions extends Pick<BuiltinLimits, "output"> {}

/**
 * Makes the tool.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (options?: GlobOptions) => Effect.Effect<Tool.Tool, never, Workspace> = Effect.fnUntraced(
  function*(options?: GlobOptions) {
    const searcher = yield* Searcher.make(options)
    return defineBuiltin({
      name: "glob",
      description: "Find files by a pattern for their paths. What .gitignore names and hidden files are left out.",
      input: Input,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      handler: (input, { toolName }) => glob(searcher, input, toolName)
    })
  }
)

const glob = Effect.fnUntraced(function*(
  searcher: Searcher.Searcher,
  { limit = DEFAULT_LIMIT, path = ".", pattern }: Input,
  toolName: string
) {
  const wanted = yield* Searcher.patternOf(pattern, "pattern", toolName)
  const place = yield* searcher.locate(path, toolName)
  if (place.file !== undefined) {
    return yield* new ToolError.ToolFailed({ toolName, message: `${path} is a file; glob looks in folders` })
  }
  const reader = new PathReader({ count: limit, bytes: searcher.maxOutput }, wanted.matches)
  const args = ["--files", ...Searcher.onlyNamed(wanted)]
  const ended = yield* searcher.search(place, args, (chunk) => reader.take(chunk), toolName)
  return answer(reader, ended, limit, searcher.maxOutput)
})

const answer = (
  { names, total }: PathReader,
  ended: Ended,
  limit: number,
  maxOutput: number
): ToolResult.ToolResult => {
  const shown = fitting(names.slice(0, limit).map(shownPath), maxOutput)
  const notes = [
    ...(total === 0 ? ["(no files)"] : []),
    ...(shown.length < total
      ? [`[cut: the first ${shown.length} of ${ended.isWhole ? "" : "at least "}${total} files are shown]`]
      : []),
    ...timeNote(ended),
    ...complaintNotes(ended)
  ]
  return ToolResult.success([...shown, ...notes].join("\n"), { metadata: { files: total, shown: shown.length } })
}

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
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { defineBuiltin } from "./internal/defineBuiltin.ts"
import * as PathPattern from "./internal/pathPattern.ts"
import { PathReader } from "./internal/pathReader.ts"
import * as Ripgrep from "./internal/ripgrep.ts"
import { complaintNotes, timeNote } from "./internal/searchNotes.ts"
import * as SearchPlace from "./internal/searchPlace.ts"
import { shownPath } from "./internal/shownPath.ts"
import { Workspace } from "./Workspace.ts"

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
export interface GlobOptions {
  /** Bytes of text in one answer. Default: 65536. */
  readonly output?: number
}

/** Well below what a toolkit lets pass. */
const DEFAULT_OUTPUT = 65_536

/**
 * Makes the tool.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (options?: GlobOptions) => Effect.Effect<Tool.Tool, never, Workspace> = Effect.fnUntraced(
  function*(options?: GlobOptions) {
    const workspace = yield* Workspace
    const searcher: Searcher = {
      workspace,
      run: yield* Ripgrep.make(workspace.spawner),
      maxOutput: options?.output ?? DEFAULT_OUTPUT
    }
    return defineBuiltin({
      name: "glob",
      description: "Find files by a pattern for their paths. What .gitignore names and hidden files are left out.",
      input: Input,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      handler: (input, { toolName }) => search(searcher, input, toolName)
    })
  }
)

interface Searcher {
  readonly workspace: Workspace["Service"]
  readonly run: Ripgrep.Run
  readonly maxOutput: number
}

const search = Effect.fnUntraced(function*(
  { maxOutput, run, workspace }: Searcher,
  { limit = DEFAULT_LIMIT, path = ".", pattern }: Input,
  toolName: string
) {
  const wanted = yield* Effect.fromResult(
    Result.mapError(
      PathPattern.parse(pattern),
      ({ detail }) =>
        new ToolError.InvalidArguments({ toolName, issues: [{ path: "pattern", message: `a glob ${detail}` }] })
    )
  )
  const place = yield* SearchPlace.locate(workspace, path, toolName)
  if (!place.isFolder) {
    return yield* new ToolError.ToolFailed({ toolName, message: `${path} is a file; glob looks in folders` })
  }
  const reader = new PathReader({ count: limit, bytes: maxOutput }, wanted.matches)
  const ended = yield* run({
    cwd: place.target,
    args: [
      "--files",
      ...(wanted.name === undefined ? [] : [`--type-add=wanted:${wanted.name}`, "--type=wanted"]),
      "--",
      "./"
    ],
    take: (chunk) => reader.take(chunk)
  }, toolName)
  yield* SearchPlace.confirm(workspace, place, toolName)
  return answer(reader, ended, limit, maxOutput)
})

const answer = (
  { names, total }: PathReader,
  ended: Ripgrep.Ended,
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

/** As many as fit, at least one. */
const fitting = (lines: ReadonlyArray<string>, maxBytes: number): ReadonlyArray<string> => {
  const encoder = new TextEncoder()
  let size = 0
  const tooMuch = lines.findIndex((line, index) => {
    size += encoder.encode(line).length + 1
    return index > 0 && size > maxBytes
  })
  return tooMuch === -1 ? lines : lines.slice(0, tooMuch)
}

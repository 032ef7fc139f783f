/**
 * The tool `read`: a window of a text file, an image, the names in a directory (CONTRACT 7).
 *
 * **Details**
 *
 * - Text comes as it is, line ends included, without line numbers. At most `limit` lines and `output` bytes; what is
 *   left is said as `(N more lines; offset=M)`, and `at least` when counting them would take too long. Lines over 4096
 *   bytes are cut with a note.
 * - UTF-8, and UTF-16 with a byte order mark; the mark is not shown. Bytes that are no UTF-8 become U+FFFD, with a note.
 * - PNG, JPEG, GIF and WebP, told by their first bytes, come as an image part, up to `file` bytes.
 * - A file with NUL in or in front of the window, or mostly no UTF-8, is named as binary.
 * - Devices, pipes and sockets are refused: reading them can take for ever, or changes something. What else takes longer
 *   than a minute is given up.
 *
 * @since 0.1.0
 */
import { type Tool, ToolName, ToolResult } from "@effect-toolnexus/core"
import * as FileFormat from "@effect-toolnexus/core/FileFormat"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import type * as FileSystem from "effect/FileSystem"
import * as Order from "effect/Order"
import type * as PlatformError from "effect/PlatformError"
import * as Schema from "effect/Schema"
import type { BuiltinLimits } from "./BuiltinOptions.ts"
import { defineBuiltin } from "./internal/defineBuiltin.ts"
import { kindOf, readAtMost } from "./internal/fileSnapshot.ts"
import { DEFAULT_FILE, DEFAULT_OUTPUT, fitting } from "./internal/limits.ts"
import { nearestNames } from "./internal/nearestNames.ts"
import { asToolFailed, Refused, refusedBy } from "./internal/refused.ts"
import { shownPath } from "./internal/shownPath.ts"
import * as TextFile from "./internal/textFile.ts"
import * as StaleGuard from "./StaleGuard.ts"
import { Workspace } from "./Workspace.ts"

/** Lines. */
const DEFAULT_LIMIT = 2000

/**
 * What `read` takes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Input = Schema.Struct({
  path: Schema.String.annotate({ description: "File or directory; relative paths start at the workspace" }),
  offset: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({ description: "First line, from 1; default 1" })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: `Most lines; default ${DEFAULT_LIMIT}`
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
export interface ReadOptions extends Pick<BuiltinLimits, "output" | "file"> {}

/**
 * Makes the tool.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  options?: ReadOptions
) => Effect.Effect<Tool.Tool, never, Workspace> = Effect.fnUntraced(
  function*(options?: ReadOptions) {
    const workspace = yield* Workspace
    const reader: Reader = {
      guard: yield* StaleGuard.StaleGuard,
      workspace,
      output: options?.output ?? DEFAULT_OUTPUT,
      file: options?.file ?? DEFAULT_FILE
    }
    return defineBuiltin({
      name: "read",
      description: "Read a text file, or a part of it by offset and limit; an image; or the names in a directory.",
      input: Input,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      handler: (input, { toolName }) =>
        Effect.flatMap(
          workspace.resolve(input.path),
          (target) =>
            open(reader, { ...input, target }).pipe(
              Effect.catchTag("PlatformError", (error) => Effect.fail(refusedBy(input.path, "can't be read")(error))),
              Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => Effect.fail(endless(input.path)) })
            )
        ).pipe(asToolFailed(toolName))
    })
  }
)

interface Reader extends Required<ReadOptions> {
  readonly guard: StaleGuard.Guard
  readonly workspace: Workspace["Service"]
}

/** The input, and the path to use. */
interface Wanted extends Input {
  readonly target: string
}

type Answer = Effect.Effect<ToolResult.ToolResult, Refused | PlatformError.PlatformError>

const open = Effect.fnUntraced(function*(reader: Reader, wanted: Wanted) {
  const { workspace } = reader
  const { fs } = workspace
  const info = yield* Effect.catchIf(
    fs.stat(wanted.target),
    ({ reason }) => reason._tag === "NotFound",
    () => Effect.flatMap(nearestNames(workspace, wanted.target), (names) => Effect.fail(missing(wanted.path, names)))
  )
  switch (info.type) {
    case "File": {
      const answer = yield* readFile(reader, wanted, Number(info.size))
      // as it was before it was read: what came in between is a change too
      yield* reader.guard.noteRead(wanted.target, info, readAtMost(fs, wanted.target, reader.file))
      return answer
    }
    case "Directory":
      return yield* readDirectory(reader, wanted)
    default:
      return yield* new Refused({ detail: `${wanted.path} is no file but a ${kindOf(info.type)}` })
  }
})

/** Some files of `/proc` look like others and wait for what the kernel will say next; a file server may be gone. */
const TIMEOUT = "60 seconds"

const endless = (path: string): Refused => new Refused({ detail: `${path} could not be read within ${TIMEOUT}` })

const missing = (path: string, names: ReadonlyArray<string>): Refused =>
  new Refused({
    detail: `${path} doesn't exist${names.length === 0 ? "" : `; did you mean ${names.map(shownPath).join(" or ")}?`}`
  })

const readFile = (reader: Reader, wanted: Wanted, size: number): Answer =>
  Effect.scoped(Effect.gen(function*() {
    const file = yield* reader.workspace.fs.open(wanted.target, { flag: "r" })
    const start = new Uint8Array(FileFormat.SIGNATURE_LENGTH)
    const mimeType = FileFormat.imageType(start.subarray(0, yield* file.read(start, { position: 0n })))
    return yield* mimeType === undefined
      ? readText(reader, file, wanted, size)
      : readImage(reader, file, wanted, size, mimeType)
  }))

const readImage = Effect.fnUntraced(function*(
  reader: Reader,
  file: FileSystem.File,
  wanted: Wanted,
  size: number,
  mimeType: string
) {
  if (size > reader.file) {
    return yield* new Refused({
      detail: `${wanted.path} is an image of ${size} bytes; at most ${reader.file} are read`
    })
  }
  const bytes = new Uint8Array(size)
  const length = yield* file.read(bytes, { position: 0n })
  const data = Base64.encode(bytes.subarray(0, length))
  return ToolResult.success(`[image ${mimeType}, ${length} bytes]`, {
    content: [{ type: "image", data, mimeType }],
    metadata: { path: wanted.target, mimeType, bytes: length }
  })
})

const readText = Effect.fnUntraced(function*(reader: Reader, file: FileSystem.File, wanted: Wanted, size: number) {
  const { limit = DEFAULT_LIMIT, offset = 1, path, target } = wanted
  const window = yield* TextFile.readWindow(file, {
    offset,
    limit,
    maxBytes: reader.output,
    maxBehind: reader.file
  })
  if (window._tag === "PastEnd") {
    return yield* new Refused({ detail: `offset ${offset} is past the end: ${path} has ${window.lines} lines` })
  }
  if (window._tag === "Binary") {
    return ToolResult.success(`[binary file, ${size} bytes]`, { metadata: { path: target, bytes: size } })
  }
  const notes = [
    ...window.notes.map((note) => `[${note}]`),
    ...moreNote(window.remaining, "lines", offset + window.shown, window.isEstimate)
  ]
  return ToolResult.success(withNotes(window.text, notes), {
    metadata: { path: target, offset, lines: window.shown, remaining: window.remaining }
  })
})

/** Names sorted by code points, control characters escaped, those of directories with a slash; counted as lines. */
const readDirectory = Effect.fnUntraced(function*(reader: Reader, wanted: Wanted) {
  const { limit = DEFAULT_LIMIT, offset = 1, path, target } = wanted
  const entries = (yield* reader.workspace.fs.readDirectoryEntries(target)).toSorted(byName)
  if (entries.length === 0) return ToolResult.success("(empty directory)", { metadata: { path: target, entries: 0 } })
  if (offset > entries.length) {
    return yield* new Refused({ detail: `offset ${offset} is past the end: ${path} has ${entries.length} entries` })
  }
  const shown = fitting(
    entries.slice(offset - 1, offset - 1 + limit).map(({ name, type }) =>
      `${shownPath(name)}${type === "Directory" ? "/" : ""}`
    ),
    reader.output
  )
  const remaining = entries.length - (offset - 1) - shown.length
  return ToolResult.success(
    withNotes(shown.join("\n"), moreNote(remaining, "entries", offset + shown.length, false)),
    { metadata: { path: target, entries: entries.length } }
  )
})

const byName: Order.Order<FileSystem.DirectoryEntry> = Order.mapInput(ToolName.byCodePoints, ({ name }) => name)

const moreNote = (count: number, what: string, offset: number, isEstimate: boolean): ReadonlyArray<string> => {
  if (count > 0) return [`(${isEstimate ? "at least " : ""}${count} more ${what}; offset=${offset})`]
  return isEstimate ? [`(perhaps more ${what}; offset=${offset})`] : []
}

/** Notes stand on lines of their own, behind the text. */
const withNotes = (text: string, notes: ReadonlyArray<string>): string => {
  if (notes.length === 0) return text
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${notes.join("\n")}`
}

/**
 * The configuration file (CONTRACT 3): JSON with comments, in any of the wrappers that hosts use for their servers,
 * read into what each source takes. Reading starts nothing and expands nothing; what is wrong is an error or a
 * diagnostic, and never costs the rest.
 *
 * @since 0.1.0
 */
import { type Diagnostic, SourceEntry } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import { type ConfigDocument, isMap, readDocument } from "./internal/configDocument.ts"
import { isJsonText, parseJsonText } from "./internal/jsonText.ts"

/**
 * A configuration in code: JSON text (its first character after white space and comments is `{`), a path, an object, or
 * a list of these. Later ones win by entry name.
 *
 * @category models
 * @since 0.1.0
 */
export type ConfigInput = ConfigPart | ReadonlyArray<ConfigPart>

/**
 * @category models
 * @since 0.1.0
 */
export type ConfigPart = string | ConfigObject

/**
 * An object as it would stand in a file. Servers given in code may also be functions of this process; see `McpConfig`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConfigObject {
  readonly [key: string]: unknown
}

/**
 * One entry of a configuration as it was found: `folder` is what its relative paths and `${workspaceFolder}` mean,
 * `path` where it stood, for diagnostics.
 *
 * @category models
 * @since 0.1.0
 */
export interface RawEntry {
  readonly config: unknown
  readonly folder: string
  readonly path: string
}

/**
 * All configurations joined.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolkitConfig {
  readonly servers: ReadonlyMap<string, RawEntry>
  readonly agents: ReadonlyMap<string, RawEntry>
  /** Absolute folders. */
  readonly skills: ReadonlyArray<string>
  readonly builtins: RawEntry | undefined
  readonly disableTools: ReadonlyArray<string>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
  /** Why a configuration could not be read: it becomes the entry `<config>`. */
  readonly error: SourceEntry.EntryError | undefined
}

/**
 * Reads and joins configurations. Never fails: a file that can't be read or parsed is in `error`, with file, line and
 * column, and the others count.
 *
 * **Example**
 *
 * ```ts
 * const config = yield* ToolkitConfig.load(["base.json", { mcpServers: { extra: { command: "node" } } }])
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const load = Effect.fnUntraced(function*(input: ConfigInput | undefined) {
  const path = yield* Path.Path
  const [documents, problems] = yield* Effect.partition(partsOf(input), read, { concurrency: "unbounded" })
  return join(documents, problems, path)
})

const partsOf = (input: ConfigInput | undefined): ReadonlyArray<ConfigPart> =>
  input === undefined ? [] : isList(input) ? input : [input]

const isList = (input: ConfigInput): input is ReadonlyArray<ConfigPart> => Array.isArray(input)

/** Where a configuration without a file stands, in messages. */
const IN_CODE = "configuration in code"

/** A configuration of a few thousand servers is below a megabyte; a larger file is something else. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

const read = Effect.fnUntraced(function*(part: ConfigPart) {
  const path = yield* Path.Path
  if (typeof part !== "string") return readDocument(part, path.resolve("."))
  if (isJsonText(part)) return yield* parse(part, IN_CODE, path.resolve("."))
  const file = path.resolve(part)
  return yield* parse(yield* readText(file), file, path.dirname(file))
})

const readText = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const { size, type } = yield* Effect.mapError(fs.stat(file), (error) => unreadable(file, error))
  if (type !== "File") return yield* problem(`${file} is not a file but a ${type.toLowerCase()}`)
  if (size > MAX_FILE_BYTES) return yield* problem(`${file} is larger than ${MAX_FILE_BYTES} bytes`)
  return yield* Effect.mapError(fs.readFileString(file), (error) => unreadable(file, error))
})

const parse = (text: string, source: string, folder: string) =>
  Result.match(parseJsonText(text), {
    onFailure: ({ column, line, problem: what }) => Effect.fail(problem(`${source}:${line}:${column}: ${what}`)),
    onSuccess: (value) =>
      isMap(value) ? Effect.succeed(readDocument(value, folder)) : Effect.fail(problem(`${source} must hold an object`))
  })

const unreadable = (file: string, error: PlatformError.PlatformError) =>
  problem(`${file} can't be read: ${error.reason._tag === "NotFound" ? "there is no such file" : error.reason._tag}`)

const problem = (detail: string) =>
  new SourceEntry.EntryError({ kind: "config", entry: "<config>", phase: "config", detail })

/** Later configurations win by entry name; lists are joined in order. */
const join = (
  documents: ReadonlyArray<ConfigDocument>,
  problems: ReadonlyArray<SourceEntry.EntryError>,
  path: Path.Path
): ToolkitConfig => ({
  servers: new Map(documents.flatMap(({ servers }) => [...servers])),
  agents: new Map(documents.flatMap(({ agents }) => [...agents])),
  skills: documents.flatMap(({ folder, skills }) => skills.map((root) => path.resolve(folder, root))),
  builtins: documents.findLast(({ builtins }) => builtins !== undefined)?.builtins,
  disableTools: documents.flatMap(({ disableTools }) => disableTools),
  diagnostics: documents.flatMap(({ diagnostics }) => diagnostics),
  error: problems.length === 0 ? undefined : problem(problems.map(({ detail }) => detail).join("; "))
})

/**
 * The configuration file (CONTRACT 3): JSON with comments, in any of the wrappers that hosts use for their servers,
 * read into what each source takes. Reading starts nothing and expands nothing; what is wrong is an error or a
 * diagnostic, and never costs the rest.
 *
 * @since 0.1.0
 */
import { type Diagnostic, type Json, SourceEntry, TextFile } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type ConfigDocument, type DocumentPlace, isMap, readDocument } from "./internal/configDocument.ts"
import { isJsonText, parseJsonText } from "./internal/jsonText.ts"
import { maskEntry } from "./internal/maskedConfig.ts"
import { resolveServers } from "./internal/resolvedServers.ts"

/**
 * A configuration in code: JSON text (its first character after white space and comments is `{`), a path, an object, what
 * {@link load} gave, or a list of these. Later ones win by entry name.
 *
 * @category models
 * @since 0.1.0
 */
export type ConfigInput = ConfigPart | ReadonlyArray<ConfigPart>

/**
 * @category models
 * @since 0.1.0
 */
export type ConfigPart = string | ConfigObject | ToolkitConfig

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
 * `path` where it stood, for diagnostics: where several files are read, it begins with the file.
 *
 * @category models
 * @since 0.1.0
 */
export interface RawEntry {
  readonly config: unknown
  readonly folder: string
  readonly path: string
}

const TypeId = Symbol.for("@effect-toolnexus/toolkit/ToolkitConfig")

/**
 * All configurations joined: read, and neither expanded nor started. It may be looked at, and then be given to a toolkit
 * as it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolkitConfig {
  readonly [TypeId]: typeof TypeId
  readonly servers: ReadonlyMap<string, RawEntry>
  readonly agents: ReadonlyMap<string, RawEntry>
  readonly openapi: ReadonlyMap<string, RawEntry>
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
  const parts = partsOf(input)
  const areSeveral = parts.filter(isFile).length > 1
  const read = yield* Effect.forEach(parts, (part) => readPart(part, areSeveral), { concurrency: "unbounded" })
  return join(read, path)
})

/**
 * A loaded configuration as JSON that may be shown and printed: every entry as it was written, with the values of `env` and
 * `headers` and the credentials of URLs masked. Variables stay variables: nothing is expanded.
 *
 * **Example**
 *
 * ```ts
 * yield* Console.log(JSON.stringify(ToolkitConfig.describe(yield* ToolkitConfig.load("mcp.json")), undefined, 2))
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const describe = (config: ToolkitConfig): Json.JsonObject => ({
  servers: describeEntries(config.servers),
  agents: describeEntries(config.agents),
  openapi: describeEntries(config.openapi),
  skills: [...config.skills],
  ...(config.builtins === undefined ? {} : { builtins: maskEntry(config.builtins.config) }),
  disableTools: [...config.disableTools],
  diagnostics: config.diagnostics.map((diagnostic) => ({ ...diagnostic })),
  ...(config.error === undefined ? {} : { error: config.error.message })
})

/**
 * Like {@link describe}, with each server as it would be started: `status` is `enabled`, `disabled` or `failed`, where
 * the `error` names what can't be filled in; `config` has its command, arguments and working directory, or its URL and
 * headers, with folders and defaults filled in but not the values of variables and files; `variables` are the names of all that its process would
 * get.
 *
 * **Details**
 *
 * Starts nothing, and reads no more than the files that servers name (`envFile`, `{file:}`). Never fails. A host shows it
 * to whoever decides whether a configuration from elsewhere is run at all. A server in this process, agents and
 * OpenAPI documents are shown as they were written.
 *
 * **Example**
 *
 * ```ts
 * const { servers } = yield* ToolkitConfig.resolve(yield* ToolkitConfig.load("mcp.json"))
 * // => { files: { status: "enabled", config: { command: "npx", args: ["-y", "files", "/project"] }, variables: ["HOME", "PATH"] } }
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const resolve = (
  config: ToolkitConfig
): Effect.Effect<Json.JsonObject, never, FileSystem.FileSystem | Path.Path> =>
  Effect.map(resolveServers(config.servers), (servers) => ({ ...describe(config), servers }))

const describeEntries = (entries: ReadonlyMap<string, RawEntry>): Json.JsonObject =>
  Object.fromEntries(Array.from(entries, ([name, { config }]) => [name, maskEntry(config)]))

const partsOf = (input: ConfigInput | undefined): ReadonlyArray<ConfigPart> =>
  input === undefined ? [] : isList(input) ? input : [input]

const isList = (input: ConfigInput): input is ReadonlyArray<ConfigPart> => Array.isArray(input)

/** What came of one part: a document, or why there is none; or what has been loaded before, as it is. */
type Part = Result.Result<ConfigDocument, SourceEntry.EntryError> | ToolkitConfig

/** With several files a diagnostic has to say of which it is. */
const readPart = (
  part: ConfigPart,
  areSeveral: boolean
): Effect.Effect<Part, never, FileSystem.FileSystem | Path.Path> =>
  isLoaded(part) ? Effect.succeed(part) : Effect.result(read(part, areSeveral))

const isFile = (part: ConfigPart): part is string => typeof part === "string" && !isJsonText(part)

const isLoaded = (part: ConfigPart | Part): part is ToolkitConfig => Predicate.hasProperty(part, TypeId)

/** Where a configuration without a file stands, in messages. */
const IN_CODE = "configuration in code"

/** A configuration of a few thousand servers is below a megabyte; a larger file is something else. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

const read = Effect.fnUntraced(function*(part: Exclude<ConfigPart, ToolkitConfig>, areSeveral: boolean) {
  const path = yield* Path.Path
  if (typeof part !== "string") return yield* readObject(part, path.resolve("."))
  if (!isFile(part)) return yield* parse(part, IN_CODE, { folder: path.resolve(".") })
  const file = path.resolve(part)
  const text = yield* Effect.mapError(
    TextFile.read(file, MAX_FILE_BYTES),
    ({ message }) => problem(`${file} ${message}`)
  )
  return yield* parse(text, file, { folder: path.dirname(file), ...(areSeveral ? { file } : {}) })
})

/** From code anything may come: also what is no object, or throws when it is looked at. */
const readObject = (part: unknown, folder: string) =>
  isMap(part)
    ? Effect.try({ try: () => readDocument(part, { folder }), catch: () => problem(`the ${IN_CODE} can't be read`) })
    : Effect.fail(problem(`a ${IN_CODE} must be JSON text, a path or an object`))

const parse = (text: string, source: string, place: DocumentPlace) =>
  Result.match(parseJsonText(text), {
    onFailure: ({ column, line, problem: what }) => Effect.fail(problem(`${source}:${line}:${column}: ${what}`)),
    onSuccess: (value) =>
      isMap(value) ? Effect.succeed(readDocument(value, place)) : Effect.fail(problem(`${source} must hold an object`))
  })

const problem = (detail: string) =>
  new SourceEntry.EntryError({ kind: "config", entry: "<config>", phase: "config", detail })

/** Later configurations win by entry name; lists are joined in order. */
const join = (parts: ReadonlyArray<Part>, path: Path.Path): ToolkitConfig =>
  parts.map((part) => isLoaded(part) ? part : toConfig(part, path)).reduce(
    (all, next) => ({
      [TypeId]: TypeId,
      servers: new Map([...all.servers, ...next.servers]),
      agents: new Map([...all.agents, ...next.agents]),
      openapi: new Map([...all.openapi, ...next.openapi]),
      skills: [...all.skills, ...next.skills],
      builtins: next.builtins ?? all.builtins,
      disableTools: [...all.disableTools, ...next.disableTools],
      diagnostics: [...all.diagnostics, ...next.diagnostics],
      error: joinErrors(all.error, next.error)
    }),
    empty
  )

const empty: ToolkitConfig = {
  [TypeId]: TypeId,
  servers: new Map(),
  agents: new Map(),
  openapi: new Map(),
  skills: [],
  builtins: undefined,
  disableTools: [],
  diagnostics: [],
  error: undefined
}

const toConfig = (part: Result.Result<ConfigDocument, SourceEntry.EntryError>, path: Path.Path): ToolkitConfig =>
  Result.match(part, {
    onFailure: (error) => ({ ...empty, error }),
    onSuccess: ({ folder, ...document }) => ({
      ...empty,
      ...document,
      skills: document.skills.map((root) => path.resolve(folder, root))
    })
  })

const joinErrors = (first: SourceEntry.EntryError | undefined, second: SourceEntry.EntryError | undefined) =>
  first === undefined || second === undefined ? first ?? second : problem(`${first.detail}; ${second.detail}`)

/** One raw server of a configuration, in any tolerated spelling, made a typed one. */
import * as ConfigKeys from "@effect-toolnexus/core/ConfigKeys"
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as NameFilter from "@effect-toolnexus/core/NameFilter"
import type { EntryFields } from "@effect-toolnexus/core/SourceEntry"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type {
  EnabledServer,
  LocalServer,
  McpServerDefinition,
  Normalized,
  RemoteServer,
  ServerFields,
  Unreadable
} from "../McpConfig.ts"
import { entryError } from "./entryError.ts"
import { readLimits, secondsDiagnostics } from "./readLimits.ts"
import { type FoundKey, keyDiagnostics } from "./serverKeys.ts"

const LOCAL_TYPES = ["local", "stdio"]
const REMOTE_TYPES = ["remote", "http", "streamable-http", "streamableHttp", "sse"]

const Millis = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const Limit = Schema.Finite.check(Schema.isGreaterThan(0))
/** People write ports and flags as JSON has them; a process only knows text. */
const Text = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])
const Variables = Schema.Record(Schema.String, Schema.NullOr(Text))
const Timeouts = Schema.Struct({
  startup: Schema.optionalKey(Limit),
  list: Schema.optionalKey(Limit),
  call: Schema.optionalKey(Limit),
  total: Schema.optionalKey(Limit)
})
const Shutdown = Schema.Struct({ eof: Schema.optionalKey(Millis), term: Schema.optionalKey(Millis) })

const Entry = Schema.Struct({
  type: Schema.optionalKey(Schema.Literals([...LOCAL_TYPES, ...REMOTE_TYPES])),
  command: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  args: Schema.optionalKey(Schema.Array(Text)),
  env: Schema.optionalKey(Variables),
  environment: Schema.optionalKey(Variables),
  cwd: Schema.optionalKey(Schema.String),
  envFile: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String),
  httpUrl: Schema.optionalKey(Schema.String),
  serverUrl: Schema.optionalKey(Schema.String),
  headers: Schema.optionalKey(Variables),
  ca: Schema.optionalKey(Schema.String),
  cert: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(Schema.String),
  proxy: Schema.optionalKey(Schema.String),
  enabled: Schema.optionalKey(Schema.Boolean),
  disabled: Schema.optionalKey(Schema.Boolean),
  tools: Schema.optionalKey(
    Schema.Union([Schema.Array(Schema.String), Schema.Record(Schema.String, Schema.Boolean)])
  ),
  timeout: Schema.optionalKey(Schema.Union([Limit, Timeouts])),
  toolTimeouts: Schema.optionalKey(Schema.Record(Schema.String, Limit)),
  required: Schema.optionalKey(Schema.Boolean),
  trusted: Schema.optionalKey(Schema.Boolean),
  maxConcurrent: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  resourcesAsTools: Schema.optionalKey(Schema.Boolean),
  inheritEnv: Schema.optionalKey(Schema.Boolean),
  shutdown: Schema.optionalKey(Shutdown)
})

type Entry = Schema.Schema.Type<typeof Entry>

const decode = Schema.decodeUnknownResult(Entry)

/** What a key must be. Said in our words: the decoder's own message would show the value, and that may be a secret. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ["type", `must be one of ${[...LOCAL_TYPES, ...REMOTE_TYPES].join(", ")}`],
  ["command", "must be a string, or a list of strings"],
  ["args", "must be a list of strings"],
  ["env", "must be an object of strings"],
  ["environment", "must be an object of strings"],
  ["headers", "must be an object of strings"],
  ["tools", "must be an object of true and false, or a list of names"],
  ["timeout", "must be a number of milliseconds, or an object {startup, list, call, total} of these"],
  ["toolTimeouts", "must be an object of milliseconds by name of tool"],
  ["shutdown", "must be an object {eof, term} of milliseconds"],
  ["enabled", "must be true or false"],
  ["disabled", "must be true or false"],
  ["required", "must be true or false"],
  ["trusted", "must be true or false"],
  ["maxConcurrent", "must be a whole number, at least 1"],
  ["inheritEnv", "must be true or false"],
  ["resourcesAsTools", "must be true or false"]
])

/** A definition from code may throw when it is read, and costs its own entry only. */
export const readServer = (name: string, definition: McpServerDefinition): Result.Result<Normalized, Unreadable> =>
  Result.getOrElse(
    Result.try(() => readDefinition(name, definition)),
    () => Result.fail({ error: entryError(name, "config", "it breaks whoever reads it"), diagnostics: [] })
  )

const readDefinition = (
  name: string,
  { config, folder, path }: McpServerDefinition
): Result.Result<Normalized, Unreadable> => {
  const fail = (detail: string, diagnostics: ReadonlyArray<Diagnostic> = []) =>
    Result.fail({ error: entryError(name, "config", detail), diagnostics })
  if (!Predicate.isObject(config)) return fail(`${path ?? `the config of "${name}"`} must be an object`)
  const { found, values } = flatten(config, path)
  if (values["disabled"] === true || values["enabled"] === false) {
    return Result.succeed({ server: { _tag: "Disabled", name, path }, diagnostics: [] })
  }
  const decoded = decode(values)
  const server = Result.isFailure(decoded)
    ? describe(decoded.failure.issue, path)
    : toServer({ name, path, folder }, decoded.success, values["connect"])
  const diagnostics = [
    ...keyDiagnostics(name, typeof server === "string" ? undefined : server._tag, found),
    ...nestedDiagnostics(name, path, values),
    ...secondsDiagnostics(name, `${path}.timeout`, values["timeout"]),
    ...secondsDiagnostics(name, `${path}.toolTimeouts`, values["toolTimeouts"])
  ]
  // a mistyped key is often why the rest makes no sense
  return typeof server === "string" ? fail(server, diagnostics) : Result.succeed({ server, diagnostics })
}

/** What the owner says of the entry as a whole: it holds also where the rest of the entry can't be read. */
export const readFlags = (definition: McpServerDefinition): Flags => ({
  ...(isTrue(definition, "required") ? { required: true } : {}),
  ...(isTrue(definition, "trusted") ? { trusted: true } : {})
})

export type Flags = Pick<EntryFields, "required" | "trusted">

/** Reads nothing beside that key, since anything else may throw. */
const isTrue = (definition: McpServerDefinition, key: "required" | "trusted"): boolean =>
  Result.getOrElse(
    Result.try(() => {
      const config = Predicate.isObject(definition.config) ? definition.config : {}
      const flat = ownValue(config, key)
      if (flat !== undefined && flat !== null) return flat === true
      const transport = ownValue(config, "transport")
      return Predicate.isObject(transport) && ownValue(transport, key) === true
    }),
    () => false
  )

const ownValue = (record: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined

/**
 * A nested `transport` object is read as if flat (a flat key wins); `null` counts as absent. What no configuration can hold
 * is no key of one: the object of a program may have members of its own.
 */
const flatten = (config: Readonly<Record<string, unknown>>, path: string) => {
  const { transport, ...flat } = config
  const found: Array<FoundKey> = []
  const values: Record<string, unknown> = Object.create(null)
  const read = (object: Readonly<Record<string, unknown>>, prefix: string) => {
    for (const [key, value] of Object.entries(object)) {
      if (value === null || value === undefined) continue
      if (isOfConfiguration(value)) found.push({ key, path: `${prefix}.${key}` })
      values[key] = value
    }
  }
  if (Predicate.isObject(transport)) read(transport, `${path}.transport`)
  else if (transport !== null && transport !== undefined) values["type"] = transport
  read(flat, path)
  return { found, values }
}

const isOfConfiguration = (value: unknown): boolean =>
  Predicate.isObject(value)
    ? [Object.prototype, null].includes(Object.getPrototypeOf(value))
    : !Predicate.isFunction(value)

/** Names the place and what belongs there. */
const describe = (issue: SchemaIssue.Issue, path: string): string => {
  const segments = (format(issue).issues[0]?.path ?? []).map((segment) =>
    typeof segment === "object" ? segment.key : segment
  )
  const place = segments.map((segment) => typeof segment === "number" ? `[${segment}]` : `.${String(segment)}`).join("")
  return `${path}${place} is wrong: ${String(segments[0])} ${EXPECTED.get(String(segments[0])) ?? "must be a string"}`
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

interface Place {
  readonly name: string
  readonly path: string
  readonly folder: string
}

/** The server, or what is wrong with it. */
const toServer = (
  { folder, name, path }: Place,
  entry: Entry,
  connect: unknown
): EnabledServer | string => {
  const fields: ServerFields = {
    name,
    path,
    timeout: readLimits(entry.timeout),
    toolTimeouts: new Map(Object.entries(entry.toolTimeouts ?? {})),
    tools: entry.tools === undefined ? NameFilter.all : NameFilter.fromConfig(entry.tools),
    required: entry.required ?? false,
    trusted: entry.trusted ?? false,
    resourcesAsTools: entry.resourcesAsTools ?? false,
    ...(entry.maxConcurrent === undefined ? {} : { maxConcurrent: entry.maxConcurrent })
  }
  if (isConnect(connect)) return { _tag: "InProcess", ...fields, connect }
  const url = entry.url ?? entry.httpUrl ?? entry.serverUrl
  const isRemote = entry.type === undefined ? entry.command === undefined : REMOTE_TYPES.includes(entry.type)
  const ofType = entry.type === undefined ? "" : `is of type ${entry.type} and `
  if (isRemote) {
    if (url !== undefined && url.trim() !== "") return toRemote(fields, folder, entry, url)
    return `${path} ${ofType}needs ${entry.type === undefined ? "a command or a url" : "a url"}`
  }
  const [command, ...rest] = typeof entry.command === "string" ? [entry.command] : entry.command ?? []
  if (command === undefined || command.trim() === "") return `${path} ${ofType}needs a command`
  return toLocal(fields, folder, entry, command, [...rest, ...(entry.args ?? []).map(String)])
}

const toLocal = (
  fields: ServerFields,
  folder: string,
  entry: Entry,
  command: string,
  args: ReadonlyArray<string>
): LocalServer => ({
  _tag: "Local",
  ...fields,
  command,
  args,
  env: toVariables({ ...entry.environment, ...entry.env }),
  ...(entry.envFile === undefined ? {} : { envFile: entry.envFile }),
  ...(entry.cwd === undefined ? {} : { cwd: entry.cwd }),
  folder,
  inheritEnv: entry.inheritEnv ?? false,
  shutdown: { eof: entry.shutdown?.eof ?? 500, term: entry.shutdown?.term ?? 500 }
})

const toRemote = (fields: ServerFields, folder: string, entry: Entry, url: string): RemoteServer => ({
  _tag: "Remote",
  ...fields,
  transport: entry.type === "sse" ? "sse" : entry.type === undefined || entry.type === "remote" ? "auto" : "http",
  url,
  headers: toVariables(entry.headers ?? {}),
  ...(entry.ca === undefined ? {} : { ca: entry.ca }),
  ...(entry.cert === undefined ? {} : { cert: entry.cert }),
  ...(entry.key === undefined ? {} : { key: entry.key }),
  ...(entry.proxy === undefined ? {} : { proxy: entry.proxy }),
  folder
})

const toVariables = (env: Readonly<Record<string, string | number | boolean | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([key, value]) => value === null ? [] : [[key, String(value)]]))

/** Objects inside an entry have keys of their own to mistype. */
const nestedDiagnostics = (
  name: string,
  path: string,
  values: Readonly<Record<string, unknown>>
): ReadonlyArray<Diagnostic> =>
  Object.entries({ timeout: Timeouts, shutdown: Shutdown }).flatMap(([key, { fields }]) => {
    const value = values[key]
    return Predicate.isObject(value)
      ? ConfigKeys.check(value, { entry: name, path: `${path}.${key}`, known: Object.keys(fields) })
      : []
  })

const isConnect = (value: unknown): value is () => unknown => typeof value === "function"

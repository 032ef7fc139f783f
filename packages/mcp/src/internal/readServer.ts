/** One raw server of a configuration, in any tolerated spelling, made a typed one. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { LocalServer, McpServer, McpServerDefinition, Normalized, ServerFields } from "../McpConfig.ts"
import { entryError } from "./entryError.ts"
import { readLimits, secondsDiagnostics } from "./readLimits.ts"
import { type FoundKey, keyDiagnostics, unknownKey } from "./serverKeys.ts"
import * as ToolFilter from "./toolFilter.ts"

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
  enabled: Schema.optionalKey(Schema.Boolean),
  disabled: Schema.optionalKey(Schema.Boolean),
  tools: Schema.optionalKey(
    Schema.Union([Schema.Array(Schema.String), Schema.Record(Schema.String, Schema.Boolean)])
  ),
  timeout: Schema.optionalKey(Schema.Union([Limit, Timeouts])),
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
  ["tools", "must be an object of true and false, or a list of names"],
  ["timeout", "must be a number of milliseconds, or an object {startup, list, call, total} of these"],
  ["shutdown", "must be an object {eof, term} of milliseconds"],
  ["enabled", "must be true or false"],
  ["disabled", "must be true or false"],
  ["inheritEnv", "must be true or false"]
])

export const readServer = (
  name: string,
  { config, folder, path }: McpServerDefinition
): Result.Result<Normalized, EntryError> => {
  const fail = (detail: string) => Result.fail(entryError(name, "config", detail))
  if (!isRecord(config)) return fail(`${path} must be an object`)
  const { found, values } = flatten(config, path)
  if (values["disabled"] === true || values["enabled"] === false) {
    return Result.succeed({ server: { _tag: "Disabled", name, path }, diagnostics: [] })
  }
  const decoded = decode(values)
  if (Result.isFailure(decoded)) return fail(describe(decoded.failure.issue, path))
  const entry = decoded.success
  const server = toServer({ name, path, folder }, entry, values["connect"])
  if (typeof server === "string") return fail(`${path} ${server}`)
  return Result.succeed({
    server,
    diagnostics: [
      ...keyDiagnostics(name, server._tag, found),
      ...nestedDiagnostics(name, path, values),
      ...secondsDiagnostics(name, path, entry.timeout)
    ]
  })
}

/** A nested `transport` object is read as if flat (a flat key wins); `null` counts as absent. */
const flatten = (config: Readonly<Record<string, unknown>>, path: string) => {
  const { transport, ...flat } = config
  const found: Array<FoundKey> = []
  const values: Record<string, unknown> = Object.create(null)
  const read = (object: Readonly<Record<string, unknown>>, prefix: string) => {
    for (const [key, value] of Object.entries(object)) {
      if (value === null || value === undefined) continue
      found.push({ key, path: `${prefix}.${key}` })
      values[key] = value
    }
  }
  if (isRecord(transport)) read(transport, `${path}.transport`)
  else if (transport !== null && transport !== undefined) values["type"] = transport
  read(flat, path)
  return { found, values }
}

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
): Exclude<McpServer, { readonly _tag: "Disabled" }> | string => {
  const fields: ServerFields = {
    name,
    path,
    timeout: readLimits(entry.timeout),
    tools: entry.tools === undefined ? ToolFilter.all : ToolFilter.fromConfig(entry.tools)
  }
  if (isConnect(connect)) return { _tag: "InProcess", ...fields, connect }
  const url = entry.url ?? entry.httpUrl ?? entry.serverUrl
  const isRemote = entry.type === undefined ? entry.command === undefined : REMOTE_TYPES.includes(entry.type)
  if (isRemote) {
    if (url !== undefined && url.trim() !== "") return { _tag: "Remote", ...fields, url }
    return entry.type === undefined ? "needs a command or a url" : `is of type ${entry.type} and needs a url`
  }
  const [command, ...rest] = typeof entry.command === "string" ? [entry.command] : entry.command ?? []
  if (command === undefined || command.trim() === "") return "needs a command"
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
    const known = Object.keys(fields)
    const found = isRecord(value) ? Object.keys(value) : []
    return found.filter((inner) => !known.includes(inner)).map((inner) =>
      unknownKey(name, inner, `${path}.${key}.${inner}`, known)
    )
  })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !Array.isArray(value)

const isConnect = (value: unknown): value is () => Transport => typeof value === "function"

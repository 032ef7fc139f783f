/** One configuration, parsed: which part of it belongs to which source, and what in it makes no sense. */
import { ConfigKeys, type Diagnostic } from "@effect-toolnexus/core"
import * as Predicate from "effect/Predicate"
import type { RawEntry } from "../ToolkitConfig.ts"

/** `skills` are as written: relative to `folder`. */
export interface ConfigDocument {
  readonly folder: string
  readonly servers: ReadonlyMap<string, RawEntry>
  readonly agents: ReadonlyMap<string, RawEntry>
  readonly openapi: ReadonlyMap<string, RawEntry>
  readonly skills: ReadonlyArray<string>
  readonly builtins: RawEntry | undefined
  readonly disableTools: ReadonlyArray<string>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

export interface JsonMap {
  readonly [key: string]: unknown
}

export const isMap = (value: unknown): value is JsonMap => Predicate.isObject(value)

/** Keys beside the servers that mean something to us. */
const OWN_KEYS = ["skills", "builtins", "agents", "openapi", "disableTools", "a2a", "mcpServer", "$schema"]

/** Keys of the contract that this version reads past, and says so. */
const NOT_YET: ReadonlyMap<string, string> = new Map([
  ["a2a", "serving over A2A"],
  ["mcpServer", "serving over MCP"]
])

/** Where a configuration stands; `file` is there where it has to be told from others. */
export interface DocumentPlace {
  readonly folder: string
  readonly file?: string
}

export const readDocument = (root: JsonMap, { file, folder }: DocumentPlace): ConfigDocument => {
  const place = file === undefined ? "" : `${file}: `
  const wrapper = findServers(root)
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  const entries = (map: JsonMap, path: string): ReadonlyMap<string, RawEntry> => {
    const found = new Map<string, RawEntry>()
    for (const [name, config] of Object.entries(map)) {
      if (isMap(config)) found.set(name, { config, folder, path: `${place}${path}${name}` })
      else diagnostics.push(notAnObject(`${path}${name}`))
    }
    return found
  }
  diagnostics.push(...wrapper.path === "" ? misreadWrappers(wrapper.servers) : unknownKeys(root))
  diagnostics.push(...lostWrappers(root, wrapper))
  for (const [key, what] of NOT_YET) if (key in root) diagnostics.push(notYet(key, what, root[key]))
  const document = {
    folder,
    servers: entries(wrapper.servers, wrapper.path),
    agents: readEntries(root, "agents", entries, diagnostics),
    openapi: readEntries(root, "openapi", entries, diagnostics),
    skills: readTexts(root, "skills", diagnostics),
    builtins: root["builtins"] === undefined
      ? undefined
      : { config: root["builtins"], folder, path: `${place}builtins` },
    disableTools: readTexts(root, "disableTools", diagnostics)
  }
  return { ...document, diagnostics: inPlace(place, diagnostics) }
}

/** Messages name the path in the file only. */
export const inPlace = (
  place: string,
  diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
): ReadonlyArray<Diagnostic.Diagnostic> =>
  diagnostics.map((diagnostic) => ({ ...diagnostic, message: `${place}${diagnostic.message}` }))

interface Wrapper {
  /** Key by key, e.g. `["mcp", "servers"]`; empty for a bare map of servers. */
  readonly keys: ReadonlyArray<string>
  /** What to put before a server's name, e.g. `mcp.servers.`. */
  readonly path: string
  readonly servers: JsonMap
}

/** The wrappers in use, in the order in which they count. */
const WRAPPERS: ReadonlyArray<ReadonlyArray<string>> = [["mcpServers"], ["servers"], ["mcp", "servers"], ["mcp"]]

const findServers = (root: JsonMap): Wrapper => {
  for (const keys of WRAPPERS) {
    const value = keys.reduce<unknown>((parent, key) => isMap(parent) ? parent[key] : undefined, root)
    if (isMap(value) && holdsServers(value)) return { keys, path: `${keys.join(".")}.`, servers: value }
  }
  // nobody calls a server this
  if (isMap(root["mcpServers"])) return { keys: ["mcpServers"], path: "mcpServers.", servers: root["mcpServers"] }
  const bare = Object.entries(root).filter(([key]) => !OWN_KEYS.includes(key))
  return { keys: [], path: "", servers: Object.fromEntries(bare) }
}

const holdsServers = (map: JsonMap): boolean => {
  const values = Object.values(map)
  return values.length === 0 || values.some(isMap)
}

/** Only one wrapper counts; who keeps servers in another should hear of it. */
const lostWrappers = (root: JsonMap, { keys }: Wrapper): ReadonlyArray<Diagnostic.Diagnostic> =>
  WRAPPERS.filter((other) => other[0] !== keys[0]).flatMap((other) => {
    const value = other.reduce<unknown>((parent, key) => isMap(parent) ? parent[key] : undefined, root)
    if (!isMap(value) || !Object.values(value).some(looksLikeServer)) return []
    const path = other.join(".")
    const winner = keys.length === 0 ? "the whole object" : `"${keys.join(".")}"`
    return [{
      level: "warning",
      code: "misplaced-key",
      path,
      message: `the servers in "${path}" were left out: those in ${winner} count`
    }]
  })

/** Without a wrapper every key is a server; one that holds servers itself is a wrapper with another name. */
const misreadWrappers = (servers: JsonMap): ReadonlyArray<Diagnostic.Diagnostic> =>
  Object.entries(servers).filter(([, value]) =>
    isMap(value) && !looksLikeServer(value) && Object.values(value).some(looksLikeServer)
  ).map(([path]) => ({
    level: "warning",
    code: "unknown-key",
    path,
    message: `"${path}" is read as one server, but holds several; did you mean "mcpServers"?`
  }))

const looksLikeServer = (value: unknown): boolean =>
  isMap(value) && ["command", "url", "httpUrl", "serverUrl", "connect", "transport"].some((key) => key in value)

/**
 * Hosts keep their servers among settings of their own, so only a near miss is more than an information; `inputs` are
 * VS Code's questions to a person, of which an entry that needs one tells.
 */
const unknownKeys = (root: JsonMap): ReadonlyArray<Diagnostic.Diagnostic> =>
  ConfigKeys.check(root, {
    path: "",
    known: [...OWN_KEYS, "inputs", ...WRAPPERS.flatMap(([key]) => key ?? [])],
    strayLevel: "info"
  })

const readEntries = (
  root: JsonMap,
  key: "agents" | "openapi",
  entries: (map: JsonMap, path: string) => ReadonlyMap<string, RawEntry>,
  diagnostics: Array<Diagnostic.Diagnostic>
): ReadonlyMap<string, RawEntry> => {
  const value = root[key]
  if (value === undefined) return new Map()
  if (isMap(value)) return entries(value, `${key}.`)
  diagnostics.push(invalid(key, `must be an object of ${key === "agents" ? "agents" : "documents"} by id`))
  return new Map()
}

const readTexts = (
  root: JsonMap,
  key: "skills" | "disableTools",
  diagnostics: Array<Diagnostic.Diagnostic>
): ReadonlyArray<string> => {
  const value = root[key]
  if (value === undefined) return []
  const list: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  const texts = list.filter(Predicate.isString)
  if (texts.length < list.length) diagnostics.push(invalid(key, "must be a text or a list of texts; the others count"))
  return texts
}

const notAnObject = (path: string): Diagnostic.Diagnostic => invalid(path, "must be an object and was left out")

const invalid = (path: string, problem: string): Diagnostic.Diagnostic => ({
  level: "warning",
  code: "invalid-value",
  path,
  message: `${path} ${problem}`
})

const notYet = (key: string, what: string, value: unknown): Diagnostic.Diagnostic => {
  const message = `"${key}" is reserved for ${what}, which this version doesn't do yet`
  return key === "mcpServer" && isMap(value) && Object.values(value).some(looksLikeServer)
    ? { level: "warning", code: "unknown-key", path: key, message: `${message}; did you mean "mcpServers"?` }
    : { level: "info", code: "not-supported-yet", path: key, message }
}

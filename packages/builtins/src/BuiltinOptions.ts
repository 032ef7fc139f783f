/**
 * What a host may say about the builtins, in code or in a configuration file (CONTRACT 7), and its decoding: whatever
 * stands in a file gives options and diagnostics, never a crash.
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "@effect-toolnexus/core"
import type { NetworkPolicy } from "@effect-toolnexus/core/NetworkPolicy"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { OptionReader } from "./internal/optionReader.ts"

/**
 * The builtins one by one.
 *
 * **Details**
 *
 * - `root`: confines every path, relative to the working directory; default: nothing is confined
 * - `readOnly`: only tools that change nothing but the session's own state, so no `bash`; default: false
 * - `tools`: `false` drops a tool; `true` changes nothing
 * - `bash.env`: names of variables of the host that commands get beside the base list
 * - `limits`: how much the tools read and answer
 * - `network`: what `webfetch` connects to: `open` (default), all but link-local and metadata addresses; `public`, only what
 *   the whole internet reaches
 * - `staleGuard`: whether a file is left alone that isn't as the session has last seen it; default: where it was read;
 *   `true`: also where it was only written; `false`: never
 *
 * @category models
 * @since 0.1.0
 */
export interface BuiltinSettings {
  /** `true`: all off, and nothing else is read. */
  readonly disabled?: boolean
  /** `false`: all off, and nothing else is read. */
  readonly enabled?: boolean
  readonly root?: string
  readonly readOnly?: boolean
  readonly tools?: Readonly<Record<string, boolean>>
  readonly bash?: { readonly env: ReadonlyArray<string> }
  readonly limits?: BuiltinLimits
  readonly network?: NetworkPolicy
  readonly staleGuard?: boolean
}

/**
 * How much the builtins read and answer, in bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface BuiltinLimits {
  /** Of text in one answer. Default: 65536. */
  readonly output?: number
  /**
   * Of the largest image that `read` shows and the largest file that is changed (those of one patch have 16 times that
   * together), and behind a window in which `read` counts lines. Default: 16777216 (16 MiB).
   */
  readonly file?: number
  /** Of a body that `webfetch` reads, and that its decompression may give. Default: 5242880 (5 MiB). */
  readonly fetch?: number
}

/**
 * All on (`true`), all off (`false`), or one by one.
 *
 * @category models
 * @since 0.1.0
 */
export type BuiltinOptions = boolean | BuiltinSettings

/**
 * @category models
 * @since 0.1.0
 */
export interface DecodedOptions {
  readonly options: BuiltinOptions
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/**
 * All of CONTRACT 7, in its order, which is that of the tools.
 *
 * @internal
 */
export const TOOL_NAMES = [
  "bash",
  "read",
  "write",
  "edit",
  "apply_patch",
  "grep",
  "glob",
  "webfetch",
  "question",
  "todowrite"
] as const

/**
 * Decodes what stands under `builtins`.
 *
 * **Details**
 *
 * A key that makes no sense is left out with a diagnostic at its path. Where leaving it out would open what somebody
 * meant to close, it closes instead: a `root` or a whole value that can't be understood turns the builtins off, a
 * `readOnly` or `staleGuard` that is no boolean counts as true, a `network` that is neither counts as `public`, a `tools`
 * entry that is no boolean drops that tool. A misspelled one of these (`readonly`) closes like one that can't be understood.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decodeOptions = (raw: unknown): DecodedOptions => {
  if (raw === undefined || Predicate.isBoolean(raw)) return { options: raw ?? true, diagnostics: [] }
  const reader = new OptionReader()
  const options = reader.isMap(raw, "builtins", "a boolean or an object") && !isOff(raw)
    ? decodeSettings(raw, reader)
    : false
  return { options, diagnostics: reader.diagnostics }
}

const isOff = (raw: Readonly<Record<string, unknown>>): boolean => raw["disabled"] === true || raw["enabled"] === false

const KEYS = ["disabled", "enabled", "root", "readOnly", "tools", "bash", "limits", "network", "staleGuard"]

/** Without these keys everything is open, so nothing is until a misspelled one is corrected. */
const TURNS_OFF = ["root", "tools", "disabled", "enabled"]

const AS_TRUE = "It counts as true until it is corrected"

/** What is done where one of these keys is misspelled: what somebody meant to close isn't left open. */
const CLOSES: ReadonlyMap<string, string> = new Map([
  ...TURNS_OFF.map((key): [string, string] => [key, "The builtins are off until it is corrected"]),
  ["readOnly", AS_TRUE],
  ["staleGuard", AS_TRUE],
  ["network", "It counts as public until it is corrected"]
])

const decodeSettings = (raw: Readonly<Record<string, unknown>>, reader: OptionReader): BuiltinOptions => {
  const misspelled = reader.checkKeys(raw, "builtins", KEYS, { closes: (key) => CLOSES.get(key) })
  const isSwitchBroken = [raw["disabled"], raw["enabled"]].some((value) =>
    value !== undefined && !Predicate.isBoolean(value)
  )
  for (const key of ["disabled", "enabled"]) reader.read(raw, key, "builtins", Schema.Boolean, "true or false")
  const root = reader.read(raw, "root", "builtins", Schema.String, "a string; the builtins are off until it is")
  const isReadOnly = decodeSwitch("readOnly", raw, reader, misspelled) === true
  const tools = decodeTools(raw["tools"], reader)
  const bash = decodeBash(raw["bash"], reader)
  const limits = decodeLimits(raw["limits"], reader)
  const staleGuard = decodeSwitch("staleGuard", raw, reader, misspelled)
  const network = misspelled.has("network") ? "public" : decodeNetwork(raw, reader)
  const isUnsafe = isSwitchBroken || tools === undefined || (raw["root"] !== undefined && root === undefined) ||
    TURNS_OFF.some((key) => misspelled.has(key))
  if (isUnsafe) return false
  return {
    ...(root === undefined ? {} : { root }),
    ...(isReadOnly ? { readOnly: true } : {}),
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    ...(bash === undefined ? {} : { bash }),
    ...(limits === undefined ? {} : { limits }),
    ...(staleGuard === undefined ? {} : { staleGuard }),
    ...(network === undefined ? {} : { network })
  }
}

/** One that closes something: it counts as true unless it says false in so many letters. `undefined`: it isn't there. */
const decodeSwitch = (
  key: "readOnly" | "staleGuard",
  raw: Readonly<Record<string, unknown>>,
  reader: OptionReader,
  misspelled: ReadonlySet<string>
): boolean | undefined => {
  const given = reader.read(raw, key, "builtins", Schema.Boolean, "true or false; it counts as true until it is")
  return raw[key] === undefined && !misspelled.has(key) ? undefined : given !== false
}

const decodeNetwork = (raw: Readonly<Record<string, unknown>>, reader: OptionReader): NetworkPolicy | undefined =>
  raw["network"] === undefined
    ? undefined
    : reader.read(
      raw,
      "network",
      "builtins",
      Schema.Literals(["open", "public"]),
      "\"open\" or \"public\"; it counts as public until it is"
    ) ?? "public"

/** `undefined`: it can't be told which tools were meant to be dropped. */
const decodeTools = (raw: unknown, reader: OptionReader): Readonly<Record<string, boolean>> | undefined => {
  if (raw === undefined) return {}
  if (!reader.isMap(raw, "builtins.tools", "an object of names and booleans; the builtins are off until it is")) {
    return undefined
  }
  const misspelled = reader.checkKeys(raw, "builtins.tools", TOOL_NAMES, {
    code: "unknown-tool",
    // a `true` would have changed nothing
    closes: (name, value) => value === true ? undefined : `"${name}" is off until it is corrected`
  })
  const kept = TOOL_NAMES.filter((name) => Object.hasOwn(raw, name)).map((name): readonly [string, boolean] => [
    name,
    reader.read(raw, name, "builtins.tools", Schema.Boolean, "true or false; the tool is off until it is") ?? false
  ])
  return Object.fromEntries([...kept, ...[...misspelled].map((name) => [name, false] as const)])
}

const decodeBash = (raw: unknown, reader: OptionReader): { readonly env: ReadonlyArray<string> } | undefined => {
  if (raw === undefined || !reader.isMap(raw, "builtins.bash", "an object")) return undefined
  reader.checkKeys(raw, "builtins.bash", ["env"])
  const env = reader.read(raw, "env", "builtins.bash", Schema.Array(Schema.String), "a list of names of variables")
  return env === undefined ? undefined : { env }
}

const Bytes = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const LIMITS = ["output", "file", "fetch"] as const

const decodeLimits = (raw: unknown, reader: OptionReader): BuiltinLimits | undefined => {
  if (raw === undefined || !reader.isMap(raw, "builtins.limits", "an object")) return undefined
  reader.checkKeys(raw, "builtins.limits", LIMITS)
  const read = LIMITS.map((key): readonly [string, number | undefined] => [
    key,
    reader.read(raw, key, "builtins.limits", Bytes, "a whole number of bytes, at least 1")
  ])
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

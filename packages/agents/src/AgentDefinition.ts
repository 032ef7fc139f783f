/**
 * What a host says about a remote agent, in code or in a configuration file (CONTRACT 3 and 8).
 *
 * @since 0.1.0
 */
import { type Diagnostic, SourceEntry, Suggestion } from "@effect-toolnexus/core"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { bareUrl } from "./internal/address.ts"

/**
 * A remote agent.
 *
 * **Details**
 *
 * - `card`: the card's URL, or one under which it is found at a well-known path; expanded
 * - `headers`: sent to the card's own origin only; values are expanded
 * - `timeout`: in milliseconds, over a whole call, 300000 by default; the card has at most 30000 of it
 * - `pollEvery`: in milliseconds, 1000 by default; the first interval, which grows to at most ten times that
 * - `disabled: true` wins over `enabled: true`
 * - `folder`: what `${workspaceFolder}` stands for and `{file:}` is relative to
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentDefinition {
  readonly card: string
  readonly headers?: Readonly<Record<string, string>>
  readonly timeout?: number
  readonly pollEvery?: number
  readonly enabled?: boolean
  readonly disabled?: boolean
  readonly folder: string
}

/**
 * Whether its owner switched it off.
 *
 * @category getters
 * @since 0.1.0
 */
export const isDisabled = ({ disabled, enabled }: Pick<AgentDefinition, "disabled" | "enabled">): boolean =>
  disabled === true || enabled === false

/**
 * The name of an agent that has no id: its card's URL without user info, query and fragment (CONTRACT 4).
 *
 * **Example**
 *
 * ```ts
 * AgentSource.entryName("https://me:secret@agents.example/weather?key=1") // => "https://agents.example/weather"
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const entryName = (cardUrl: string): string => bareUrl(cardUrl)

/**
 * An entry of a configuration file, read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decoded {
  readonly definition: AgentDefinition
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

const Fields = Schema.Struct({
  card: Schema.optionalKey(Schema.NonEmptyString),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  timeout: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(1))),
  pollEvery: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(1))),
  enabled: Schema.optionalKey(Schema.Boolean),
  disabled: Schema.optionalKey(Schema.Boolean)
})

const decodeFields = Schema.decodeUnknownResult(Fields)

/** Said instead of the decoder's own words, which show the value: it may be a secret. */
const EXPECTED: Readonly<Record<keyof typeof Fields.fields, string>> = {
  card: "the URL of an agent card, as text",
  headers: "an object of header names and values, both text",
  timeout: "a number of milliseconds, at least 1",
  pollEvery: "a number of milliseconds, at least 1",
  enabled: "true or false",
  disabled: "true or false"
}

const isField = (key: string): key is keyof typeof Fields.fields => Object.hasOwn(EXPECTED, key)

/** Keys of the configuration that have no effect yet; each is said, so that nobody relies on it. */
const NOT_YET: ReadonlySet<string> = new Set([
  "required",
  "trusted",
  "maxConcurrent",
  "as",
  "allowOrigins",
  "keepContext"
])

/**
 * Reads one value of the map `agents` of a configuration file. `path` is where it stands, e.g. `agents.weather`.
 *
 * **Details**
 *
 * An unknown key is a diagnostic, with the nearest known key; a value that makes no sense is the entry's failure. An
 * entry that is switched off needs nothing else.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decodeDefinition = (
  id: string,
  raw: unknown,
  folder: string,
  path: string
): Result.Result<Decoded, SourceEntry.EntryError> => {
  const fail = (detail: string) =>
    Result.fail(new SourceEntry.EntryError({ kind: "agent", entry: id, phase: "config", detail }))
  if (!Predicate.isObject(raw) || Array.isArray(raw)) return fail(`${path} must be an object`)
  const known = Object.fromEntries(Object.entries(raw).filter(([key]) => isField(key)))
  const fields = decodeFields(known)
  if (Result.isFailure(fields)) return fail(describeFaults(known))
  const { card = "", ...rest } = fields.success
  if (card === "" && !isDisabled(rest)) return fail(`card must be ${EXPECTED.card}`)
  return Result.succeed({
    definition: { ...rest, card, folder },
    diagnostics: diagnose(id, raw, path)
  })
}

const describeFaults = (known: Readonly<Record<string, unknown>>): string =>
  Object.entries(known)
    .flatMap(([key, value]) =>
      isField(key) && Result.isFailure(decodeFields({ [key]: value })) ? [`${key} must be ${EXPECTED[key]}`] : []
    ).join("; ")

/** Whoever writes less than this meant seconds. */
const SUSPICIOUS_TIMEOUT = 1000

const diagnose = (id: string, raw: object, path: string): ReadonlyArray<Diagnostic.Diagnostic> =>
  Object.entries(raw).flatMap(([key, value]): ReadonlyArray<Diagnostic.Diagnostic> => {
    const common = { entry: id, path: `${path}.${key}` }
    if (NOT_YET.has(key)) {
      const message = `${key} has no effect on agents yet`
      return [{ ...common, level: "info", code: "not-supported-yet", message }]
    }
    if (!isField(key)) return [{ ...common, level: "warning", code: "unknown-key", message: describeUnknown(key) }]
    if (key === "timeout" && typeof value === "number" && value < SUSPICIOUS_TIMEOUT) {
      const message = `timeout is in milliseconds, and ${value} is very little; were seconds meant?`
      return [{ ...common, level: "warning", code: "suspicious-timeout", message }]
    }
    return []
  })

const describeUnknown = (key: string): string => {
  const [nearest] = Suggestion.closest(key, [...Object.keys(EXPECTED), ...NOT_YET], 1)
  return nearest === undefined
    ? `${key} is not a key of an agent`
    : `${key} is not a key of an agent; did you mean ${nearest}?`
}

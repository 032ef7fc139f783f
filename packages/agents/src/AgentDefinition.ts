/**
 * What a host says about a remote agent, in code or in a configuration file (CONTRACT 3 and 8).
 *
 * @since 0.1.0
 */
import * as ConfigKeys from "@effect-toolnexus/core/ConfigKeys"
import type * as Diagnostic from "@effect-toolnexus/core/Diagnostic"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
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
 * - `headers`: sent to the card's own origin, and to those of `allowOrigins`; values are expanded
 * - `allowOrigins`: other origins that get the headers and tokens, e.g. where the card says that the agent listens
 * - `as`: `"agent"` for one tool that is the agent, its skills in the description; by default one for each skill
 * - `keepContext`: new tasks go on with the conversation of the ones before. Whoever shares the toolkit shares it, too
 * - `timeout`: in milliseconds, over a whole call, 300000 by default; the card has at most 30000 of it
 * - `pollEvery`: in milliseconds, 1000 by default; the first interval, which grows to at most ten times that
 * - `maxConcurrent`: how many calls of its tools may run at once; without it any number
 * - `required`: the build of a toolkit fails where this agent fails
 * - `trusted`: its owner vouches for what it says of its skills
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
  readonly as?: "skills" | "agent"
  readonly allowOrigins?: ReadonlyArray<string>
  readonly keepContext?: boolean
  readonly maxConcurrent?: number
  readonly required?: boolean
  readonly trusted?: boolean
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
 * What the owner of an entry says of it as a whole. Reads any value, also one that {@link decodeDefinition} refuses: an
 * agent that is required is so with a mistake in its configuration, too.
 *
 * @category getters
 * @since 0.1.0
 */
export const flagsOf = (raw: unknown): Pick<SourceEntry.EntryFields, "required" | "trusted"> => ({
  ...(isTrue(raw, "required") ? { required: true } : {}),
  ...(isTrue(raw, "trusted") ? { trusted: true } : {})
})

/** A getter may throw. */
const isTrue = (raw: unknown, key: string): boolean =>
  Result.getOrElse(Result.try(() => Predicate.hasProperty(raw, key) && raw[key] === true), () => false)

/**
 * The name of an agent that has no id: its card's URL without user info, query and fragment (CONTRACT 4).
 *
 * **Details**
 *
 * Takes any value, as a program without a compiler may give it. Of what is no http or https URL nothing is shown: it is
 * called `invalid-card-url` and a few digits that tell it from others. A variable that stands for the whole beginning of
 * the URL, as in `${AGENTS}/weather`, stays as it is.
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
export const entryName = (cardUrl: unknown): string => bareUrl(typeof cardUrl === "string" ? cardUrl : "")

/**
 * {@link entryName} of a definition's card, whatever an untyped caller gives: what is wrong with it is the entry's failure.
 *
 * @category operations
 * @since 0.1.0
 */
export const entryNameOf = (definition: unknown): string =>
  entryName(Predicate.hasProperty(definition, "card") ? definition.card : undefined)

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
  card: Schema.optionalKey(Schema.String),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  timeout: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(1))),
  pollEvery: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(1))),
  as: Schema.optionalKey(Schema.Literals(["skills", "agent"])),
  allowOrigins: Schema.optionalKey(Schema.Array(Schema.String)),
  keepContext: Schema.optionalKey(Schema.Boolean),
  maxConcurrent: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  required: Schema.optionalKey(Schema.Boolean),
  trusted: Schema.optionalKey(Schema.Boolean),
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
  as: "\"agent\" or \"skills\"",
  allowOrigins: "a list of origins, e.g. \"https://agents.example\"",
  keepContext: "true or false",
  maxConcurrent: "a whole number, at least 1",
  required: "true or false",
  trusted: "true or false",
  enabled: "true or false",
  disabled: "true or false"
}

const isField = (key: string): key is keyof typeof Fields.fields => Object.hasOwn(EXPECTED, key)

/**
 * Reads one value of the map `agents` of a configuration file. `path` is where it stands, e.g. `agents.weather`.
 *
 * **Details**
 *
 * An unknown key is a diagnostic, with the nearest known key; a value that makes no sense is the entry's failure, beside
 * which {@link diagnose} still gives the diagnostics. An entry that is switched off needs nothing else.
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
  // in code a key may be there without a value
  const known = Object.fromEntries(Object.entries(raw).filter(([key, value]) => isField(key) && value !== undefined))
  const fields = decodeFields(known)
  if (Result.isFailure(fields)) return fail(describeFaults(known))
  const { card = "", ...rest } = fields.success
  if (card === "" && !isDisabled(rest)) return fail(`card must be ${EXPECTED.card}`)
  return Result.succeed({
    definition: { ...rest, card, folder },
    diagnostics: diagnose(id, raw, path)
  })
}

/**
 * The same check of a definition that was given in code, where no compiler may have looked at it: it may be anything,
 * also an object that breaks whoever reads it.
 *
 * @category decoding
 * @since 0.1.0
 */
export const check = (id: string, definition: unknown): Result.Result<AgentDefinition, SourceEntry.EntryError> =>
  Result.try({
    try: () => decodeDefinition(id, definition, folderOf(definition), `agents.${id}`),
    catch: () =>
      new SourceEntry.EntryError({ kind: "agent", entry: id, phase: "config", detail: "it breaks whoever reads it" })
  }).pipe(
    Result.flatMap((decoded) => decoded),
    Result.map((decoded) => decoded.definition)
  )

const folderOf = (definition: unknown): string =>
  Predicate.hasProperty(definition, "folder") && typeof definition.folder === "string" ? definition.folder : "."

const describeFaults = (known: Readonly<Record<string, unknown>>): string =>
  Object.entries(known)
    .flatMap(([key, value]) =>
      isField(key) && Result.isFailure(decodeFields({ [key]: value })) ? [`${key} must be ${EXPECTED[key]}`] : []
    ).join("; ")

/**
 * What there is to say of the keys of an entry of a configuration file, whether {@link decodeDefinition} takes it or not:
 * a mistyped key is often why a needed one is missing.
 *
 * @category decoding
 * @since 0.1.0
 */
export const diagnose = (entry: string, raw: unknown, path: string): ReadonlyArray<Diagnostic.Diagnostic> =>
  !Predicate.isObject(raw) || Array.isArray(raw) ? [] : [
    ...ConfigKeys.check(raw, { entry, path, known: KNOWN }),
    ...Predicate.hasProperty(raw, "timeout") && Predicate.isNumber(raw.timeout)
      ? ConfigKeys.checkMillis(raw.timeout, { entry, path: `${path}.timeout` })
      : []
  ]

const KNOWN = Object.keys(EXPECTED)

/**
 * What a host says about a remote agent, in code or in a configuration file (CONTRACT 3 and 8).
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as EntryOptions from "@effect-toolnexus/core/EntryOptions"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
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
 * - what may be said of every entry: `EntryOptions` of core
 * - `folder`: what `${workspaceFolder}` stands for and `{file:}` is relative to
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentDefinition extends EntryOptions.EntryOptions {
  readonly card: string
  readonly headers?: Readonly<Record<string, string>>
  readonly timeout?: number
  readonly pollEvery?: number
  readonly as?: "skills" | "agent"
  readonly allowOrigins?: ReadonlyArray<string>
  readonly keepContext?: boolean
  readonly folder: string
}

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
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const Options = Schema.Struct({
  card: Schema.optionalKey(Schema.String),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  timeout: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(1))),
  pollEvery: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(1))),
  as: Schema.optionalKey(Schema.Literals(["skills", "agent"])),
  allowOrigins: Schema.optionalKey(Schema.Array(Schema.String)),
  keepContext: Schema.optionalKey(Schema.Boolean),
  ...EntryOptions.fields
})

const CARD = "the URL of an agent card, as text"

const reader = EntryOptions.makeReader("agent", Options, {
  card: CARD,
  headers: "an object of header names and values, both text",
  timeout: "a number of milliseconds, at least 1",
  pollEvery: "a number of milliseconds, at least 1",
  as: "\"agent\" or \"skills\"",
  allowOrigins: "a list of origins, e.g. \"https://agents.example\"",
  keepContext: "true or false",
  ...EntryOptions.expected
})

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
): Result.Result<Decoded, EntryError> =>
  Result.flatMap(
    reader.read(raw, { entry: id, path }),
    ({ card = "", ...rest }) =>
      card === "" && !EntryOptions.isDisabled(rest)
        ? Result.fail(reader.fail(id, `card must be ${CARD}`))
        : Result.succeed({ definition: { ...rest, card, folder }, diagnostics: diagnose(id, raw, path) })
  )

/**
 * The same check of a definition that was given in code, where no compiler may have looked at it: it may be anything,
 * also an object that breaks whoever reads it.
 *
 * @category decoding
 * @since 0.1.0
 */
export const check = (id: string, definition: unknown): Result.Result<AgentDefinition, EntryError> =>
  Result.map(
    reader.guard(id, () => decodeDefinition(id, definition, folderOf(definition), `agents.${id}`)),
    (decoded) => decoded.definition
  )

const folderOf = (definition: unknown): string =>
  Predicate.hasProperty(definition, "folder") && typeof definition.folder === "string" ? definition.folder : "."

/**
 * What there is to say of the keys of an entry of a configuration file, whether {@link decodeDefinition} takes it or not:
 * a mistyped key is often why a needed one is missing.
 *
 * @category decoding
 * @since 0.1.0
 */
export const diagnose = (entry: string, raw: unknown, path: string): ReadonlyArray<Diagnostic> =>
  reader.diagnose(raw, { entry, path })

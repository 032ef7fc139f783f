/**
 * What a host says about an OpenAPI document, in code or in a configuration file (CONTRACT 3 and 9).
 *
 * @since 0.1.0
 */
import { type Diagnostic, EntryOptions, HttpAddress, Json, type SourceEntry } from "@effect-toolnexus/core"
import * as Hash from "effect/Hash"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isObject, objectAt, textAt } from "./internal/json.ts"

/**
 * Operations by what they are; of what is given all must fit. `operation` is the `operationId`, the tool's name, or
 * `METHOD /path`; in it and in `tag` `*` stands for anything.
 *
 * @category models
 * @since 0.1.0
 */
export const OperationRule = Schema.Struct({
  operation: Schema.optionalKey(Schema.String),
  tag: Schema.optionalKey(Schema.String),
  method: Schema.optionalKey(Schema.String)
})

/**
 * @category models
 * @since 0.1.0
 */
export interface OperationRule extends Schema.Schema.Type<typeof OperationRule> {}

/**
 * **Details**
 *
 * - `baseUrl`: where the API is, instead of the servers that the document names; expanded
 * - `headers`: sent with every call to the API's own origin; values are expanded, and never shown
 * - `security`: what is to be sent for a security scheme of the document, by the scheme's name: a key, a token, or
 *   `user:password`; expanded, and sent where the document says, with the operations that ask for it
 * - `include`, `exclude`: operations, by a text that is an operation's name, tag or method, or by an {@link OperationRule};
 *   without `include` all are in
 * - `timeout`: in milliseconds over a whole call, 30000 by default
 * - `retry`: `safe` (the default) sends GET, HEAD and OPTIONS up to three times where the server was too busy or didn't
 *   answer; `always` does so with every method
 * - what may be said of every entry: `EntryOptions` of core
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenApiOptions extends EntryOptions.EntryOptions {
  readonly baseUrl?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly security?: Readonly<Record<string, string>>
  readonly include?: ReadonlyArray<string | OperationRule>
  readonly exclude?: ReadonlyArray<string | OperationRule>
  readonly timeout?: number
  readonly retry?: "never" | "safe" | "always"
}

/**
 * `document`: a URL, a path (relative to `folder`), the text of a document, or the document itself. `folder` is also what
 * `${workspaceFolder}` stands for and `{file:}` is relative to.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenApiDefinition extends OpenApiOptions {
  readonly document: string | Json.JsonObject
  readonly folder: string
}

/**
 * The name of a document that has no id: its URL without user info, query and fragment, its path, or its title
 * (CONTRACT 4).
 *
 * **Example**
 *
 * ```ts
 * OpenApiDefinition.entryName("https://me:secret@api.example/openapi.json?key=1") // => "https://api.example/openapi.json"
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const entryName = (document: unknown): string => {
  if (typeof document !== "string") return Result.getOrElse(Result.try(() => titleOf(document)), () => UNTITLED)
  const text = document.trim()
  if (isDocumentText(text)) {
    return titleOf(Result.getOrElse(Result.try((): unknown => JSON.parse(text)), () => undefined))
  }
  // as whoever fetches it reads it: `http:me:secret@host` is an address as good as any
  const address = HttpAddress.parse(text)
  if (address !== undefined) return HttpAddress.bareHref(address.url)
  // one letter is a drive
  if (!/^[a-z][a-z0-9+.-]+:[\\/]/i.test(text)) return text
  const url = URL.parse(text)
  // of what can't be read nothing is shown, for a password may be anywhere in it
  if (url === null) return `invalid-document-url-${(Hash.string(text) & 0xff_ffff).toString(16).padStart(6, "0")}`
  return url.protocol === "file:" ? url.pathname : HttpAddress.bareHref(url)
}

const UNTITLED = "openapi"

const titleOf = (document: unknown): string => {
  const title = Json.isJsonObject(document) ? textAt(objectAt(document, "info"), "title")?.trim() : undefined
  return title === undefined || title === "" ? UNTITLED : title
}

/**
 * Whether a text is a document and not the place of one: JSON, or several lines.
 *
 * @category getters
 * @since 0.1.0
 */
export const isDocumentText = (text: string): boolean => /^\uFEFF?\s*\{/.test(text) || /[\r\n]/.test(text.trim())

/**
 * An entry of a configuration file, read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decoded {
  readonly definition: OpenApiDefinition
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

const Texts = Schema.Record(Schema.String, Schema.String)

const Rules = Schema.Array(Schema.Union([Schema.String, OperationRule]))

const Options = Schema.Struct({
  document: Schema.optionalKey(Schema.Unknown),
  baseUrl: Schema.optionalKey(Schema.String),
  headers: Schema.optionalKey(Texts),
  security: Schema.optionalKey(Texts),
  include: Schema.optionalKey(Rules),
  exclude: Schema.optionalKey(Rules),
  timeout: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(1))),
  retry: Schema.optionalKey(Schema.Literals(["never", "safe", "always"])),
  ...EntryOptions.fields
})

const DOCUMENT = "a URL, a path, or an OpenAPI document as text or object"

const reader = EntryOptions.makeReader("extra", Options, {
  document: DOCUMENT,
  baseUrl: "the URL of an API, as text",
  headers: "an object of header names and values, both text",
  security: "an object of security schemes and what is to be sent for them, both text",
  include: "a list of operations, tags and methods, each a text or {operation, tag, method}",
  exclude: "a list of operations, tags and methods, each a text or {operation, tag, method}",
  timeout: "a number of milliseconds, at least 1",
  retry: "\"never\", \"safe\" or \"always\"",
  ...EntryOptions.expected
})

/**
 * Reads one value of the map `openapi` of a configuration file; `path` is where it stands, e.g. `openapi.pets`.
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
  entry: string,
  raw: unknown,
  folder: string,
  path: string
): Result.Result<Decoded, SourceEntry.EntryError> =>
  Result.flatMap(reader.read(raw, { entry, path }), ({ document: given, ...options }) => {
    const document = toDocument(given)
    return document === undefined && !EntryOptions.isDisabled(options)
      ? Result.fail(reader.fail(entry, `document must be ${DOCUMENT}`))
      : Result.succeed({
        definition: { ...options, document: document ?? "", folder },
        diagnostics: diagnose(entry, raw, path)
      })
  })

const toDocument = (document: unknown): OpenApiDefinition["document"] | undefined => {
  if (typeof document === "string") return document.trim() === "" ? undefined : document
  return Predicate.isObject(document) ? copyOf(document) : undefined
}

/** As large as any document that is in use, three times over. */
const BOUNDS: Json.Bounds = { levels: 250, values: 5_000_000 }

/** From code anything may come; what is written and read again is JSON, and belongs to nobody else. */
export const copyOf = (value: unknown): Json.JsonObject | undefined => {
  if (!Json.isWithin(value, BOUNDS)) return undefined
  const copy: Json.Json = JSON.parse(JSON.stringify(value))
  return isObject(copy) ? copy : undefined
}

/**
 * The same check of a definition that was given in code, where no compiler may have looked at it.
 *
 * @category decoding
 * @since 0.1.0
 */
export const check = (
  entry: string,
  definition: OpenApiDefinition
): Result.Result<OpenApiDefinition, SourceEntry.EntryError> =>
  Result.map(
    reader.guard(entry, () => decodeDefinition(entry, definition, definition.folder, entry)),
    (decoded) => decoded.definition
  )

/**
 * What there is to say of the keys of an entry of a configuration file, whether {@link decodeDefinition} takes it or not.
 *
 * @category decoding
 * @since 0.1.0
 */
export const diagnose = (entry: string, raw: unknown, path: string): ReadonlyArray<Diagnostic.Diagnostic> =>
  reader.diagnose(raw, { entry, path })

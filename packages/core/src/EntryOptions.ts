/**
 * What may be said of every entry of a configuration, be it an agent or a document (CONTRACT 3), and how the options of one
 * are read: each mistake is told by the name of its key, in words of ours, since the decoder's own show the value, and that
 * may be a secret.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ConfigKeys from "./ConfigKeys.ts"
import type { Diagnostic } from "./Diagnostic.ts"
import { EntryError, type EntryFields, type SourceKind } from "./SourceEntry.ts"

/**
 * **Details**
 *
 * - `required`: the build of a toolkit fails where this entry fails
 * - `trusted`: its owner vouches for what it says of its tools
 * - `maxConcurrent`: how many calls of its tools may run at once; without it any number
 * - `disabled: true` wins over `enabled: true`
 *
 * @category models
 * @since 0.1.0
 */
export interface EntryOptions {
  readonly required?: boolean
  readonly trusted?: boolean
  readonly maxConcurrent?: number
  readonly enabled?: boolean
  readonly disabled?: boolean
}

/**
 * Their schemas, to be put beside an entry's own.
 *
 * @category schemas
 * @since 0.1.0
 */
export const fields = {
  required: Schema.optionalKey(Schema.Boolean),
  trusted: Schema.optionalKey(Schema.Boolean),
  maxConcurrent: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  enabled: Schema.optionalKey(Schema.Boolean),
  disabled: Schema.optionalKey(Schema.Boolean)
}

/**
 * What belongs there, in words that follow "must be".
 *
 * @category constants
 * @since 0.1.0
 */
export const expected: Readonly<Record<keyof EntryOptions, string>> = {
  required: "true or false",
  trusted: "true or false",
  maxConcurrent: "a whole number, at least 1",
  enabled: "true or false",
  disabled: "true or false"
}

/**
 * Whether its owner switched it off.
 *
 * @category getters
 * @since 0.1.0
 */
export const isDisabled = ({ disabled, enabled }: Pick<EntryOptions, "disabled" | "enabled">): boolean =>
  disabled === true || enabled === false

/**
 * What the owner of an entry says of it as a whole. Reads any value, also one that its {@link Reader} refuses: an entry that
 * is required is so with a mistake in its configuration, too.
 *
 * @category getters
 * @since 0.1.0
 */
export const flagsOf = (raw: unknown): Pick<EntryFields, "required" | "trusted"> => ({
  ...(isTrue(raw, "required") ? { required: true } : {}),
  ...(isTrue(raw, "trusted") ? { trusted: true } : {})
})

/** A getter may throw. */
const isTrue = (raw: unknown, key: string): boolean =>
  Result.getOrElse(Result.try(() => Predicate.hasProperty(raw, key) && raw[key] === true), () => false)

/**
 * Where an entry stands: `path` is that of its value, e.g. `agents.weather`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Place {
  readonly entry: string
  readonly path: string
}

/**
 * Reads the values of one kind of entry.
 *
 * **Details**
 *
 * - `read`: the options, or what is wrong with which of them
 * - `diagnose`: what there is to say of the keys, whether `read` takes the value or not: a mistyped key is often why a needed
 *   one is missing
 * - `fail`: the entry's failure
 * - `guard`: the same reading of a value that was given in code, which may break whoever reads it
 *
 * @category models
 * @since 0.1.0
 */
export interface Reader<Options> {
  readonly read: (raw: unknown, place: Place) => Result.Result<Options, EntryError>
  readonly diagnose: (raw: unknown, place: Place) => ReadonlyArray<Diagnostic>
  readonly fail: (entry: string, detail: string) => EntryError
  readonly guard: <A>(entry: string, read: () => Result.Result<A, EntryError>) => Result.Result<A, EntryError>
}

/**
 * A reader of what a schema says. `words` says of each key what belongs there, in words that follow "must be".
 *
 * **Example**
 *
 * ```ts
 * const Options = Schema.Struct({ card: Schema.optionalKey(Schema.String), ...EntryOptions.fields })
 * const reader = EntryOptions.makeReader("agent", Options, { card: "a URL, as text", ...EntryOptions.expected })
 * reader.read({ card: 1 }, { entry: "a", path: "agents.a" }) // fails: card must be a URL, as text
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeReader = <Options>(
  kind: SourceKind,
  schema: Schema.Decoder<Options>,
  words: { readonly [Key in keyof Options]-?: string }
): Reader<Options> => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  const wanted = new Map(Object.entries<string>(words))
  const fail = (entry: string, detail: string) => new EntryError({ kind, entry, phase: "config", detail })
  const faultsOf = (known: Readonly<Record<string, unknown>>): string =>
    Object.entries(known).flatMap(([key, value]) =>
      Result.isFailure(decode({ [key]: value })) ? [`${key} must be ${wanted.get(key)}`] : []
    ).join("; ")
  return {
    fail,
    read: (raw, { entry, path }) => {
      if (!isRecord(raw)) return Result.fail(fail(entry, `${path} must be an object`))
      // in code a key may be there without a value
      const known = Object.fromEntries(
        Object.entries(raw).filter(([key, value]) => wanted.has(key) && value !== undefined)
      )
      return Result.mapError(decode(known), () => fail(entry, faultsOf(known)))
    },
    diagnose: (raw, { entry, path }) =>
      !isRecord(raw) ? [] : [
        ...ConfigKeys.check(raw, { entry, path, known: [...wanted.keys()] }),
        ...Predicate.isNumber(raw["timeout"])
          ? ConfigKeys.checkMillis(raw["timeout"], { entry, path: `${path}.timeout` })
          : []
      ],
    guard: (entry, read) =>
      Result.flatMap(
        Result.try({ try: read, catch: () => fail(entry, "it breaks whoever reads it") }),
        (result) => result
      )
  }
}

const isRecord = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
  Predicate.isObject(raw) && !Array.isArray(raw)

/**
 * What is said about the keys of an object in a configuration: those that nobody knows, those that this version doesn't
 * act on yet, and times that were meant in seconds. Every source says it in the same words (CONTRACT 3).
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "./Diagnostic.ts"
import * as Suggestion from "./Suggestion.ts"

/**
 * Where a key stands: `path` is its full path, e.g. `mcpServers.a.comand`, and `entry` what it configures.
 *
 * @category models
 * @since 0.1.0
 */
export interface Place {
  readonly path: string
  readonly entry?: string
}

/**
 * An object and the keys it may have.
 *
 * **Details**
 *
 * - `path`: where the object stands; empty for the whole document
 * - `notYet`: keys that will mean something one day; close names are looked for among these too
 * - `code` (`unknown-key`): for objects whose keys are names of something, e.g. `unknown-tool`
 * - `strayLevel` (`warning`): the level of a key that resembles no known one, for objects that others write into too
 *
 * @category models
 * @since 0.1.0
 */
export interface KnownKeys extends Place {
  readonly known: ReadonlyArray<string>
  readonly notYet?: ReadonlyArray<string>
  readonly code?: string
  readonly strayLevel?: Diagnostic["level"]
}

/**
 * The diagnostics of an object's keys, in their order.
 *
 * **Example**
 *
 * ```ts
 * ConfigKeys.check({ comand: "node" }, { path: "mcpServers.a", known: ["command"] })
 * // => [{ level: "warning", code: "unknown-key", path: "mcpServers.a.comand", message: ... }]
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const check = (object: object, keys: KnownKeys): ReadonlyArray<Diagnostic> =>
  Object.keys(object).filter((key) => !keys.known.includes(key)).map((key) => {
    const place = { ...keys, path: keys.path === "" ? key : `${keys.path}.${key}` }
    return keys.notYet?.includes(key) === true ? notYet(place) : unknown(key, place)
  })

/**
 * A key that nobody knows; names the closest known one. Unlike in {@link check}, `path` is the key's own.
 *
 * @category constructors
 * @since 0.1.0
 */
export const unknown = (
  key: string,
  { code = "unknown-key", known, notYet: later = [], strayLevel = "warning", ...place }: KnownKeys
): Diagnostic => {
  const [close] = Suggestion.closest(key, [...known, ...later], 1)
  return close === undefined
    ? make(place, strayLevel, code, `"${place.path}" is unknown and was ignored`)
    : make(place, "warning", code, `"${place.path}" is unknown; did you mean "${close}"?`)
}

/**
 * A key that has no effect in this version.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notYet = (place: Place): Diagnostic =>
  make(place, "info", "not-supported-yet", `"${place.path}" is not supported yet and has no effect`)

/** Nobody waits for less than this on purpose, and other programs count in seconds. */
const SUSPICIOUS_MILLIS = 1000

/**
 * Asks whether seconds were meant where a time in milliseconds is below a second.
 *
 * @category operations
 * @since 0.1.0
 */
export const checkMillis = (millis: number | undefined, place: Place): ReadonlyArray<Diagnostic> =>
  millis === undefined || millis >= SUSPICIOUS_MILLIS ? [] : [make(
    place,
    "warning",
    "timeout-below-second",
    `"${place.path}" is ${millis} milliseconds; were seconds meant (${millis * 1000})?`
  )]

const make = ({ entry, path }: Place, level: Diagnostic["level"], code: string, message: string): Diagnostic => ({
  level,
  code,
  ...(entry === undefined ? {} : { entry }),
  path,
  message
})

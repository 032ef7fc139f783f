/**
 * Looks at what a program gives and no type checker may have seen, before anything is built of it: a misspelled `policy`
 * would refuse nothing, and nobody would hear of it. What is wrong is a `TypeError`: it is the program's mistake.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Suggestion from "./Suggestion.ts"

/**
 * What belongs under a key; `what` are words that follow "must be".
 *
 * @category models
 * @since 0.1.0
 */
export interface Expectation {
  readonly fits: (value: unknown) => boolean
  readonly what: string
}

/**
 * **Details**
 *
 * - `owner`: whose options these are, e.g. `a toolkit`
 * - `keys`: what belongs under each; a record, so that none can be forgotten
 * - `otherNames`: what is called otherwise elsewhere, by that name; a spelling that comes near is found without
 * - `named`: a key as a message has it. Default: `The KEY of OWNER`
 * - `isStrict`: a key that resembles none is a mistake as well, and so is one without a value. For what would mean more if
 *   a part of it were missed. Default: hosts hand on objects of their own
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<Keys extends string> {
  readonly owner: string
  readonly keys: Readonly<Record<Keys, Expectation>>
  readonly otherNames?: Readonly<Record<string, Keys>>
  readonly named?: (key: string) => string
  readonly isStrict?: boolean
}

/**
 * Throws a `TypeError` for the first mistake.
 *
 * **Example**
 *
 * ```ts
 * OptionCheck.check({ tol: "read" }, { owner: "a rule", keys: { tool: OptionCheck.text } })
 * // throws: "tol" is no option of a rule; did you mean "tool"?
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const check = <Keys extends string>(given: object, options: Options<Keys>): void => {
  const { isStrict = false, keys, named = (key) => `The ${key} of ${options.owner}`, otherNames, owner } = options
  const known = Object.keys(keys)
  const stray = Suggestion.misspelled(given, known, otherNames)
  if (stray !== undefined) {
    throw new TypeError(`"${stray[0]}" is no option of ${owner}; did you mean "${stray[1]}"?`)
  }
  const unknown = isStrict ? Object.keys(given).find((key) => !known.includes(key)) : undefined
  if (unknown !== undefined) {
    throw new TypeError(`"${unknown}" is no option of ${owner}; there are ${known.join(", ")}`)
  }
  for (const [key, { fits, what }] of Object.entries<Expectation>(keys)) {
    const value: unknown = Reflect.get(given, key)
    const isAbsent = value === undefined && !(isStrict && Object.hasOwn(given, key))
    if (!isAbsent && !fits(value)) throw new TypeError(`${named(key)} must be ${what}`)
  }
}

/**
 * For what somebody else looks at.
 *
 * @category expectations
 * @since 0.1.0
 */
export const anything: Expectation = { fits: () => true, what: "" }

/**
 * @category expectations
 * @since 0.1.0
 */
export const text: Expectation = { fits: Predicate.isString, what: "a text" }

/**
 * @category expectations
 * @since 0.1.0
 */
export const boolean: Expectation = { fits: Predicate.isBoolean, what: "true or false" }

/**
 * @category expectations
 * @since 0.1.0
 */
export const number: Expectation = { fits: Predicate.isNumber, what: "a number" }

/**
 * @category expectations
 * @since 0.1.0
 */
export const functionOf = (what: string): Expectation => ({ fits: Predicate.isFunction, what })

/**
 * @category expectations
 * @since 0.1.0
 */
export const oneOf = (choices: ReadonlyArray<string>): Expectation => ({
  fits: (value) => choices.some((choice) => choice === value),
  what: `one of ${choices.join(", ")}`
})

/**
 * @category expectations
 * @since 0.1.0
 */
export const listOf = (what: string, fits: (item: unknown) => boolean = () => true): Expectation => ({
  fits: (value) => Array.isArray(value) && value.every(fits),
  what: `a list of ${what}`
})

/**
 * @category expectations
 * @since 0.1.0
 */
export const recordOf = (what: string, fits: (item: unknown) => boolean): Expectation => ({
  fits: (value) => Predicate.isObject(value) && Object.values(value).every(fits),
  what: `an object of ${what}`
})

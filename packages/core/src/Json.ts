/**
 * JSON values as the toolkit sees them: arguments, structured results, metadata and suspension state all are JSON, so
 * that they survive a file, a process or a wire.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * Any JSON value.
 *
 * @category models
 * @since 0.1.0
 */
export type Json = Schema.Json

/**
 * A JSON object.
 *
 * @category models
 * @since 0.1.0
 */
export type JsonObject = Schema.JsonObject

/**
 * Whether a value is JSON all the way down: no `undefined`, function, bigint, `NaN` or class instance.
 *
 * @category guards
 * @since 0.1.0
 */
export const isJson: (value: unknown) => value is Json = Schema.is(Schema.Json)

/**
 * Whether a value is a JSON object (not an array, not `null`) all the way down.
 *
 * @category guards
 * @since 0.1.0
 */
export const isJsonObject = (value: unknown): value is JsonObject =>
  Predicate.isObject(value) && !Array.isArray(value) && isJson(value)

/**
 * How much one is ready to work on: `levels` of nesting, and how many values in all.
 *
 * @category models
 * @since 0.1.0
 */
export interface Bounds {
  readonly levels: number
  readonly values: number
}

/**
 * Whether a value from elsewhere stays within bounds; a cycle doesn't.
 *
 * **Details**
 *
 * It is walked without recursion: `JSON.parse` reads any depth, while `JSON.stringify`, and much else that works on its
 * result, exhausts the stack some thousand levels down.
 *
 * **Example**
 *
 * ```ts
 * Json.isWithin([[[]]], { levels: 1, values: 100 }) // => false
 * ```
 *
 * @category guards
 * @since 0.1.0
 */
export const isWithin = (value: unknown, { levels, values }: Bounds): boolean => {
  let open: ReadonlyArray<object> = Predicate.isObjectOrArray(value) ? [value] : []
  let count = 1
  for (let level = 1; open.length > 0; level++) {
    const below: Array<object> = []
    for (const each of open) {
      // counted before they are looked at one by one: there may be millions
      const inner: ReadonlyArray<unknown> = Array.isArray(each) ? each : Object.values(each)
      count += inner.length
      if (count > values || inner.length > 0 && level > levels) return false
      for (const one of inner) if (Predicate.isObjectOrArray(one)) below.push(one)
    }
    open = below
  }
  return count <= values
}

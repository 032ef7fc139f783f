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
  const waiting: Array<readonly [value: unknown, level: number]> = [[value, 0]]
  let count = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [current, level] = next
    if (++count > values || level > levels) return false
    if (!Predicate.isObjectOrArray(current)) continue
    // counted before they are looked at one by one: there may be millions
    const inner = Array.isArray(current) ? current : Object.values(current)
    if (count + waiting.length + inner.length > values) return false
    for (const each of inner) waiting.push([each, level + 1])
  }
  return true
}

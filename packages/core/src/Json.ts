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

/**
 * A bounded copy of a schema: what comes from outside may be cyclic, endless or no JSON at all, and the original is never
 * touched. Objects of the copy have no prototype and occur once, so that an object is a place.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"

/**
 * A value within a schema.
 *
 * @category models
 * @since 0.1.0
 */
export type SchemaValue = SchemaObject | ReadonlyArray<SchemaValue> | string | number | boolean | null

/**
 * An object within a schema, mostly a schema itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface SchemaObject {
  readonly [key: string]: SchemaValue
}

/** Real schemas nest 21 deep and have 6,000 values; a schema without an end is over both bounds. */
const MAX_DEPTH = 256
const MAX_VALUES = 100_000

/** Long texts are descriptions and enums; all text of a schema together stays below this many characters. */
const MAX_CHARACTERS = 4_000_000

/**
 * Copies a schema; `undefined` if it is deeper than 256 levels, or larger than 100,000 values or 4,000,000 characters. A
 * getter of the original may throw.
 *
 * @category operations
 * @since 0.1.0
 */
export const copySchema = (schema: unknown): SchemaValue | undefined => {
  const room = { values: MAX_VALUES, characters: MAX_CHARACTERS }
  const copy = copyValue(schema, 0, room)
  return room.values < 0 || room.characters < 0 ? undefined : copy
}

interface Room {
  values: number
  characters: number
}

const copyValue = (value: unknown, depth: number, room: Room): SchemaValue | undefined => {
  room.values -= depth > MAX_DEPTH ? MAX_VALUES + 1 : 1
  if (room.values < 0 || room.characters < 0) return undefined
  if (typeof value === "string") {
    room.characters -= value.length
    return value
  }
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value
  if (Array.isArray(value)) return copyItems(value, depth, room)
  return Predicate.isObject(value) ? copyObject(value, depth, room) : undefined
}

const copyItems = (items: ReadonlyArray<unknown>, depth: number, room: Room): ReadonlyArray<SchemaValue> => {
  const copies: Array<SchemaValue> = []
  for (const item of items) {
    // a hole or a function is no JSON: `null`, as JSON itself writes it
    copies.push(copyValue(item, depth + 1, room) ?? null)
    if (room.values < 0) break
  }
  return copies
}

const copyObject = (
  object: { readonly [key: PropertyKey]: unknown },
  depth: number,
  room: Room
): SchemaObject => {
  const copy: Record<string, SchemaValue> = Object.create(null)
  for (const key of Object.keys(object)) {
    room.characters -= key.length
    const value = copyValue(object[key], depth + 1, room)
    if (room.values < 0) break
    if (value !== undefined) copy[key] = value
  }
  return copy
}

/**
 * @category guards
 * @since 0.1.0
 */
export const isSchemaObject = (value: SchemaValue | undefined): value is SchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * @category guards
 * @since 0.1.0
 */
export const isSchemaList = (value: SchemaValue | undefined): value is ReadonlyArray<SchemaValue> =>
  Array.isArray(value)

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"])

/**
 * The types that `type` allows, `undefined` if it says nothing that can be understood. `nullable` is OpenAPI's; schemas
 * made from OpenAPI operations mean it.
 *
 * @category operations
 * @since 0.1.0
 */
export const readTypes = (type: unknown, nullable: unknown): ReadonlyArray<string> | undefined => {
  if (typeof type === "string" && nullable !== true) return TYPES.has(type) ? [type] : undefined
  const types: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type]
  if (types.length === 0 || !types.every((name) => TYPES.has(name))) return undefined
  return [...new Set([...types.map(String), ...(nullable === true ? ["null"] : [])])]
}

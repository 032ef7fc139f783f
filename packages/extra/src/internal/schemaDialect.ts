/**
 * Schemas of an OpenAPI document as JSON Schema 2020-12, for requests: what 3.0 says in words of its own is translated,
 * what a server alone sets is left out, and what makes no sense is forgotten rather than passed on.
 */
import type { Json } from "@effect-toolnexus/core"
import { SCHEMA_KEYWORDS } from "@effect-toolnexus/core/SchemaDocument"
import { isList, isObject } from "./json.ts"

/** Translates one schema; `refer` says what a reference becomes, and is told every one. */
export const translate = (schema: Json.Json, refer: (reference: string) => string): Json.Json => {
  if (typeof schema === "boolean") return schema
  if (!isObject(schema)) return {}
  const translated: Record<string, Json.Json> = {}
  const { $ref: reference, ...rest } = schema
  if (typeof reference === "string") translated["$ref"] = refer(reference)
  for (const [key, value] of Object.entries(rest)) {
    const kept = keep(key, value, schema, refer)
    if (kept !== undefined) define(translated, key, kept)
  }
  return nullable(schema, exclusive(schema, examples(schema, tuple(translated))))
}

const { list, map, one } = SCHEMA_KEYWORDS

const keep = (
  key: string,
  value: Json.Json,
  schema: Json.JsonObject,
  refer: (reference: string) => string
): Json.Json | undefined => {
  const inner = (each: Json.Json) => translate(each, refer)
  if (DROPPED.has(key) || key.startsWith("x-")) return undefined
  if (key === "type") return typeOf(value)
  if (key === "properties") return isObject(value) ? mapValues(sendable(value), inner) : undefined
  if (key === "required") return requiredOf(schema)
  if (key === "enum") return isList(value) && value.length > 0 ? value : undefined
  if (key === "examples") return isList(value) ? value : undefined
  if (NUMBERS.has(key)) return typeof value === "number" ? value : undefined
  if (TEXTS.has(key)) return typeof value === "string" ? value : undefined
  // in `dependencies` a list is one of names
  if (map.has(key)) return isObject(value) ? mapValues(value, (each) => isList(each) ? each : inner(each)) : undefined
  if (key === "items" && isList(value)) return value.map(inner)
  if (one.has(key)) return isObject(value) || typeof value === "boolean" ? inner(value) : undefined
  if (list.has(key)) return isList(value) && value.length > 0 ? value.map(inner) : undefined
  return value
}

/** Words about the schema and not about the value, and what would give it another base. */
const DROPPED: ReadonlySet<string> = new Set([
  "$anchor",
  "$id",
  "$schema",
  "discriminator",
  "example",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "externalDocs",
  "nullable",
  "readOnly",
  "writeOnly",
  "xml"
])

const NUMBERS: ReadonlySet<string> = new Set([
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf"
])

const TEXTS: ReadonlySet<string> = new Set([
  "contentEncoding",
  "contentMediaType",
  "description",
  "format",
  "pattern",
  "title"
])

const TYPES: ReadonlySet<Json.Json> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"])

/** Swagger 2.0 has a type `file`; others are somebody's own, and mean anything. */
const typeOf = (value: Json.Json): Json.Json | undefined => {
  if (value === "file") return "string"
  if (!isList(value)) return TYPES.has(value) ? value : undefined
  const types = [...new Set(value.filter((each) => TYPES.has(each)))]
  return types.length === 0 ? undefined : types
}

/** What a server alone sets isn't sent (OpenAPI 3.0.4, "readOnly"). */
const isSetByServer = (property: Json.Json | undefined): boolean => isObject(property) && property["readOnly"] === true

const sendable = (properties: Json.JsonObject): Json.JsonObject =>
  Object.fromEntries(Object.entries(properties).filter(([, property]) => !isSetByServer(property)))

const requiredOf = ({ properties, required }: Json.JsonObject): Json.Json | undefined => {
  if (!isList(required)) return undefined
  const names = [...new Set(required)].filter((name) =>
    typeof name === "string" &&
    !(isObject(properties) && Object.hasOwn(properties, name) && isSetByServer(properties[name]))
  )
  return names.length === 0 ? undefined : names
}

const mapValues = (object: Json.JsonObject, change: (value: Json.Json) => Json.Json): Json.JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))

/** A key may be `__proto__`. */
const define = (object: Record<string, Json.Json>, key: string, value: Json.Json) =>
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })

/** A list of `items` is one schema for each place in older drafts. */
const tuple = (schema: Json.JsonObject): Json.JsonObject => {
  const { items, ...rest } = schema
  return isList(items) ? { ...rest, prefixItems: items } : schema
}

const examples = ({ example }: Json.JsonObject, schema: Json.JsonObject): Json.JsonObject =>
  example === undefined || schema["examples"] !== undefined ? schema : { ...schema, examples: [example] }

/** A boolean beside a bound in OpenAPI 3.0, a bound of its own since. */
const exclusive = (
  { exclusiveMaximum, exclusiveMinimum, maximum, minimum }: Json.JsonObject,
  schema: Json.JsonObject
): Json.JsonObject => {
  const bounds: Record<string, Json.Json> = { ...schema }
  if (typeof exclusiveMinimum === "number") bounds["exclusiveMinimum"] = exclusiveMinimum
  if (typeof exclusiveMaximum === "number") bounds["exclusiveMaximum"] = exclusiveMaximum
  if (exclusiveMinimum === true && typeof minimum === "number") {
    delete bounds["minimum"]
    bounds["exclusiveMinimum"] = minimum
  }
  if (exclusiveMaximum === true && typeof maximum === "number") {
    delete bounds["maximum"]
    bounds["exclusiveMaximum"] = maximum
  }
  return bounds
}

/** A third value beside the type in OpenAPI 3.0, which also counts beside a reference: that is how it is used. */
const nullable = (source: Json.JsonObject, schema: Json.JsonObject): Json.JsonObject => {
  if (source["nullable"] !== true) return schema
  const { enum: values, type } = schema
  const { description, ...rest } = schema
  if (typeof type !== "string" && !isList(type)) {
    const isAnything = Object.keys(rest).every((key) => ["default", "examples", "title"].includes(key))
    const note = description === undefined ? {} : { description }
    return isAnything ? schema : { anyOf: [rest, { type: "null" }], ...note }
  }
  const types = isList(type) ? type : [type]
  return {
    ...schema,
    type: types.includes("null") ? types : [...types, "null"],
    ...(isList(values) && !values.includes(null) ? { enum: [...values, null] } : {})
  }
}

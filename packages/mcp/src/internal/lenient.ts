/** How what a server sent is looked at, whatever it is. */
import { type Bounds, isJson, type Json, type JsonObject } from "@effect-toolnexus/core/Json"
import * as Predicate from "effect/Predicate"

/** No honest answer comes near. What works on deeper ones recurses, and would exhaust the stack. */
export const ANSWER_BOUNDS: Bounds = { levels: 200, values: 1_000_000 }

/** A model reads no more parts of an answer than that, and a host keeps none of more. */
export const MAX_PARTS = 10_000

/** The text that stands there, if one does. */
export const textIn = (raw: unknown, key: string): string | undefined => {
  if (!Predicate.hasProperty(raw, key)) return undefined
  const value = raw[key]
  return typeof value === "string" ? value : undefined
}

/** `1e999` is JSON text, but what it is read as is not; and a server in this process may send anything. */
export const toJson = (value: unknown): Json => {
  if (Array.isArray(value)) return value.map(toJson)
  return Predicate.isObject(value) ? toJsonObject(value) : isJson(value) ? value : null
}

export const toJsonObject = (value: object): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]))

export const mimeTypeOf = (raw: unknown): { readonly mimeType?: string } => {
  const mimeType = textIn(raw, "mimeType")
  return mimeType === undefined ? {} : { mimeType }
}

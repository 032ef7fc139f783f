/** Looking into JSON that somebody else wrote: whatever isn't of the kind that is asked for isn't there. */
import { type Json, Text } from "@effect-toolnexus/core"

export const isObject = (value: Json.Json | undefined): value is Json.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isList = (value: Json.Json | undefined): value is ReadonlyArray<Json.Json> => Array.isArray(value)

/** Names come from outside: `constructor` is a key like any. */
export const at = (object: Json.JsonObject, key: string): Json.Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

export const textAt = (object: Json.JsonObject, key: string): string | undefined => {
  const value = at(object, key)
  return typeof value === "string" ? value : undefined
}

export const objectAt = (object: Json.JsonObject, key: string): Json.JsonObject => {
  const value = at(object, key)
  return isObject(value) ? value : EMPTY
}

export const listAt = (object: Json.JsonObject, key: string): ReadonlyArray<Json.Json> => {
  const value = at(object, key)
  return isList(value) ? value : []
}

/** A text as a message quotes it: what identifies it, and not the megabyte that it may be. */
export const shown = (text: string): string => JSON.stringify(Text.cut(text, MAX_SHOWN, "…"))

const MAX_SHOWN = 120

const EMPTY: Json.JsonObject = {}

/** What a keyword asks for, and what a value is, in a few words. */
import { Text } from "@effect-toolnexus/core"
import type { ErrorObject } from "ajv/dist/2020.js"
import * as Predicate from "effect/Predicate"

/** Longer texts are cut; the model knows what it sent. */
const MAX_TEXT = 60

/** So many allowed values are listed. */
const MAX_LISTED = 10

export const describeValue = (value: unknown): string => {
  if (typeof value === "string") return quote(value)
  if (Array.isArray(value)) return `an array of ${count(value.length, "item")}`
  if (Predicate.isObject(value)) return "an object"
  return typeof value === "function" || typeof value === "symbol" ? `a ${typeof value}` : String(value)
}

const quote = (text: string): string =>
  text.length <= MAX_TEXT ? JSON.stringify(text) : `${JSON.stringify(Text.cut(text, MAX_TEXT)).slice(0, -1)}…"`

/** Of an allowed value, which may be an object, its JSON. */
const listed = (value: unknown): string => {
  if (typeof value === "string" || !Predicate.isObjectOrArray(value)) return describeValue(value)
  const text = JSON.stringify(value)
  return Text.cut(text, MAX_TEXT, "…")
}

const count = (amount: unknown, noun: string): string =>
  `${String(amount)} ${amount === 1 ? noun : noun === "property" ? "properties" : `${noun}s`}`

const TYPES: ReadonlyMap<string, string> = new Map([
  ["array", "an array"],
  ["boolean", "true or false"],
  ["integer", "an integer"],
  ["null", "null"],
  ["number", "a number"],
  ["object", "an object"],
  ["string", "a string"]
])

const typeNames = (types: unknown): string =>
  (Array.isArray(types) ? types : [types]).map((name) => TYPES.get(String(name)) ?? String(name)).join(" or ")

const allowedValues = (values: unknown): string => {
  if (!Array.isArray(values)) return "an allowed value"
  const shown = values.slice(0, MAX_LISTED).map(listed).join(", ")
  const more = values.length - MAX_LISTED
  if (values.length === 1) return shown
  return `one of ${shown}${more > 0 ? ` and ${more} more` : ""}`
}

/** What goes into "expected ..., got ...". */
export const expectation = (
  { keyword, params, schema }: Pick<ErrorObject, "keyword" | "params" | "schema">
): string => {
  const limit = schema ?? params["limit"]
  return EXPECTATIONS.get(keyword)?.(limit) ?? `something else (${keyword})`
}

const EXPECTATIONS: ReadonlyMap<string, (limit: unknown) => string> = new Map([
  ["const", listed],
  ["contains", () => "another number of items that fit what the array must contain"],
  ["enum", allowedValues],
  ["exclusiveMaximum", (limit: unknown) => `a number below ${String(limit)}`],
  ["exclusiveMinimum", (limit: unknown) => `a number above ${String(limit)}`],
  ["items", () => "fewer items"],
  ["maxItems", (limit: unknown) => `at most ${count(limit, "item")}`],
  ["maxLength", (limit: unknown) => `at most ${count(limit, "character")}`],
  ["maxProperties", (limit: unknown) => `at most ${count(limit, "property")}`],
  ["maximum", (limit: unknown) => `a number of at most ${String(limit)}`],
  ["minItems", (limit: unknown) => `at least ${count(limit, "item")}`],
  ["minLength", (limit: unknown) => `at least ${count(limit, "character")}`],
  ["minProperties", (limit: unknown) => `at least ${count(limit, "property")}`],
  ["minimum", (limit: unknown) => `a number of at least ${String(limit)}`],
  ["multipleOf", (limit: unknown) => `a multiple of ${String(limit)}`],
  ["pattern", (limit: unknown) => `text that matches ${Text.cut(String(limit), 200)}`],
  ["type", typeNames],
  ["unevaluatedItems", () => "fewer items"],
  ["uniqueItems", () => "items that all differ"]
])

/**
 * How a value is written where it isn't JSON: in a path, a query, a header, a cookie, a field of a form. The styles are
 * those of OpenAPI (3.1.1, "Style Values"), which are RFC 6570's.
 */
import type { Json } from "@effect-toolnexus/core"
import { isList, isObject } from "./json.ts"

export type Style = "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject"

export interface Encoding {
  readonly style: Style
  /** Each element by itself (`a=1&a=2`), or all of them as one value (`a=1,2`). */
  readonly explode: boolean
  /** Leaves those reserved characters alone that can't end a value. */
  readonly allowReserved?: boolean
}

/** A path segment's part: never several parameters, but maybe several values. */
export const toPath = (name: string, value: Json.Json, { explode, style }: Encoding): string => {
  const write = (item: Json.Json) => escape(textOf(item))
  switch (style) {
    case "label":
      return listed(value, write, explode, explode ? "." : ",").map((list) => `.${list}`).join("")
    case "matrix":
      return matrix(name, value, write, explode)
    default:
      return listed(value, write, explode, ",").join("")
  }
}

/** The same without escapes: a header's value is text (OpenAPI 3.1.1, "Parameter Object"). */
export const toHeader = (value: Json.Json, { explode }: Encoding): string =>
  listed(value, textOf, explode, ",").join("")

/** Pairs `name=value`, encoded and in order; none where there is nothing to say. */
export const toPairs = (name: string, value: Json.Json, encoding: Encoding): ReadonlyArray<string> => {
  const write = encoding.allowReserved === true
    ? (item: Json.Json) => escapeSome(textOf(item))
    : (item: Json.Json) => escape(textOf(item))
  const pair = (key: string, text: string) => `${escape(key)}=${text}`
  if (isList(value)) {
    if (value.length === 0) return []
    if (encoding.style === "deepObject") return deep(name, value, pair)
    return encoding.explode
      ? value.map((item) => pair(name, write(item)))
      : [pair(name, value.map(write).join(DELIMITERS[encoding.style]))]
  }
  if (isObject(value)) {
    const entries = Object.entries(value)
    if (encoding.style === "deepObject") return deep(name, value, pair)
    if (encoding.explode) return entries.map(([key, item]) => pair(key, write(item)))
    const words = entries.flatMap(([key, item]) => [escape(key), write(item)])
    return entries.length === 0 ? [] : [pair(name, words.join(DELIMITERS[encoding.style]))]
  }
  return [pair(name, write(value))]
}

const DELIMITERS: Readonly<Record<Style, string>> = {
  simple: ",",
  label: ",",
  matrix: ",",
  form: ",",
  deepObject: ",",
  spaceDelimited: "%20",
  pipeDelimited: "%7C"
}

type Write = (item: Json.Json) => string

/** At most one text: an empty list has none. */
const listed = (value: Json.Json, write: Write, explode: boolean, separator: string): ReadonlyArray<string> => {
  const words = wordsOf(value, write, explode)
  return words.length === 0 ? [] : [words.join(separator)]
}

const wordsOf = (value: Json.Json, write: Write, explode: boolean): ReadonlyArray<string> => {
  if (isList(value)) return value.map(write)
  if (!isObject(value)) return [write(value)]
  return Object.entries(value).flatMap(([key, item]) =>
    explode ? [`${write(key)}=${write(item)}`] : [write(key), write(item)]
  )
}

const matrix = (name: string, value: Json.Json, write: Write, explode: boolean): string => {
  const key = escape(name)
  if (isList(value) && explode) return value.map((item) => `;${key}=${write(item)}`).join("")
  if (isObject(value) && explode) {
    return Object.entries(value).map(([each, item]) => `;${escape(each)}=${write(item)}`).join("")
  }
  return listed(value, write, false, ",").map((list) => `;${key}=${list}`).join("")
}

/** `a[b][c]=1`; what lies in lists is counted: `a[b][0]=1`. Arguments nest no deeper than a call may. */
const deep = (
  name: string,
  value: Json.Json,
  pair: (key: string, text: string) => string
): ReadonlyArray<string> => {
  if (!isList(value) && !isObject(value)) return [pair(name, escape(textOf(value)))]
  return Object.entries(value).flatMap(([key, item]) => deep(`${name}[${key}]`, item, pair))
}

/** What lies deeper than a style reaches is JSON: that can be read again, and `[object Object]` can't. */
export const textOf = (value: Json.Json): string => typeof value === "string" ? value : JSON.stringify(value)

/** Everything but what RFC 3986 calls unreserved. A lone surrogate can't be encoded at all. */
export const escape = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** `&`, `#`, `+`, `=`, brackets and percent signs would be read as something else. */
const escapeSome = (text: string): string =>
  escape(text).replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/g, (escaped) => decodeURIComponent(escaped))

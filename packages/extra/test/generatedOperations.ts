/**
 * Operations and arguments by chance, and a reader of what arrives that is written from the specification: it shares
 * nothing with what wrote it.
 */
import type { Json } from "@effect-toolnexus/core"
import type { Seen } from "./support.ts"

/** Deterministic numbers (mulberry32). */
export const random = (seed: number) => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6D2B79F5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <A>(items: ReadonlyArray<A>, otherwise: A): A => items[below(items.length)] ?? otherwise
  return { below, pick, chance: (part: number) => next() < part }
}

type Random = ReturnType<typeof random>

type Place = "path" | "query" | "header" | "cookie"
type Primitive = string | number | boolean
type Value = Primitive | ReadonlyArray<Primitive> | Readonly<Record<string, Primitive>>

interface Generated {
  readonly name: string
  readonly in: Place
  readonly style: string
  readonly explode: boolean
  readonly value: Value
}

export interface Case {
  readonly path: string
  readonly method: string
  readonly operation: Json.JsonObject
  readonly args: Json.JsonObject
  /** What the request must say, found in it by reading; each a description of a difference. */
  readonly differences: (seen: Seen) => Promise<ReadonlyArray<string>>
}

const NASTY = [
  "a",
  "Z",
  "0",
  " ",
  ",",
  ";",
  "=",
  "&",
  "/",
  "?",
  "#",
  "%",
  "+",
  "é",
  "漢",
  "😀",
  "'",
  "\"",
  "|",
  "[",
  "]",
  "\\",
  "{",
  "}",
  "~",
  "-",
  "_",
  "<",
  "\n",
  ":",
  "@",
  "$",
  "!",
  "*",
  "("
]
const PLAIN = ["a", "Z", "0", "-", "_", "x", "!", "#", "%", "é"]

const STYLES: Readonly<Record<Place, ReadonlyArray<string>>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"]
}

const text = (dice: Random, place: Place | "body"): string =>
  Array.from({ length: 1 + dice.below(6) }, () => dice.pick(place === "header" ? PLAIN : NASTY, "a")).join("")

const primitive = (dice: Random, place: Place | "body"): Primitive => {
  const kind = dice.below(4)
  return kind === 0 ? dice.below(2000) - 1000 : kind === 1 ? dice.chance(0.5) : text(dice, place)
}

const list = (dice: Random, place: Place | "body") =>
  Array.from({ length: 1 + dice.below(4) }, () => primitive(dice, place))

/** Keys of one parameter are no other's: exploded, they stand beside its name. */
const object = (dice: Random, place: Place | "body", name: string): Readonly<Record<string, Primitive>> =>
  Object.fromEntries(
    Array.from({ length: 1 + dice.below(3) }, (_, index) => [`${name}k${index}`, primitive(dice, place)])
  )

const makeParameter = (dice: Random, place: Place, index: number): Generated => {
  const name = `${place}-${index}`
  const style = dice.pick(STYLES[place], "form")
  const isDeep = style === "deepObject"
  const kind = isDeep ? 2 : style.endsWith("Delimited") ? 1 : dice.below(3)
  // behind the dot of a label some words would be a step up, which is refused
  const words = style === "label" ? "header" : place
  const value = kind === 0 ? primitive(dice, words) : kind === 1 ? list(dice, words) : object(dice, words, name)
  // in a cookie the pairs of an exploded value are told apart by nothing (OpenAPI 3.1.1, appendix D)
  const explode = isDeep || (place !== "cookie" && !style.endsWith("Delimited") && dice.chance(0.5))
  return { name, in: place, style, explode, value }
}

export const generate = (seed: number): Case => {
  const dice = random(seed)
  const places: ReadonlyArray<Place> = ["path", "query", "header", "cookie"]
  const parameters = places.flatMap((place) =>
    Array.from({ length: place === "path" ? 1 : dice.below(3) }, (_, index) => makeParameter(dice, place, index))
  )
  const body = dice.chance(0.6) ? makeBody(dice) : undefined
  const order = dice.chance(0.5) ? parameters : parameters.toReversed()
  const segments = parameters.filter((each) => each.in === "path").map(({ name }) => `{${name}}`)
  return {
    path: `/case${seed}/${segments.join("/")}/end`,
    method: body === undefined ? "get" : "post",
    operation: {
      operationId: `case${seed}`,
      parameters: order.map(({ explode, in: place, name, style }) => ({
        name,
        in: place,
        style,
        explode,
        required: place === "path",
        schema: {}
      })),
      ...(body === undefined
        ? {}
        : { requestBody: { required: true, content: { [body.mediaType]: { schema: body.schema } } } })
    },
    args: {
      ...Object.fromEntries(parameters.map(({ name, value }) => [name, value])),
      ...(body === undefined ? {} : { body: body.value })
    },
    differences: async (seen) => [
      ...parameters.flatMap((each) => differenceOf(each, seen)),
      ...(body === undefined ? [] : await body.differences(seen))
    ]
  }
}

/** What a reader of text knows of a value: words. */
const wordsOf = (value: Value): unknown =>
  typeof value !== "object" ?
    String(value)
    : Array.isArray(value) ?
    value.map(String)
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, String(item)]))

const wordList = (value: Value): ReadonlyArray<string> =>
  typeof value !== "object" ? [String(value)] : Object.values(value).map(String)

const kindOf = (value: Value): "one" | "list" | "map" =>
  typeof value !== "object" ? "one" : Array.isArray(value) ? "list" : "map"

const differenceOf = (parameter: Generated, seen: Seen): ReadonlyArray<string> => {
  const read = JSON.stringify(readers[parameter.in](parameter, seen))
  const expected = JSON.stringify(wordsOf(parameter.value))
  return read === expected
    ? []
    : [`${parameter.in} ${parameter.style} ${parameter.explode}: ${read} instead of ${expected} in ${seen.target}`]
}

const decode = (raw: string) => decodeURIComponent(raw)

/** Words apart by a delimiter, decoded only when they are apart. */
const apart = (
  raw: string,
  delimiter: string,
  kind: "one" | "list" | "map",
  explode: boolean,
  read = decode
): unknown => {
  const words = raw.split(delimiter)
  if (kind === "one") return read(raw)
  if (kind === "list") return words.map(read)
  if (explode) return Object.fromEntries(words.map((word) => [read(before(word)), read(after(word))]))
  return Object.fromEntries(
    Array.from(
      { length: words.length / 2 },
      (_, index) => [read(words[index * 2] ?? ""), read(words[index * 2 + 1] ?? "")]
    )
  )
}

const before = (pair: string) => pair.slice(0, pair.indexOf("="))
const after = (pair: string) => pair.slice(pair.indexOf("=") + 1)

const readers: Readonly<Record<Place, (parameter: Generated, seen: Seen) => unknown>> = {
  path: ({ explode, name, style, value }, { path }) => {
    const raw = path.split("/")[2 + Number(name.split("-")[1])] ?? ""
    const kind = kindOf(value)
    if (style === "simple") return apart(raw, ",", kind, explode)
    if (style === "label") return apart(raw.slice(1), explode && kind !== "one" ? "." : ",", kind, explode)
    const parts = raw.slice(1).split(";")
    if (kind === "one" || !explode) return apart(after(raw), ",", kind, false)
    return kind === "list" ? parts.map((part) => decode(after(part))) : apart(raw.slice(1), ";", kind, true)
  },
  query: ({ explode, name, style, value }, { query }) => {
    const pairs = query.split("&").map((pair) => [decode(before(pair)), after(pair)] as const)
    const own = pairs.filter(([key]) => key === name).map(([, raw]) => raw)
    const kind = kindOf(value)
    if (style === "deepObject") {
      return Object.fromEntries(
        pairs.filter(([key]) => key.startsWith(`${name}[`)).map((
          [key, raw]
        ) => [key.slice(name.length + 1, -1), decode(raw)])
      )
    }
    if (explode && kind === "list") return own.map(decode)
    if (explode && kind === "map") {
      return Object.fromEntries(
        pairs.filter(([key]) => key.startsWith(`${name}k`)).map(([key, raw]) => [key, decode(raw)])
      )
    }
    const delimiter = style === "spaceDelimited" ? "%20" : style === "pipeDelimited" ? "%7C" : ","
    // a word that holds the delimiter itself can't be told from two (OpenAPI 3.1.1, "Style Examples")
    return delimiter === ","
      ? apart(own[0] ?? "", ",", kind, false)
      : own[0] === wordList(value).map(strict).join(delimiter)
      ? wordsOf(value)
      : own[0]
  },
  header: ({ explode, name, value }, { headers }) =>
    apart(String(headers[name]), ",", kindOf(value), explode, (raw) => raw),
  cookie: ({ name, value }, { headers }) => {
    const raw = String(headers.cookie).split("; ").find((pair) => before(pair) === name) ?? ""
    return apart(after(raw), ",", kindOf(value), false)
  }
}

const strict = (word: string) =>
  Array.from(
    Buffer.from(word),
    (byte) =>
      /[A-Za-z0-9\-._~]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  ).join("")

interface Body {
  readonly mediaType: string
  readonly schema: Json.JsonObject
  readonly value: Json.Json
  readonly differences: (seen: Seen) => Promise<ReadonlyArray<string>>
}

const makeBody = (dice: Random): Body => {
  const fields: Readonly<Record<string, Json.Json>> = {
    one: primitive(dice, "body"),
    [text(dice, "body")]: text(dice, "body"),
    list: list(dice, "body"),
    map: { ...object(dice, "body", "m"), deep: [1, { a: text(dice, "body") }] }
  }
  const compare = (read: unknown, expected: unknown) => {
    const [left, right] = [JSON.stringify(read), JSON.stringify(expected)]
    return left === right ? [] : [`body: ${left} instead of ${right}`]
  }
  switch (dice.below(4)) {
    case 0:
      return {
        mediaType: "application/x-www-form-urlencoded",
        schema: { type: "object" },
        value: fields,
        differences: async ({ body }) => compare([...new URLSearchParams(body.toString())], pairsOf(fields))
      }
    case 1:
      return {
        mediaType: "multipart/form-data",
        schema: { type: "object", properties: { file: { type: "string", format: "binary" } } },
        value: { ...fields, file: "data:;base64,AP8NCi0t" },
        differences: async ({ body, headers }) => {
          const response = new Response(new Uint8Array(body), {
            headers: { "content-type": headers["content-type"] ?? "" }
          })
          const form = [...await response.formData()]
          const file = form.pop()?.[1]
          const bytes = file instanceof File ? [...await file.bytes()] : file
          return [
            ...compare(form.map(([name, each]) => [name, each]), pairsOf(fields)),
            ...compare(bytes, [0, 255, 13, 10, 45, 45])
          ]
        }
      }
    case 2:
      return {
        mediaType: "text/plain",
        schema: { type: "string" },
        value: `${text(dice, "body")}\r\n`,
        differences: async ({ body }) => compare(body.toString().endsWith("\r\n"), true)
      }
    default:
      return {
        mediaType: "application/json",
        schema: {},
        value: fields,
        differences: async ({ body }) => compare(JSON.parse(body.toString()), fields)
      }
  }
}

const pairsOf = (fields: Readonly<Record<string, Json.Json>>): ReadonlyArray<readonly [string, string]> =>
  Object.entries(fields).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
    Array.isArray(value)
      ? value.map((item): readonly [string, string] => [name, String(item)])
      : [[name, typeof value === "object" ? JSON.stringify(value) : String(value)]]
  )

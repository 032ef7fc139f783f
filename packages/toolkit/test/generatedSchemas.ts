/** Random schemas, each with valid values of its declared properties: as servers write them, and as they shouldn't. */
import type { Json } from "@effect-toolnexus/core"

export type Random = () => number

/** Mulberry32: the same numbers for the same seed everywhere. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

type Schema = Record<string, Json.Json>

export interface Generated {
  readonly schema: Schema | boolean
  /** A valid value, mostly: who needs to be sure checks it. */
  readonly value: () => Json.Json
}

const pick = <A>(random: Random, [first, ...others]: readonly [A, ...ReadonlyArray<A>]): A => {
  const index = Math.floor(random() * (others.length + 1))
  return index === 0 ? first : others[index - 1] ?? first
}

const chance = (random: Random, share: number): boolean => random() < share

const integer = (random: Random, most: number): number => Math.floor(random() * (most + 1))

const KEYS = [
  "a",
  "b",
  "kind",
  "key",
  "value",
  "json_text",
  "x-y",
  "x_y",
  "$filter",
  "größe",
  "größe!",
  "gr__e",
  "filter[name]",
  "9lives",
  "a.b",
  "constructor",
  "__proto__",
  "k".repeat(70),
  `${"k".repeat(70)}2`,
  "title",
  "default",
  "$ref",
  "with space"
] as const

/** Names within values of any kind: there, an object with the one text `json_text` is what it says. */
const OWN_KEYS = ["json", "a", "x-y", "x_y", "$filter", "key", "value", "__proto__", "größe"] as const

const TEXTS = ["", "a", "b", "kaput", "null", "{}", "[1]", "ünïcode", "a\nb", "42"] as const

const anyValue = (random: Random, depth = 2): Json.Json => {
  switch (integer(random, depth > 0 ? 6 : 3)) {
    case 0:
      return pick(random, TEXTS)
    case 1:
      return integer(random, 1000) / 8
    case 2:
      return chance(random, 0.5)
    case 3:
      return null
    case 4:
      return Array.from({ length: integer(random, 2) }, () => pick(random, TEXTS))
    default:
      return objectOf(
        Array.from({ length: integer(random, 3) }, () => [pick(random, OWN_KEYS), anyValue(random, depth - 1)])
      )
  }
}

const objectOf = (entries: ReadonlyArray<readonly [string, Json.Json]>): Schema => Object.fromEntries(entries)

const string = (random: Random): Generated => {
  const schema: Schema = { type: "string" }
  if (chance(random, 0.2)) schema["format"] = pick(random, ["uri", "date-time", "x-unknown"])
  if (chance(random, 0.2)) schema["minLength"] = 0
  if (chance(random, 0.1)) schema["pattern"] = pick(random, ["^[^]*$", "^(?!x)", "(", "\\p{L}*"])
  return { schema, value: () => pick(random, TEXTS) }
}

const listed = (random: Random): Generated => {
  const values = Array.from(
    { length: 1 + integer(random, 3) },
    () => pick<Json.Json>(random, [...TEXTS, 1, 2.5, true, null, { a: 1 }])
  )
  if (chance(random, 0.4)) {
    const [only = null] = values
    return { schema: { const: only }, value: () => only }
  }
  return { schema: { enum: values }, value: () => values[integer(random, values.length - 1)] ?? null }
}

const number = (random: Random): Generated => {
  const least = integer(random, 5)
  const bound = pick(random, ["minimum", "exclusiveMinimum"])
  return chance(random, 0.5)
    ? { schema: { type: "integer", [bound]: least }, value: () => least + 1 + integer(random, 9) }
    : { schema: { type: "number", [bound]: least, multipleOf: 0.5 }, value: () => least + 1 + integer(random, 9) / 2 }
}

const array = (random: Random, inner: Generated): Generated => ({
  schema: { type: "array", items: inner.schema, ...(chance(random, 0.3) ? { minItems: 0, uniqueItems: false } : {}) },
  value: () => Array.from({ length: integer(random, 3) }, inner.value)
})

const tuple = (random: Random, inner: ReadonlyArray<Generated>): Generated => ({
  schema: {
    type: "array",
    prefixItems: inner.map(({ schema }) => schema),
    items: false,
    ...(chance(random, 0.5) ? { minItems: inner.length } : {})
  },
  value: () => inner.map(({ value }) => value())
})

const record = (random: Random, inner: Generated): Generated => ({
  schema: chance(random, 0.3)
    ? { type: "object", patternProperties: { "^": inner.schema }, additionalProperties: false }
    : {
      type: "object",
      additionalProperties: inner.schema,
      ...(chance(random, 0.3) ? { propertyNames: { minLength: 0 } } : {})
    },
  value: () => objectOf(Array.from({ length: integer(random, 3) }, () => [pick(random, OWN_KEYS), inner.value()]))
})

export const object = (random: Random, next: () => Generated): Generated => {
  const names = [...new Set(Array.from({ length: 1 + integer(random, 3) }, () => pick(random, KEYS)))]
  const properties = names.map((name) => ({ name, isRequired: chance(random, 0.4), ...next() }))
  const required = properties.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const extra = integer(random, 3)
  return {
    schema: {
      type: "object",
      properties: objectOf(properties.map(({ name, schema }) => [name, schema])),
      ...(required.length > 0 ? { required } : {}),
      ...(extra === 0 ? { additionalProperties: false } : {}),
      ...(extra === 1 ? { additionalProperties: { type: "string" } } : {})
    },
    value: () =>
      objectOf(
        properties.filter(({ isRequired }) => isRequired || chance(random, 0.5)).map((
          { name, value }
        ) => [name, value()])
      )
  }
}

const union = (random: Random, branches: ReadonlyArray<Generated>): Generated => {
  const value = () => (branches[integer(random, branches.length - 1)] ?? NOTHING).value()
  // null may be in several branches, and then isn't valid in `oneOf`
  return chance(random, 0.5)
    ? { schema: { anyOf: branches.map(({ schema }) => schema) }, value }
    : { schema: { oneOf: branches.map(({ schema }) => schema) }, value: () => value() ?? value() ?? "a" }
}

const NOTHING: Generated = { schema: { type: "null" }, value: () => null }

const nullable = (random: Random, { schema, value }: Generated): Generated => ({
  schema: typeof schema === "object" && typeof schema["type"] === "string"
    ? chance(random, 0.5) ? { ...schema, type: [schema["type"], "null"] } : { ...schema, nullable: true }
    : { anyOf: [schema, { type: "null" }] },
  value: () => chance(random, 0.3) ? null : value()
})

/** Both of two objects; what one says of the other's properties is for the check to find. */
const both = (left: Generated, right: Generated): Generated => ({
  schema: { allOf: [left.schema, right.schema] },
  value: () => ({ ...asObject(left.value()), ...asObject(right.value()) })
})

const asObject = (value: Json.Json): Json.JsonObject =>
  typeof value === "object" && value !== null && !isList(value) ? value : {}

const isList = (value: Json.Json): value is ReadonlyArray<Json.Json> => Array.isArray(value)

const tree = (random: Random): Generated => {
  const node = (depth: number): Json.Json => ({
    name: pick(random, TEXTS),
    "x-y": depth === 0 ? [] : Array.from({ length: integer(random, 2) }, () => node(depth - 1)),
    ...(chance(random, 0.5) && depth > 0 ? { next: node(depth - 1) } : {})
  })
  return { schema: { $ref: pick(random, ["#/$defs/node", "#/$defs/a~1b"]) }, value: () => node(3) }
}

const TREE: Schema = {
  node: {
    type: "object",
    properties: {
      name: { type: "string" },
      "x-y": { type: "array", items: { $ref: "#/$defs/node" } },
      next: { $ref: "#/$defs/a~1b" }
    },
    required: ["name", "x-y"]
  },
  "a/b": { $ref: "#/$defs/node", description: "The same" }
}

const generate = (random: Random, depth: number): Generated => {
  const next = () => generate(random, depth - 1)
  const made = (() => {
    switch (integer(random, depth > 0 ? 13 : 4)) {
      case 0:
      case 1:
        return string(random)
      case 2:
        return number(random)
      case 3:
        return { schema: { type: "boolean" }, value: () => chance(random, 0.5) }
      case 4:
        return listed(random)
      case 5:
      case 6:
        return object(random, next)
      case 7:
        return array(random, next())
      case 8:
        return union(random, [next(), next(), next()].slice(0, 2 + integer(random, 1)))
      case 9:
        return record(random, next())
      case 10:
        return tuple(random, [next(), next()])
      case 11:
        return {
          schema: pick<Schema | boolean>(random, [true, {}, { description: "anything" }]),
          value: () => anyValue(random)
        }
      case 12:
        return both(object(random, next), object(random, next))
      default:
        return tree(random)
    }
  })()
  const described = chance(random, 0.2) && typeof made.schema === "object"
    ? { ...made, schema: { ...made.schema, description: "What it is for", title: "T", default: "x" } }
    : made
  return chance(random, 0.15) ? nullable(random, described) : described
}

/** A tool's input. */
export const generateInput = (seed: number): Generated => {
  const random = randomFrom(seed)
  const root = object(random, () => generate(random, 3))
  return typeof root.schema === "object" ? { ...root, schema: { ...root.schema, $defs: TREE } } : root
}

/** Random schemas of the kind that most servers write, with a few of what they sometimes get wrong. */
import type { Json } from "@effect-toolnexus/core"
import { type Random, randomFrom } from "./generatedSchemas.ts"

type Schema = Record<string, Json.Json>

const pick = <A>(random: Random, [first, ...others]: readonly [A, ...ReadonlyArray<A>]): A => {
  const index = Math.floor(random() * (others.length + 1))
  return index === 0 ? first : others[index - 1] ?? first
}

const chance = (random: Random, share: number): boolean => random() < share

/** Each with its own chance. */
const some = (random: Random, share: number, keywords: Schema): Schema =>
  Object.fromEntries(Object.entries(keywords).filter(() => chance(random, share)))

const NAMES = [
  "a",
  "b",
  "key",
  "value",
  "a b",
  "a_b",
  "a.b",
  "9lives",
  "_9lives",
  "json_text",
  "constructor",
  "__proto__",
  "k".repeat(70)
] as const

const DEFINITIONS = ["Node", "Text", "Choice", "Chain", "List", "Free", "__proto__", "a b", "None"] as const

const DIALECTS = [
  "https://json-schema.org/draft/2020-12/schema",
  "http://json-schema.org/draft-07/schema#",
  "http://json-schema.org/draft-04/schema#"
] as const

const VALUES = [null, true, 0, 1.5, "", "a", "x\uD800", ["a"], {}, { a: 1 }, "long ".repeat(100)] as const

const TEXTS = ["What it is for", "T", "", " ", "x\uD800", "long ".repeat(4000)] as const

const BOUNDS: Schema = {
  enum: ["a", "b"],
  const: "a",
  format: "date-time",
  pattern: "^(?=a)",
  minLength: 1,
  minimum: 1,
  exclusiveMaximum: 9,
  multipleOf: 2,
  minItems: 1,
  uniqueItems: true,
  maxProperties: 3
}

/** What is malformed, or has to be seen together with what else there is. */
const ODD: ReadonlyArray<Schema> = [
  { additionalProperties: null },
  { additionalProperties: "no" },
  { properties: [] },
  { items: null },
  { enum: [] },
  { enum: [1, 2] },
  { type: ["integer", "number"] },
  { type: "string", anyOf: [{ type: "string" }, { type: "number" }] },
  { $ref: "#/$defs/Text" },
  { exclusiveMinimum: true },
  { nullable: true },
  { oneOf: [{ type: "string" }] },
  { propertyNames: { type: "string" } },
  { propertyNames: { type: "string", minLength: 1 } }
]

const about = (random: Random): Schema => ({
  ...some(random, 0.3, { description: pick(random, chance(random, 0.8) ? ["What it is for"] : TEXTS) }),
  ...some(random, 0.1, { title: pick(random, TEXTS), default: pick(random, VALUES), examples: [pick(random, VALUES)] }),
  ...(chance(random, 0.02) ? ODD[Math.floor(random() * ODD.length)] : {})
})

const scalar = (random: Random): Schema => {
  const type = pick(random, ["string", "string", "integer", "number", "boolean"])
  return {
    type: chance(random, 0.1) ? [type, "null"] : type,
    ...(chance(random, 0.2) ? some(random, 0.15, BOUNDS) : {}),
    ...(type === "string"
      ? some(random, 0.05, { format: "uri", enum: ["a", "b"] })
      : some(random, 0.05, { minimum: 0 }))
  }
}

const reference = (random: Random): Schema => ({
  $ref: `#/$defs/${pick(random, chance(random, 0.9) ? ["Node", "Text", "Choice", "Chain", "List"] : DEFINITIONS)}`,
  ...some(random, 0.1, { propertyNames: { type: "string" } })
})

const alternatives = (random: Random, depth: number): Schema => {
  const list = Array.from({ length: pick(random, [1, 1, 1, 2, 3]) }, () => schema(random, depth - 1))
  return { anyOf: chance(random, 0.7) ? [...list, { type: "null" }] : list }
}

const object = (random: Random, depth: number): Schema => {
  const names = Array.from({ length: pick(random, [0, 1, 2, 3]) }, () => pick(random, NAMES))
  const properties = Object.fromEntries(names.map((name) => [name, schema(random, depth - 1)]))
  return {
    type: "object",
    properties,
    ...some(random, 0.7, { required: Object.keys(properties).filter(() => chance(random, 0.5)) }),
    ...(chance(random, 0.5) ? { additionalProperties: pick(random, [true, false, false, false, {}]) } : {})
  }
}

const FREE: readonly [Schema, ...ReadonlyArray<Schema>] = [
  {},
  { type: "array" },
  { type: "object" },
  { type: "object", additionalProperties: true },
  { type: "object", properties: {}, additionalProperties: false }
]

const body = (random: Random, depth: number): Schema => {
  switch (depth > 0 ? Math.floor(random() * 14) : 0) {
    case 1:
    case 2:
      return object(random, depth)
    case 3:
      return { type: "array", items: schema(random, depth - 1) }
    case 4:
      return {
        type: "object",
        ...some(random, 0.5, { propertyNames: { type: "string" } }),
        additionalProperties: schema(random, depth - 1)
      }
    case 5:
    case 6:
      return alternatives(random, depth)
    case 7:
    case 8:
    case 9:
      return reference(random)
    case 10:
      return { ...pick(random, FREE) }
    default:
      return scalar(random)
  }
}

const schema = (random: Random, depth: number): Schema => ({ ...body(random, depth), ...about(random) })

/** Among them one that is no more than a reference, maybe to itself. */
const definitions = (random: Random): Schema =>
  Object.fromEntries([
    ["Node", object(random, 2)],
    ["Text", scalar(random)],
    ["Choice", { anyOf: [scalar(random), scalar(random)], ...about(random) }],
    ["Chain", reference(random)],
    ["List", { type: "array", items: schema(random, 1) }],
    ["Free", { ...pick(random, FREE) }],
    ["__proto__", object(random, 1)],
    ["a b", scalar(random)]
  ])

/** A tool's input. */
export const generateUsual = (seed: number): Json.JsonObject => {
  const random = randomFrom(seed)
  const root = { ...object(random, 4), ...some(random, 0.1, { description: "What it is for" }) }
  return {
    ...root,
    ...some(random, 0.2, { $schema: pick(random, DIALECTS) }),
    $defs: definitions(random)
  }
}

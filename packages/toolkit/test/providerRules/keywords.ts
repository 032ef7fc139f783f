/** The values of keywords, by draft 2020-12. */
import { areDistinct, isBoolean, isList, isNumber, isObject, isString, isStrings, keysOf } from "./plainJson.ts"

export interface Expectation {
  readonly expected: string
  readonly holds: (value: unknown) => boolean
}

export const typeNames = ["array", "boolean", "integer", "null", "number", "object", "string"]

export const isTypeName = (value: unknown): boolean => isString(value) && typeNames.includes(value)
const isDistinctStrings = (value: unknown): boolean => isStrings(value) && areDistinct(value)
const isSchema = (value: unknown): boolean => isBoolean(value) || isObject(value)
const isMap = (holds: (value: unknown) => boolean) => (value: unknown): boolean =>
  isObject(value) && Object.values(value).every(holds)

const compiles = (pattern: unknown): boolean =>
  isString(pattern) && ["u", ""].some((flags) => {
    try {
      return new RegExp(pattern, flags) instanceof RegExp
    } catch {
      return false
    }
  })

export const standardType: Expectation = {
  expected: "the name of a type, or a list of distinct ones",
  holds: (value) =>
    isTypeName(value) || isList(value) && value.length > 0 && areDistinct(value) &&
      value.every(isTypeName)
}

const expectations: ReadonlyArray<readonly [keywords: string, Expectation]> = [
  [
    "title description format $schema $comment $ref $dynamicRef contentEncoding contentMediaType",
    { expected: "a string", holds: isString }
  ],
  ["$id", { expected: "a string without a fragment", holds: (value) => isString(value) && /^[^#]*#?$/.test(value) }],
  [
    "$anchor $dynamicAnchor",
    { expected: "a plain name", holds: (value) => isString(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value) }
  ],
  ["$vocabulary", { expected: "an object of booleans", holds: isMap(isBoolean) }],
  ["uniqueItems deprecated readOnly writeOnly nullable", { expected: "a boolean", holds: isBoolean }],
  ["minimum maximum exclusiveMinimum exclusiveMaximum", { expected: "a number", holds: isNumber }],
  ["multipleOf", { expected: "a number above 0", holds: (value) => isNumber(value) && value > 0 }],
  [
    "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
    { expected: "an integer of at least 0", holds: (value) => Number.isInteger(value) && isNumber(value) && value >= 0 }
  ],
  ["pattern", { expected: "a regular expression", holds: compiles }],
  ["required propertyOrdering", { expected: "a list of distinct strings", holds: isDistinctStrings }],
  ["dependentRequired", { expected: "an object of lists of distinct strings", holds: isMap(isDistinctStrings) }],
  [
    "enum",
    {
      expected: "a list of distinct values that isn't empty",
      holds: (value) => isList(value) && value.length > 0 && areDistinct(value)
    }
  ],
  ["examples", { expected: "a list", holds: isList }],
  ["const default example", { expected: "a value", holds: () => true }],
  [
    "not if then else items additionalProperties contains propertyNames unevaluatedItems unevaluatedProperties " +
    "contentSchema",
    { expected: "a schema", holds: isSchema }
  ],
  [
    "anyOf oneOf allOf prefixItems",
    {
      expected: "a list of schemas that isn't empty",
      holds: (value) => isList(value) && value.length > 0 && value.every(isSchema)
    }
  ],
  ["properties $defs definitions dependentSchemas", { expected: "an object of schemas", holds: isMap(isSchema) }],
  [
    "patternProperties",
    {
      expected: "an object of schemas by regular expression",
      holds: (value) => isMap(isSchema)(value) && keysOf(value).every(compiles)
    }
  ]
]

export const expectationOf: ReadonlyMap<string, Expectation> = new Map(
  expectations.flatMap(([keywords, expectation]) => keywords.split(" ").map((keyword) => [keyword, expectation]))
)

export const keywords = (names: string): ReadonlySet<string> => new Set(names.split(" "))
export const without = (known: Iterable<string>, names: string): ReadonlySet<string> =>
  new Set(Array.from(known).filter((name) => !keywords(names).has(name)))

/** The vocabularies of the draft, and `definitions`, which its metaschema still describes. */
export const draftKeywords = without(["type", ...expectationOf.keys()], "nullable example propertyOrdering")

/**
 * One schema as most of real servers are: the usual keywords, each with a value of the kind it is for. Anything else is
 * for a shape, which understands all there is.
 */
import type { Json } from "../Json.ts"
import type { ProviderProfile } from "../ProviderProfile.ts"
import { isTakenAssert } from "./renderAsserts.ts"
import { sizeOf } from "./renderPass.ts"
import { isKeywords, type Keywords } from "./schemaReferences.ts"
import { type About, SILENT, type Statement, type TypeName } from "./shape.ts"
import { BOUNDS, isBoundOf, isNumber, isScalarName, isTypeName, isValue } from "./shapeKeywords.ts"

/** What its keywords say, looked up once: there are many, and most schemas are of a form of their own. */
export interface UsualPart {
  readonly schema: Keywords
  /** But for null. None where any value is valid, or `$ref` or `anyOf` says which. */
  readonly types: ReadonlyArray<TypeName>
  readonly hasNull: boolean
  readonly hasTypeList: boolean
  readonly description: string | undefined
  readonly title: string | undefined
  readonly fallback: Json | undefined
  readonly examples: ReadonlyArray<Json> | undefined
  /** Of its one type. */
  readonly bounds: ReadonlyArray<Statement> | undefined
  /** All that are allowed, of its one type. */
  readonly values: ReadonlyArray<Json> | undefined
  readonly properties: unknown
  readonly required: unknown
  readonly additionalProperties: unknown
  readonly items: unknown
  readonly anyOf: unknown
  readonly reference: unknown
  /** Whether the profile takes it as it is, if it takes the schemas it is made of. */
  readonly isTaken: boolean
}

/** A type and a word on it, as most are: every provider takes it, and nothing is to be read. */
export const isLeaf = (schema: Keywords): boolean => {
  const { description, type } = schema
  if (!isScalarName(type)) return false
  return description === undefined
    ? Object.keys(schema).length === 1
    : isText(description) && Object.keys(schema).length === 2
}

/** The schemas it is made of are read by themselves. */
export const readUsual = (
  schema: Keywords,
  profile: ProviderProfile,
  ignored: ReadonlySet<string> = NO_KEYWORDS
): UsualPart | undefined => {
  const part = makePart(schema)
  for (const keyword of Object.keys(schema)) {
    if (ignored.has(keyword)) continue
    if (!readKeyword(part, keyword, schema[keyword])) return undefined
    part.isTaken &&= profile.keywords.has(keyword)
  }
  return isOneThing(part) && areOfItsType(part, profile) ? part : undefined
}

const NO_KEYWORDS: ReadonlySet<string> = new Set()

type Draft = { -readonly [K in keyof UsualPart]: UsualPart[K] }

/** All with the same fields from the start, which makes them fast. */
const makePart = (schema: Keywords): Draft => ({
  schema,
  types: NO_TYPES,
  hasNull: false,
  hasTypeList: false,
  description: undefined,
  title: undefined,
  fallback: undefined,
  examples: undefined,
  bounds: undefined,
  values: undefined,
  properties: undefined,
  required: undefined,
  additionalProperties: undefined,
  items: undefined,
  anyOf: undefined,
  reference: undefined,
  isTaken: true
})

/** Whether it is a usual one, and its value of the usual kind. */
const readKeyword = (part: Draft, keyword: string, value: unknown): boolean => {
  switch (keyword) {
    case "type":
      return readType(part, value)
    case "description":
      if (!isText(value)) return false
      part.description = value
      return true
    case "title":
      if (!isText(value)) return false
      part.title = value
      return true
    case "default":
      if (!isValue(value)) return false
      part.fallback = value
      return true
    case "examples":
      if (!areValues(value)) return false
      part.examples = value
      return true
    case "const":
    case "enum": {
      const listed = keyword === "enum" ? value : [value]
      if (part.values !== undefined || !areValues(listed)) return false
      part.values = listed
      return true
    }
    case "properties":
    case "required":
    case "additionalProperties":
    case "items":
    case "anyOf":
      part[keyword] = value
      return isGiven(value)
    case "propertyNames":
      // that names are texts goes without saying
      part.isTaken = false
      return isKeywords(value) && value["type"] === "string" && Object.keys(value).length === 1
    case "$ref":
      part.reference = value
      return isGiven(value)
    default:
      return readBound(part, keyword, value)
  }
}

/** `undefined` is what code leaves of a keyword, and `null` is malformed. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const readBound = (part: Draft, keyword: string, value: unknown): boolean => {
  if (!isBound(keyword, value)) return false
  part.bounds = part.bounds === undefined ? [[keyword, value]] : [...part.bounds, [keyword, value]]
  return true
}

const readType = (part: Draft, type: unknown): boolean => {
  if (typeof type === "string") {
    const one = ONE_TYPE.get(type)
    part.types = one ?? NO_TYPES
    return one !== undefined
  }
  if (!Array.isArray(type) || !type.every(isTypeName) || !areDistinct(type)) return false
  part.types = type.filter((name) => name !== "null")
  part.hasNull = part.types.length < type.length
  part.hasTypeList = true
  return part.types.length > 0
}

const NO_TYPES: ReadonlyArray<TypeName> = []

const ONE_TYPE: ReadonlyMap<string, ReadonlyArray<TypeName>> = new Map(
  (["array", "boolean", "integer", "number", "object", "string"] as const).map((name) => [name, [name]])
)

/** Values of its types, alternatives, or what a reference leads to: what is beside them would have to be put together. */
const isOneThing = ({ additionalProperties, anyOf, items, properties, reference, required, types }: Draft): boolean =>
  (items === undefined || types.includes("array")) &&
  (properties === undefined && required === undefined && additionalProperties === undefined ||
    types.includes("object")) &&
  (anyOf === undefined && reference === undefined ||
    types.length === 0 && (anyOf === undefined || reference === undefined))

/** Whether what it says of values is for its type, and isn't to be seen together. */
const areOfItsType = (part: Draft, profile: ProviderProfile): boolean => {
  const { bounds, hasNull, types, values } = part
  const type = types.length === 1 ? types[0] : undefined
  if (!areTaken(profile, part)) part.isTaken = false
  if (bounds !== undefined) {
    // bounds beside a list may make it shorter
    if (type === undefined || values !== undefined) return false
    for (const [keyword, value] of bounds) {
      if (!isBoundOf(type, keyword)) return false
      if (!isTakenAssert(profile, type, keyword, value)) part.isTaken = false
    }
  }
  return values === undefined || !hasNull && areListed(profile, values, type)
}

const areTaken = ({ typeLists }: ProviderProfile, { hasNull, hasTypeList, types }: UsualPart): boolean =>
  typeLists === "all" || !hasTypeList ||
  typeLists === "scalars" && types.every(isScalarName) && (types.length > 1 || hasNull)

export const sizeOfPart = ({ bounds, description = "", examples, fallback, title = "", values }: UsualPart): number => {
  let size = description.length + title.length
  if (fallback !== undefined) size += sizeOf(fallback)
  if (examples !== undefined) size += sizeOf(examples)
  if (values !== undefined) size += sizeOf(values)
  for (const [, value] of bounds ?? NO_BOUNDS) size += sizeOf(value)
  return size
}

const NO_BOUNDS: ReadonlyArray<Statement> = []

/** What people wrote of it. */
export const aboutOf = ({ description, examples, fallback, title }: UsualPart): About => {
  if (title === undefined && fallback === undefined && examples === undefined) {
    return description === undefined ? SILENT : { description }
  }
  return {
    ...title === undefined ? {} : { title },
    ...description === undefined ? {} : { description },
    ...fallback === undefined ? {} : { default: fallback },
    ...examples === undefined ? {} : { examples }
  }
}

export const isText = (value: unknown): value is string =>
  typeof value === "string" && value.isWellFormed() && value.trim() !== ""

const areValues = (value: unknown): value is ReadonlyArray<Json> => Array.isArray(value) && value.every(isValue)

/** Objects and lists are told apart by what is in them, which takes more. */
const areListed = (
  { listable }: ProviderProfile,
  values: ReadonlyArray<Json>,
  type: TypeName | undefined
): boolean =>
  type !== undefined && isScalarName(type) && listable.has(type) && values.length > 0 &&
  values.every((each) => typeof each === type || type === "integer" && Number.isInteger(each)) && areDistinct(values)

/** Up to so many it is faster to look for each in turn. */
export const MAX_TURNS = 16

export const areDistinct = (values: ReadonlyArray<unknown>): boolean =>
  values.length > MAX_TURNS
    ? new Set(values).size === values.length
    : values.every((value, index) => values.indexOf(value) === index)

const isBound = (keyword: string, value: unknown): value is Json => {
  switch (keyword) {
    case "exclusiveMaximum":
    case "exclusiveMinimum":
      return isNumber(value)
    case "uniqueItems":
      return value === true
    default:
      return isValue(value) && BOUNDS.get(keyword)?.(value) === true
  }
}

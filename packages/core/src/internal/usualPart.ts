/**
 * One schema as most of real servers are: the usual keywords, each with a value of the kind it is for. Anything else is
 * for a shape, which understands all there is.
 */
import type { Json } from "../Json.ts"
import type { ProviderProfile } from "../ProviderProfile.ts"
import { sizeOf } from "./renderPass.ts"
import { isKeywords, type Keywords } from "./schemaReferences.ts"
import { type About, MAX_TURNS, SILENT, type Statement, type TypeName } from "./shape.ts"
import { BOUNDS, isBoundOf, isNumber, isScalarName, isTypeName, isValue } from "./shapeKeywords.ts"

/** What its keywords say, looked up once: there are many, and most schemas are of a form of their own. */
export interface UsualPart {
  readonly schema: Keywords
  /** None where any value is valid, or `$ref` or `anyOf` says which. */
  readonly types: Types
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
}

/** A type and a word on it, as most are: nothing is to be read. */
export const isLeaf = (schema: Keywords): boolean => {
  const { description, type } = schema
  if (!isScalarName(type) || !isPlain(schema)) return false
  return description === undefined
    ? Object.keys(schema).length === 1
    : isText(description) && Object.keys(schema).length === 2
}

/** What a schema inherits from a class doesn't go out with it. */
export const isPlain = (schema: Keywords): boolean => {
  const prototype: unknown = Object.getPrototypeOf(schema)
  return prototype === Object.prototype || prototype === null
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
  }
  return isOneThing(part) && areOfItsType(part, profile) ? part : undefined
}

const NO_KEYWORDS: ReadonlySet<string> = new Set()

type Draft = { -readonly [K in keyof UsualPart]: UsualPart[K] }

/** All with the same fields from the start, which makes them fast. */
const makePart = (schema: Keywords): Draft => ({
  schema,
  types: NO_TYPES,
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
  reference: undefined
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
  const types = type === undefined ? undefined : typesOf(type)
  if (types === undefined) return false
  part.types = types
  return true
}

/** Those of a schema, null apart. */
export interface Types {
  readonly names: ReadonlyArray<TypeName>
  readonly hasNull: boolean
  readonly isList: boolean
  /** If there is no other. */
  readonly only: TypeName | undefined
}

/** Of a value of `type`; `undefined` for an unusual one. */
export const typesOf = (type: unknown): Types | undefined => {
  if (type === undefined) return NO_TYPES
  if (typeof type === "string") return ONE_TYPE.get(type)
  if (!Array.isArray(type) || !type.every(isTypeName) || !areDistinct(type)) return undefined
  const names = type.filter((name) => name !== "null")
  if (names.length === 0) return undefined
  return { names, hasNull: names.length < type.length, isList: true, only: names.length === 1 ? names[0] : undefined }
}

const NO_TYPES: Types = { names: [], hasNull: false, isList: false, only: undefined }

const ONE_TYPE: ReadonlyMap<string, Types> = new Map(
  (["array", "boolean", "integer", "number", "object", "string"] as const).map((name) => [
    name,
    { names: [name], hasNull: false, isList: false, only: name }
  ])
)

/** Whether they may be listed as they are. */
export const takesTypes = ({ typeLists }: ProviderProfile, { hasNull, isList, names }: Types): boolean =>
  typeLists === "all" || !isList ||
  typeLists === "scalars" && names.every(isScalarName) && (names.length > 1 || hasNull)

/** Values of its types, alternatives, or what a reference leads to: what is beside them would have to be put together. */
const isOneThing = (
  { additionalProperties, anyOf, items, properties, reference, required, types: { names } }: Draft
): boolean =>
  (items === undefined || names.includes("array")) &&
  (properties === undefined && required === undefined && additionalProperties === undefined ||
    names.includes("object")) &&
  (anyOf === undefined && reference === undefined ||
    names.length === 0 && (anyOf === undefined || reference === undefined))

/** Whether what it says of values is for its type, and isn't to be seen together. */
const areOfItsType = (part: Draft, profile: ProviderProfile): boolean => {
  const { bounds, types: { hasNull, only }, values } = part
  if (bounds !== undefined) {
    // bounds beside a list may make it shorter
    if (only === undefined || values !== undefined) return false
    for (const [keyword] of bounds) if (!isBoundOf(only, keyword)) return false
  }
  return values === undefined || !hasNull && areListed(profile, values, only)
}

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

export const areValues = (value: unknown): value is ReadonlyArray<Json> => Array.isArray(value) && value.every(isValue)

/** Objects and lists are told apart by what is in them, which takes more. */
export const areListed = (
  { listable }: ProviderProfile,
  values: ReadonlyArray<Json>,
  type: TypeName | undefined
): boolean =>
  type !== undefined && isScalarName(type) && listable.has(type) && values.length > 0 &&
  values.every((each) => typeof each === type || type === "integer" && Number.isInteger(each)) && areDistinct(values)

export const areDistinct = (values: ReadonlyArray<unknown>): boolean =>
  values.length > MAX_TURNS
    ? new Set(values).size === values.length
    : values.every((value, index) => values.indexOf(value) === index)

export const isBound = (keyword: string, value: unknown): value is Json => {
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

/** Up to so many alternatives; real schemas have 7. */
export const MAX_ALTERNATIVES = 30

/** Anything else may take all there is, which makes the others void, or have alternatives of its own to count. */
export const isTypeOrReference = (schema: unknown): boolean =>
  isKeywords(schema) && (schema["type"] !== undefined || schema["$ref"] !== undefined)

export const isNull = (schema: unknown): boolean =>
  isKeywords(schema) && schema["type"] === "null" && Object.keys(schema).length === 1

export const isEmpty = (value: unknown): boolean => isKeywords(value) && Object.keys(value).length === 0

/** Whether a name is one of these; of many, by an index. */
export const isAmong = (names: ReadonlyArray<string>): (name: string) => boolean => {
  if (names.length <= MAX_TURNS) return (name) => names.includes(name)
  const index = new Set(names)
  return (name) => index.has(name)
}

export const areTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((each) => typeof each === "string")

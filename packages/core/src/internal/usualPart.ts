/**
 * One schema as most of real servers are: the usual keywords, each with a value of the kind it is for. Anything else is
 * for a shape, which understands all there is.
 */
import type { Json } from "../Json.ts"
import type { ProviderProfile } from "../ProviderProfile.ts"
import { isTakenAssert } from "./renderAsserts.ts"
import type { Keywords } from "./schemaReferences.ts"
import { type About, SILENT, type Statement, type TypeName } from "./shape.ts"
import { isBoundOf, isCount, isNumber, isPattern, isScalarName, isTypeName, isValue } from "./shapeKeywords.ts"

export interface UsualPart {
  readonly schema: Keywords
  /** But for null. None where any value is valid, or `$ref` or `anyOf` says which. */
  readonly types: ReadonlyArray<TypeName>
  readonly hasNull: boolean
  /** Whether the profile takes it as it is, if it takes the schemas it is made of. */
  readonly isTaken: boolean
}

export const isKeywords = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The schemas it is made of are read by themselves. */
export const readUsual = (schema: Keywords, profile: ProviderProfile): UsualPart | undefined => {
  const types = readTypes(schema["type"])
  if (types === undefined) return undefined
  const type = types.names.length === 1 ? types.names[0] : undefined
  let isTaken = areTaken(profile, types, schema["type"])
  let hasBounds = false
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    switch (keyword) {
      case "type":
      case "properties":
      case "required":
      case "items":
        continue
      case "$ref":
      case "additionalProperties":
      case "anyOf":
      case "const":
      case "enum":
        break
      case "description":
      case "title":
        if (!isText(value)) return undefined
        break
      case "default":
        if (!isValue(value)) return undefined
        break
      case "examples":
        if (!areValues(value)) return undefined
        break
      default:
        if (type === undefined || !isBoundOf(type, keyword) || !isBound(keyword, value)) return undefined
        hasBounds = true
        isTaken &&= isTakenAssert(profile, type, keyword, value)
        continue
    }
    isTaken &&= profile.keywords.has(keyword)
  }
  if (schema["enum"] !== undefined || schema["const"] !== undefined) {
    // bounds beside a list may make it shorter
    if (hasBounds || types.hasNull || !areListed(profile, schema, type)) return undefined
  }
  return { schema, types: types.names, hasNull: types.hasNull, isTaken }
}

/** What people wrote of it. */
export const aboutOf = ({ default: fallback, description, examples, title }: Keywords): About => {
  if (description === undefined && title === undefined && fallback === undefined && examples === undefined) {
    return SILENT
  }
  return {
    ...isText(title) ? { title } : {},
    ...isText(description) ? { description } : {},
    ...isValue(fallback) ? { default: fallback } : {},
    ...areValues(examples) ? { examples } : {}
  }
}

export const boundsOf = (schema: Keywords): ReadonlyArray<Statement> => {
  let bounds: Array<Statement> | undefined
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (!isBound(keyword, value)) continue
    bounds ??= []
    bounds.push([keyword, value])
  }
  return bounds ?? NONE
}

const NONE: ReadonlyArray<Statement> = []

/** All values it allows; `undefined` where it doesn't list them. */
export const valuesOf = ({ const: only, enum: listed }: Keywords): ReadonlyArray<Json> | undefined => {
  const values = only === undefined ? listed : [only]
  return areValues(values) ? values : undefined
}

export const isText = (value: unknown): value is string =>
  typeof value === "string" && value.isWellFormed() && value.trim() !== ""

const areValues = (value: unknown): value is ReadonlyArray<Json> => Array.isArray(value) && value.every(isValue)

interface Types {
  readonly names: ReadonlyArray<TypeName>
  readonly hasNull: boolean
}

const UNTYPED: Types = { names: [], hasNull: false }

const ONE_TYPE: ReadonlyMap<string, Types> = new Map(
  (["array", "boolean", "integer", "number", "object", "string"] as const).map((name) => [
    name,
    { names: [name], hasNull: false }
  ])
)

const readTypes = (type: unknown): Types | undefined => {
  if (typeof type === "string") return ONE_TYPE.get(type)
  if (type === undefined) return UNTYPED
  if (!Array.isArray(type) || !type.every(isTypeName) || !areDistinct(type)) return undefined
  const names = type.filter((name) => name !== "null")
  return names.length === 0 ? undefined : { names, hasNull: names.length < type.length }
}

const areTaken = ({ typeLists }: ProviderProfile, { hasNull, names }: Types, type: unknown): boolean =>
  typeLists === "all" || !Array.isArray(type) ||
  typeLists === "scalars" && names.every(isScalarName) && (names.length > 1 || hasNull)

/** Objects and lists are told apart by what is in them, which takes more. */
const areListed = ({ listable }: ProviderProfile, schema: Keywords, type: TypeName | undefined): boolean => {
  const values = valuesOf(schema)
  return values !== undefined && type !== undefined && isScalarName(type) && listable.has(type) && values.length > 0 &&
    (schema["const"] === undefined || schema["enum"] === undefined) &&
    values.every((each) => typeof each === type || type === "integer" && Number.isInteger(each)) && areDistinct(values)
}

/** Up to so many it is faster to look for each in turn. */
export const MAX_TURNS = 16

export const areDistinct = (values: ReadonlyArray<unknown>): boolean =>
  values.length > MAX_TURNS
    ? new Set(values).size === values.length
    : values.every((value, index) => values.indexOf(value) === index)

const isBound = (keyword: string, value: unknown): value is Json => BOUNDS.get(keyword)?.(value) === true

const isFormat = (value: unknown): boolean => typeof value === "string" && value !== "" && value.isWellFormed()

const BOUNDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["exclusiveMaximum", isNumber],
  ["exclusiveMinimum", isNumber],
  ["format", isFormat],
  ["maxItems", isCount],
  ["maxLength", isCount],
  ["maxProperties", isCount],
  ["maximum", isNumber],
  ["minItems", isCount],
  ["minLength", isCount],
  ["minProperties", isCount],
  ["minimum", isNumber],
  ["multipleOf", (value) => isNumber(value) && Number(value) > 0],
  ["pattern", isPattern],
  ["uniqueItems", (value) => value === true]
])

/**
 * Whether a provider takes a schema as its owner wrote it, as most schemas of real servers: then it goes out untouched,
 * and nothing is read, built or lost. Anything unusual is no: a shape is made of it.
 */
import type { ProviderProfile } from "../ProviderProfile.ts"
import { readDraft } from "../SchemaDocument.ts"
import { takesFormat } from "./renderAsserts.ts"
import { isPattern, isValue } from "./shapeKeywords.ts"

interface Keywords {
  readonly [keyword: string]: unknown
}

interface Look {
  readonly profile: ProviderProfile
  readonly definitions: Keywords
  /** Of a draft in which nothing counts beside `$ref`. */
  readonly isOld: boolean
  parts: number
}

/** What is larger is for the reader to bound. */
const MAX_PARTS = 5000
const MAX_DEPTH = 50

/** The schema without what only identifies it; `undefined` if it can't go as it is. */
export const takeAsIs = (schema: unknown, profile: ProviderProfile): Keywords | undefined => {
  if (!isKeywords(schema) || schema["type"] !== "object" || profile.strict !== undefined) return undefined
  const { $defs, $schema: dialect, ...whole } = schema
  for (const keyword of ROOT_COMBINATORS) if (whole[keyword] !== undefined) return undefined
  const root = forRoot(whole, profile)
  if (root === undefined) return undefined
  if ($defs !== undefined && (!isKeywords($defs) || !takesReferences(profile))) return undefined
  const look: Look = { profile, definitions: $defs ?? {}, isOld: (readDraft(dialect) ?? 2020) <= 7, parts: 0 }
  if (!isTaken(look, root, 0) || !areTakenDefinitions(look)) return undefined
  return $defs === undefined ? root : { ...root, $defs }
}

const areTakenDefinitions = (look: Look): boolean =>
  Object.entries(look.definitions).every(([name, schema]) => SIMPLE_NAME.test(name) && isTaken(look, schema, 1)) &&
  !areEndless(look.definitions)

/** Whether a definition that is no more than references leads back to itself. */
const areEndless = (definitions: Keywords): boolean => {
  const states = new Map<string, "open" | "done">()
  const isEndless = (name: string): boolean => {
    const state = states.get(name)
    if (state !== undefined) return state === "open"
    states.set(name, "open")
    const found = directReferences(definitions[name]).some(isEndless)
    states.set(name, "done")
    return found
  }
  return Object.keys(definitions).some(isEndless)
}

const directReferences = (schema: unknown): ReadonlyArray<string> => {
  if (!isKeywords(schema)) return []
  const { $ref, anyOf } = schema
  if (typeof $ref === "string") return [$ref.slice("#/$defs/".length)]
  return Array.isArray(anyOf) ? anyOf.flatMap(directReferences) : []
}

/** In a reference they stand for themselves. */
const SIMPLE_NAME = /^[A-Za-z0-9_.-]+$/

const ROOT_COMBINATORS = ["$ref", "anyOf", "enum"]

/** Without keywords that the root may not have, where nothing is lost with them. */
const forRoot = (schema: Keywords, { rootKeywords }: ProviderProfile): Keywords | undefined => {
  if (rootKeywords === undefined) return schema
  const kept = Object.entries(schema).filter(([keyword, value]) =>
    rootKeywords.has(keyword) || keyword !== "additionalProperties" || typeof value !== "boolean"
  )
  const isWhole = kept.every(([keyword]) => rootKeywords.has(keyword))
  return isWhole ? Object.fromEntries(kept) : undefined
}

const takesReferences = ({ besideReference, keywords, requiredCycles }: ProviderProfile): boolean =>
  besideReference && requiredCycles && keywords.has("$ref")

const isKeywords = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isTaken = (look: Look, schema: unknown, depth: number): boolean => {
  if (!isKeywords(schema) || ++look.parts > MAX_PARTS || depth > MAX_DEPTH) return false
  const { keywords } = look.profile
  let type: unknown
  let properties: unknown
  let required: unknown
  let listed: unknown
  let hasItems = false
  let isTypeless = false
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    switch (keyword) {
      case "type":
        type = value
        continue
      case "properties":
        properties = value
        continue
      case "required":
        required = value
        continue
      case "items":
        if (!isTaken(look, value, depth + 1)) return false
        hasItems = true
        continue
      case "enum":
        listed = value
        break
      case "description":
      case "title":
        if (typeof value !== "string" || !value.isWellFormed()) return false
        break
      case "$ref":
      case "anyOf":
        if (!(keyword === "$ref" ? isReference(look, value, schema) : areAlternatives(look, value, depth))) return false
        isTypeless = true
        break
      case "additionalProperties":
        if (typeof value !== "boolean" && !isTaken(look, value, depth + 1)) return false
        break
      default:
        if (CHECKS.get(keyword)?.(look, value, schema) !== true) return false
    }
    if (!keywords.has(keyword)) return false
  }
  if (isTypeless) {
    return type === undefined && listed === undefined && properties === undefined && required === undefined
  }
  return isTakenType(look, type, properties, hasItems) && (listed === undefined || isListed(look, listed, type)) &&
    (properties === undefined || areProperties(look, properties, depth)) &&
    (required === undefined || areNames(required, properties))
}

const isTakenType = ({ profile }: Look, type: unknown, properties: unknown, hasItems: boolean): boolean => {
  if (typeof type === "string") {
    return type === "object" ? properties !== undefined : type === "array" ? hasItems : TYPES.has(type)
  }
  if (type === undefined) return profile.anything === "untyped" && properties === undefined && !hasItems
  return profile.typeLists === "all" && Array.isArray(type) && type.length > 0 && new Set(type).size === type.length &&
    type.every((name) => TYPES.has(name)) && (!type.includes("object") || properties !== undefined) &&
    (!type.includes("array") || hasItems)
}

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"])

const areProperties = (look: Look, value: unknown, depth: number): boolean => {
  if (!isKeywords(value) || Object.hasOwn(value, "__proto__")) return false
  const names = Object.keys(value)
  const { anything, propertyName } = look.profile
  // an object without properties means any object, and that is not the same everywhere
  if (names.length === 0 && depth > 0 && anything !== "untyped") return false
  return names.every((name) => propertyName.test(name) && isTaken(look, value[name], depth + 1))
}

const areNames = (value: unknown, properties: unknown): boolean =>
  Array.isArray(value) && isKeywords(properties) &&
  value.every((name) => typeof name === "string" && Object.hasOwn(properties, name)) && areDistinct(value)

/** Up to so many it is faster to look for each in turn. */
const MAX_TURNS = 16

const areDistinct = (values: ReadonlyArray<unknown>): boolean =>
  values.length > MAX_TURNS
    ? new Set(values).size === values.length
    : values.every((value, index) => values.indexOf(value) === index)

/** Objects and lists are told apart by what is in them, which takes more. */
const LISTED: ReadonlySet<string> = new Set(["boolean", "integer", "number", "string"])

const isListed = ({ profile }: Look, value: unknown, type: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && typeof type === "string" && LISTED.has(type) &&
  profile.listable.has(type) &&
  value.every((each) => isValue(each) && (typeof each === type || type === "integer" && Number.isInteger(each))) &&
  areDistinct(value)

const isReference = ({ definitions, isOld, profile }: Look, value: unknown, schema: Keywords): boolean =>
  typeof value === "string" && takesReferences(profile) && value.startsWith("#/$defs/") &&
  Object.hasOwn(definitions, value.slice("#/$defs/".length)) && (!isOld || Object.keys(schema).length === 1)

const areAlternatives = (look: Look, value: unknown, depth: number): boolean =>
  look.profile.besideAnyOf && Array.isArray(value) && value.length > 0 &&
  value.every((each) => isTaken(look, each, depth + 1))

type Check = (look: Look, value: unknown, schema: Keywords) => boolean

const isNumber: Check = (_look, value) => typeof value === "number" && Number.isFinite(value)

const isCount: Check = (_look, value) => typeof value === "number" && Number.isInteger(value) && value >= 0

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["default", (_look, value) => isValue(value)],
  ["examples", (_look, value) => Array.isArray(value) && value.every(isValue)],
  ["exclusiveMaximum", isNumber],
  ["exclusiveMinimum", isNumber],
  [
    "format",
    ({ profile }, value, { type }) =>
      typeof value === "string" && value.isWellFormed() &&
      (profile.formats === undefined || typeof type === "string" && takesFormat(profile, type, value))
  ],
  ["maxItems", isCount],
  ["maxLength", isCount],
  ["maxProperties", isCount],
  ["maximum", isNumber],
  ["minItems", isCount],
  ["minLength", isCount],
  ["minProperties", isCount],
  ["minimum", isNumber],
  ["multipleOf", (look, value, schema) => isNumber(look, value, schema) && Number(value) > 0],
  ["pattern", ({ profile }, value) => profile.lookaround && isPattern(value)],
  ["uniqueItems", (_look, value) => typeof value === "boolean"]
])

/**
 * Whether a provider takes a schema as its owner wrote it, as it takes most of what real servers' schemas are made of:
 * that stays the same object, and nothing is built. Whatever isn't certain is no, and is written anew.
 */
import type { ProviderProfile } from "../ProviderProfile.ts"
import { isTakenAssert } from "./renderAsserts.ts"
import { nameFor, sizeOf } from "./renderPass.ts"
import { isKeywords, type Keywords } from "./schemaReferences.ts"
import { isBoundOf, isScalarName, isValue } from "./shapeKeywords.ts"
import { isNamed, referredName, use } from "./usualDefinitions.ts"
import {
  areListed,
  areTexts,
  areValues,
  isAmong,
  isBound,
  isEmpty,
  isNull,
  isPlain,
  isText,
  isTypeOrReference,
  MAX_ALTERNATIVES,
  takesTypes,
  type Types,
  typesOf
} from "./usualPart.ts"
import { enter, MAX_DEPTH, pay, type UsualPass } from "./usualPass.ts"

export const isTaken = (pass: UsualPass, schema: Keywords): boolean => {
  const { depth, room } = pass
  const taken = takes(pass, schema)
  pass.depth = depth
  // what is written anew is charged then; what is too large is so either way
  if (!taken && pass.room >= 0) pass.room = room
  return taken
}

const takes = (pass: UsualPass, schema: unknown): boolean => {
  if (!isKeywords(schema) || pass.depth >= MAX_DEPTH) return false
  const types = typesOf(schema["type"])
  if (types === undefined || !takesTypes(pass.profile, types)) return false
  const size = sizeOfTaken(pass.profile, schema, types)
  if (size === undefined || !pay(pass, size)) return false
  if (types.only !== undefined && isScalarName(types.only)) return true
  // what it inherits from a class would count below, and doesn't go out
  if (!isPlain(schema)) return false
  const { names } = types
  if (names.length === 0) return takesUntyped(pass, schema)
  return (!names.includes("array") || takesWithin(pass, schema["items"])) &&
    (!names.includes("object") || takesObject(pass, schema))
}

/** What it says of values itself, in characters; `undefined` if there is something that isn't taken. */
const sizeOfTaken = (profile: ProviderProfile, schema: Keywords, types: Types): number | undefined => {
  let sum = 0
  let hasOwnType = types.names.length === 0
  for (const keyword in schema) {
    if (keyword === "type") hasOwnType = true
    const size = profile.keywords.has(keyword) ? sizeOfKeyword(profile, schema, types, keyword) : undefined
    if (size === undefined) return undefined
    sum += size
  }
  return hasOwnType ? sum : undefined
}

const sizeOfKeyword = (
  profile: ProviderProfile,
  schema: Keywords,
  { hasNull, names, only }: Types,
  keyword: string
): number | undefined => {
  const value = schema[keyword]
  if (value === undefined) return undefined
  switch (keyword) {
    case "type":
      return 0
    case "properties":
    case "required":
    case "additionalProperties":
      return names.includes("object") ? 0 : undefined
    case "items":
      return names.includes("array") ? 0 : undefined
    case "$ref":
    case "anyOf":
      return names.length === 0 ? 0 : undefined
    case "description":
    case "title":
      return isText(value) ? value.length : undefined
    case "default":
      return isValue(value) ? sizeOf(value) : undefined
    case "examples":
      return areValues(value) ? sizeOf(value) : undefined
    case "enum":
      return !hasNull && areValues(value) && areListed(profile, value, only) ? sizeOf(value) : undefined
    default:
      // bounds beside a list may make it shorter
      return only !== undefined && schema["enum"] === undefined && isBound(keyword, value) &&
          isBoundOf(only, keyword) && isTakenAssert(profile, only, keyword, value)
        ? sizeOf(value)
        : undefined
  }
}

/** Alternatives, a reference, or any value. */
const takesUntyped = (pass: UsualPass, schema: Keywords): boolean => {
  const { $ref, anyOf } = schema
  if ($ref === undefined) return anyOf === undefined ? pass.profile.anything === "untyped" : takesAnyOf(pass, anyOf)
  return anyOf === undefined && takesReference(pass, schema)
}

const takesAnyOf = (pass: UsualPass, list: unknown): boolean => {
  const { besideAnyOf, strict } = pass.profile
  if (!besideAnyOf || strict !== undefined || !Array.isArray(list)) return false
  if (list.length === 0 || list.length > MAX_ALTERNATIVES || !list.every(isTypeOrReference)) return false
  return list.every((each) => isNull(each) || takesWithin(pass, each))
}

/** Where it counts whether what refers to itself may be left out, references are followed one by one. */
const takesReference = (pass: UsualPass, schema: Keywords): boolean => {
  const { definitions, profile: { besideReference, requiredCycles } } = pass
  if (!requiredCycles) return false
  const name = referredName(definitions, schema)
  if (name === undefined) return false
  if (!besideReference && (Object.keys(schema).length > 1 || !isNamed(definitions, name))) return false
  use(definitions, name, false)
  return true
}

const takesWithin = (pass: UsualPass, schema: unknown): boolean => {
  enter(pass)
  const taken = takes(pass, schema)
  pass.depth--
  return taken
}

const takesObject = (pass: UsualPass, schema: Keywords): boolean => {
  const { additionalProperties: rest, properties, required = NO_NAMES } = schema
  const { anything, strict } = pass.profile
  if (!isKeywords(properties) || !areTexts(required)) return false
  const count = countTaken(pass, properties, required)
  if (count === undefined) return false
  if (strict !== undefined) return rest === false && required.length === count
  if (count === 0 && !takesNoProperties(pass.profile, schema)) return false
  if (rest === undefined || typeof rest === "boolean") return true
  return isEmpty(rest) ? anything === "untyped" : takesWithin(pass, rest)
}

/** How an object is declared of which nothing is known isn't the same everywhere. */
const takesNoProperties = ({ anything }: ProviderProfile, schema: Keywords): boolean => {
  const { additionalProperties: rest } = schema
  if (anything !== "typed") return anything === "untyped"
  return rest === true ? Object.keys(schema).every(isOfFree) : rest !== undefined && !isEmpty(rest)
}

const isOfFree = (keyword: string): boolean =>
  ["type", "properties", "required", "additionalProperties", "description", "title"].includes(keyword)

/** How many there are; `undefined` if one isn't taken, or one is needed twice or isn't declared. */
const countTaken = (pass: UsualPass, properties: Keywords, required: ReadonlyArray<string>): number | undefined => {
  const isRequired = isAmong(required)
  let count = 0
  let found = 0
  for (const name in properties) {
    if (name === "__proto__" || nameFor(pass, name) !== name || !takesWithin(pass, properties[name])) return undefined
    if (isRequired(name)) found++
    count++
  }
  return found === required.length ? count : undefined
}

const NO_NAMES: ReadonlyArray<string> = []

/**
 * Whether a provider takes a schema as its owner wrote it, as it takes most of what real servers' schemas are made of:
 * that stays the same object, and nothing is built. Whatever isn't certain is no, and is written anew.
 */
import type { ProviderProfile } from "../ProviderProfile.ts"
import { isTakenAssert } from "./renderAsserts.ts"
import { nameFor, sizeOf } from "./renderPass.ts"
import { isKeywords, type Keywords } from "./schemaReferences.ts"
import { MAX_TURNS } from "./shape.ts"
import { isBoundOf, isValue } from "./shapeKeywords.ts"
import { isNamed, referredName, use } from "./usualDefinitions.ts"
import {
  areListed,
  areTexts,
  areValues,
  isBound,
  isEmpty,
  isNull,
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
  const { names } = types
  if (names.length === 0) return takesUntyped(pass, schema)
  return (!names.includes("array") || takesWithin(pass, schema["items"])) &&
    (!names.includes("object") || takesObject(pass, schema))
}

/** What it says of values itself, in characters; `undefined` if there is something that isn't taken. */
const sizeOfTaken = (profile: ProviderProfile, schema: Keywords, types: Types): number | undefined => {
  let size = 0
  let hasBounds = false
  for (const keyword in schema) {
    const value = schema[keyword]
    if (value === undefined || !profile.keywords.has(keyword)) return undefined
    switch (keyword) {
      case "type":
        break
      case "properties":
      case "required":
      case "additionalProperties":
        if (!types.names.includes("object")) return undefined
        break
      case "items":
        if (!types.names.includes("array")) return undefined
        break
      case "$ref":
      case "anyOf":
        if (types.names.length > 0) return undefined
        break
      case "description":
      case "title":
        if (!isText(value)) return undefined
        size += value.length
        break
      case "default":
        if (!isValue(value)) return undefined
        size += sizeOf(value)
        break
      case "examples":
        if (!areValues(value)) return undefined
        size += sizeOf(value)
        break
      case "enum":
        if (!areValues(value) || types.hasNull || !areListed(profile, value, types.only)) return undefined
        size += sizeOf(value)
        break
      default:
        if (types.only === undefined || !isBound(keyword, value) || !isBoundOf(types.only, keyword)) return undefined
        if (!isTakenAssert(profile, types.only, keyword, value)) return undefined
        size += sizeOf(value)
        hasBounds = true
    }
  }
  // bounds beside a list may make it shorter
  return hasBounds && schema["enum"] !== undefined ? undefined : size
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
  const needed = required.length > MAX_TURNS ? new Set(required) : undefined
  let count = 0
  let found = 0
  for (const name in properties) {
    if (name === "__proto__" || nameFor(pass, name) !== name || !takesWithin(pass, properties[name])) return undefined
    if (needed === undefined ? required.includes(name) : needed.has(name)) found++
    count++
  }
  return found === required.length ? count : undefined
}

const NO_NAMES: ReadonlyArray<string> = []

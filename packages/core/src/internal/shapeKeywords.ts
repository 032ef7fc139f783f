/** What each keyword of a schema says of a shape, whichever draft it is from. */
import * as Result from "effect/Result"
import { isJson, isWithin, type Json } from "../Json.ts"
import type { Resource } from "../SchemaDocument.ts"
import { readTypes } from "../SchemaValue.ts"
import * as Text from "../Text.ts"
import { isKeywords, type Keywords } from "./schemaReferences.ts"
import {
  type About,
  allowsNull,
  ANY,
  type ArrayForm,
  distinct,
  type Form,
  identify,
  isAny,
  isList,
  NEVER,
  type ObjectForm,
  ONE_OPEN,
  OPEN,
  type Property,
  type Shape,
  SILENT,
  type TypeName,
  unite
} from "./shape.ts"
import { joinForms, meet } from "./shapeMeet.ts"
import type { Reading } from "./shapeReader.ts"

/** What is known of one schema while its keywords are read. */
export interface Part {
  readonly schema: Keywords
  readonly resource: Resource | undefined
  about: Writable<About>
  types: ReadonlyArray<string> | undefined
  values: ReadonlyArray<Json> | undefined
  asserts: Record<string, Json> | undefined
  properties: ReadonlyArray<Property> | undefined
  required: ReadonlySet<string> | undefined
  patterns: ReadonlyArray<readonly [string, Shape]> | undefined
  rest: Shape | undefined
  propertyNames: Shape | undefined
  prefix: ReadonlyArray<Shape> | undefined
  items: Shape | undefined
  /** What must hold beside all this: `allOf`, and whatever is a union. */
  conjuncts: Array<Shape> | undefined
}

const alsoMeet = (part: Part, shape: Shape): void => {
  if (part.conjuncts === undefined) part.conjuncts = [shape]
  else part.conjuncts.push(shape)
}

type Writable<A> = { -readonly [K in keyof A]: A[K] }

/** Annotations of its own to add to: silence is shared. */
const aboutOf = (part: Part): Writable<About> => {
  if (part.about === SILENT) part.about = {}
  return part.about
}

export const makePart = (schema: Keywords, resource: Resource | undefined): Part => ({
  schema,
  resource,
  about: SILENT,
  types: undefined,
  values: undefined,
  asserts: undefined,
  properties: undefined,
  required: undefined,
  patterns: undefined,
  rest: undefined,
  propertyNames: undefined,
  prefix: undefined,
  items: undefined,
  conjuncts: undefined
})

type Read = (reading: Reading, part: Part, value: unknown, keyword: string) => void

/** What describes a value may stand beside a reference in any draft. */
export const STAND_BESIDE: ReadonlySet<string> = new Set(["$ref", "default", "description", "examples", "title"])

/** They say what references within the schema are relative to. */
export const IDENTIFYING: ReadonlySet<string> = new Set(["$id", "$schema", "id"])

/** They are found by references, or are read with another keyword; none says anything by itself. */
export const SILENTLY_DROPPED: ReadonlySet<string> = new Set([
  "$anchor",
  "$comment",
  "$defs",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "$vocabulary",
  "additionalItems",
  "definitions",
  "else",
  "maxContains",
  "minContains",
  "nullable",
  "then"
])

const malformed = (reading: Reading, keyword: string): void =>
  reading.note("dropped", `the value of "${keyword}" is malformed`)

/** A value for people to read in a description; huge ones are cut there anyway. */
const MAX_VALUE = { levels: 32, values: 2000 }

export const isValue = (value: unknown): value is Json =>
  typeof value === "string" && value.isWellFormed() || typeof value === "boolean" || value === null ||
  typeof value === "number" && Number.isFinite(value) ||
  typeof value === "object" && isWithin(value, MAX_VALUE) && isJson(value) && isWellFormed(value)

/** Half of a surrogate pair can't be sent. */
const isWellFormed = (value: Json): boolean => {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  return isList(value)
    ? value.every(isWellFormed)
    : Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner))
}

const say = (part: Part, keyword: string, value: Json): void => {
  aboutOf(part).said = [...part.about.said ?? [], [keyword, value]]
}

/** What no provider's schema expresses, or none reliably, is for the model to read. */
const said: Read = (reading, part, value, keyword) => {
  if (!isValue(value)) return malformed(reading, keyword)
  say(part, keyword, value)
}

const text = (keyword: "description" | "title"): Read => (reading, part, value) => {
  if (typeof value !== "string") malformed(reading, keyword)
  else if (value !== "" && value.trim() !== "") aboutOf(part)[keyword] = value.toWellFormed()
}

const fallback: Read = (reading, part, value) => {
  if (isValue(value)) aboutOf(part).default = value
  else malformed(reading, "default")
}

const examples: Read = (reading, part, value, keyword) => {
  const list = keyword === "example" ? [value] : value
  if (Array.isArray(list) && list.every(isValue)) aboutOf(part).examples = list
  else malformed(reading, keyword)
}

/** `readOnly` and the like: worth a word where they hold. */
const flag: Read = (_reading, part, value, keyword) => {
  if (value === true) say(part, keyword, true)
}

const uniqueItems: Read = (_reading, part, value) => {
  if (value === true) part.asserts = { ...part.asserts, uniqueItems: true }
}

const type: Read = (reading, part, value) => {
  const types = readTypes(value, part.schema["nullable"])
  if (types === undefined) malformed(reading, "type")
  else part.types = types
}

const listing: Read = (reading, part, value, keyword) => {
  const list = keyword === "const" ? [value] : value
  // an empty list is none: it was to be filled, and nothing came of it
  if (!Array.isArray(list) || list.length === 0 || !list.every(isValue)) return malformed(reading, keyword)
  const { values: before } = part
  const nullable = part.schema["nullable"] === true && !list.includes(null) ? [...list, null] : list
  part.values = distinct(before === undefined ? nullable : nullable.filter((each) => isListedIn(before, each)))
}

const isListedIn = (list: ReadonlyArray<Json>, value: Json): boolean => {
  const key = identify(value)
  return list.some((each) => identify(each) === key)
}

const isCount = (value: unknown): boolean => typeof value === "number" && Number.isInteger(value) && value >= 0

export const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value)

/** Whether a provider can be expected to understand it. */
export const isPattern = (value: unknown): boolean =>
  typeof value === "string" && value.length <= MAX_PATTERN && value.isWellFormed() &&
  (Result.isSuccess(Result.try(() => new RegExp(value, "u"))) || Result.isSuccess(Result.try(() => new RegExp(value))))

const MAX_PATTERN = 2000

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

const assert = (isMeaningful: (value: unknown) => boolean): Read => (reading, part, value, keyword) => {
  if (isValue(value) && isMeaningful(value)) part.asserts = { ...part.asserts, [keyword]: value }
  else if (keyword === "pattern" && typeof value === "string") {
    said(reading, part, Text.cut(value, 200, "…"), keyword)
  } else malformed(reading, keyword)
}

/** Bounds that are the same in all drafts, with what their values must be. */
export const BOUNDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["format", isText],
  ["maxItems", isCount],
  ["maxLength", isCount],
  ["maxProperties", isCount],
  ["maximum", isNumber],
  ["minItems", isCount],
  ["minLength", isCount],
  ["minProperties", isCount],
  ["minimum", isNumber],
  ["multipleOf", (value) => isNumber(value) && Number(value) > 0],
  ["pattern", isPattern]
])

/** In draft 4 a flag beside `minimum`, later a bound of its own. */
const exclusive: Read = (reading, part, value, keyword) => {
  const inclusive = keyword === "exclusiveMinimum" ? "minimum" : "maximum"
  const bound = part.schema[inclusive]
  if (value === true && isNumber(bound) && isValue(bound)) part.asserts = { ...part.asserts, [keyword]: bound }
  else if (typeof value === "number") assert(isNumber)(reading, part, value, keyword)
  else if (typeof value !== "boolean") malformed(reading, keyword)
}

const properties: Read = (reading, part, value) => {
  if (!isKeywords(value)) return value === null ? undefined : malformed(reading, "properties")
  const list: Array<Property> = []
  for (const name of Object.keys(value)) {
    reading.names.push(name)
    list.push({ name, shape: reading.read(value[name], part.resource, name) })
  }
  part.properties = list
}

const required: Read = (reading, part, value) => {
  if (Array.isArray(value)) part.required = new Set(value.filter((name) => typeof name === "string"))
  // in draft 3, and often by mistake, a flag of the property itself
  else if (typeof value !== "boolean") malformed(reading, "required")
}

const patternProperties: Read = (reading, part, value) => {
  if (!isKeywords(value)) return malformed(reading, "patternProperties")
  part.patterns = Object.keys(value).map((pattern) => [pattern, reading.read(value[pattern], part.resource, "{}")])
}

const additionalProperties: Read = (reading, part, value) => {
  part.rest = reading.read(value, part.resource, "{}")
}

/** That names are texts goes without saying, and anything else that a schema says of other values. */
const propertyNames: Read = (reading, part, value) => {
  const names = meet(reading.room, reading.read(value, part.resource, "{}"), TEXT)
  if (names.about !== SILENT || !names.forms.includes(OPEN.string)) part.propertyNames = names
}

const TEXT: Shape = { forms: ONE_OPEN.string, about: SILENT }

const items: Read = (reading, part, value) => {
  // before 2020-12 a list here was what `prefixItems` is now, and `additionalItems` the rest
  if (!Array.isArray(value)) part.items = reading.read(value, part.resource, "[]")
  else {
    prefixItems(reading, part, value, "items")
    const rest = part.schema["additionalItems"]
    if (rest !== undefined) part.items = reading.read(rest, part.resource, "[]")
  }
}

const prefixItems: Read = (reading, part, value, keyword) => {
  if (!Array.isArray(value)) return malformed(reading, keyword)
  part.prefix = value.map((each, index) => reading.read(each, part.resource, `[${index}]`))
}

const reference: Read = (reading, part, value, keyword) => {
  const target = typeof value === "string" ? reading.refer(value, part.resource) : undefined
  if (target === undefined) {
    reading.note("widened", `the reference ${quote(value)} leads nowhere in this schema: anything is taken`)
  } else if (keyword === "$ref") alsoMeet(part, target)
  else reading.note("widened", `"${keyword}" depends on the way to it: anything is taken`)
}

const quote = (value: unknown): string => Text.cut(JSON.stringify(value) ?? "", 100, "…")

const allOf: Read = (reading, part, value) => {
  if (!Array.isArray(value)) return malformed(reading, "allOf")
  for (const each of value.slice(0, MAX_CONJUNCTS)) alsoMeet(part, reading.read(each, part.resource))
  if (value.length > MAX_CONJUNCTS) {
    reading.note("widened", `only ${MAX_CONJUNCTS} of ${value.length} parts of "allOf" are read`)
  }
}

const MAX_CONJUNCTS = 500

const union: Read = (reading, part, value, keyword) => {
  if (!Array.isArray(value) || value.length === 0) return malformed(reading, keyword)
  const branches = value.map((each) => reading.read(each, part.resource))
  const either = within(reading, unite(branches))
  // null is what is sent for nothing: where two say yes to it, it isn't valid
  const isNullTwice = keyword === "oneOf" && branches.filter(saysNull).length > 1
  alsoMeet(part, isNullTwice ? { ...either, forms: either.forms.filter(({ type: name }) => name !== "null") } : either)
}

/** Whether null is certainly valid: what is only said may be against it. */
const saysNull = (shape: Shape): boolean =>
  !isAny(shape) && shape.about.said === undefined && allowsNull(shape) &&
  shape.forms.every((form) => form.about?.said === undefined)

/** More alternatives than anyone reads are one of each type. */
const within = (reading: Reading, shape: Shape): Shape => {
  if (shape.forms.length <= MAX_ALTERNATIVES) return shape
  reading.note("widened", `${shape.forms.length} alternatives are one of each type`)
  return { ...shape, forms: joinForms(shape.forms) }
}

const MAX_ALTERNATIVES = 256

/** One that says what it asks for, or the other: which of both is for the model to read. */
const condition: Read = (reading, part, value) => {
  const { else: otherwise, then } = part.schema
  if (then === undefined && otherwise === undefined) return
  const whenTrue = meet(reading.room, reading.read(value, part.resource), readOr(reading, part, then))
  const whenFalse = readOr(reading, part, otherwise)
  // anything is no answer to which properties there are
  alsoMeet(part, unite([whenTrue, isAny(whenFalse) ? { ...whenFalse, forms: [...whenFalse.forms] } : whenFalse]))
  reading.note("widened", `"if" became a choice between "then" and "else"`)
}

const readOr = (reading: Reading, part: Part, schema: unknown): Shape =>
  schema === undefined ? ANY : reading.read(schema, part.resource)

/** Whoever has the property obeys the schema; up to draft 7 it might also be a list of names, which is only said. */
const dependentSchemas: Read = (reading, part, value, keyword) => {
  if (!isKeywords(value)) return malformed(reading, keyword)
  for (const [name, dependency] of Object.entries(value)) {
    if (Array.isArray(dependency)) said(reading, part, { [name]: dependency.filter(isText) }, "dependentRequired")
    else {
      const having: Shape = { forms: [{ ...OPEN.object, required: new Set([name]) }], about: SILENT }
      const dependent = meet(reading.room, having, reading.read(dependency, part.resource))
      alsoMeet(part, { forms: [...ANY.forms, ...dependent.forms], about: SILENT })
    }
  }
}

export const KEYWORDS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ...[...BOUNDS].map(([keyword, isMeaningful]) => [keyword, assert(isMeaningful)] as const),
  ["$dynamicRef", reference],
  ["$recursiveRef", reference],
  ["$ref", reference],
  ["additionalProperties", additionalProperties],
  ["allOf", allOf],
  ["anyOf", union],
  ["const", listing],
  ["contains", said],
  ["contentEncoding", assert(isText)],
  ["contentMediaType", assert(isText)],
  ["contentSchema", said],
  ["default", fallback],
  ["dependencies", dependentSchemas],
  ["dependentRequired", said],
  ["dependentSchemas", dependentSchemas],
  ["deprecated", flag],
  ["description", text("description")],
  ["enum", listing],
  ["example", examples],
  ["examples", examples],
  ["exclusiveMaximum", exclusive],
  ["exclusiveMinimum", exclusive],
  ["if", condition],
  ["items", items],
  ["not", said],
  ["oneOf", union],
  ["patternProperties", patternProperties],
  ["prefixItems", prefixItems],
  ["properties", properties],
  ["propertyNames", propertyNames],
  ["readOnly", flag],
  ["required", required],
  ["title", text("title")],
  ["type", type],
  ["unevaluatedItems", said],
  ["unevaluatedProperties", said],
  ["uniqueItems", uniqueItems],
  ["writeOnly", flag]
])

/** Which keywords bound values of which type. */
const ASSERTS: Readonly<Record<TypeName, ReadonlySet<string>>> = {
  null: new Set(),
  boolean: new Set(),
  integer: new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"]),
  number: new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"]),
  string: new Set(["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"]),
  array: new Set(["minItems", "maxItems", "uniqueItems"]),
  object: new Set(["minProperties", "maxProperties"])
}

export const isBoundOf = (name: TypeName, keyword: string): boolean => ASSERTS[name].has(keyword)

const ALL_TYPES: ReadonlyArray<TypeName> = ["string", "number", "boolean", "object", "array", "null"]

/** OpenAPI's; all others are of texts. */
const NUMBER_FORMATS: ReadonlySet<Json> = new Set(["double", "float", "int32", "int64"])

export const formsOf = (part: Part): ReadonlyArray<Form> => {
  if (part.values !== undefined) return listedForms(part, part.values)
  if (part.types === undefined && isSilent(part)) return ANY.forms
  const [only, ...others] = part.types ?? ALL_TYPES
  if (others.length === 0 && isTypeName(only)) return oneForm(part, only)
  const types = [only, ...others]
  return ALL_FORMS.filter((name) => types.includes(name)).map((name) => makeForm(part, name))
}

/** Most parts are of one type, and have nothing more to say. */
const oneForm = (part: Part, name: TypeName): ReadonlyArray<Form> => {
  const form = makeForm(part, name)
  return form === OPEN[name] ? ONE_OPEN[name] : [form]
}

/** A type and a word on it, as most parts of real schemas: nothing else is to be read. */
export const readLeaf = (schema: Keywords): Shape | undefined => {
  const { description, type: name } = schema
  if (typeof name !== "string" || !isScalarName(name) || !isTypeName(name)) return undefined
  for (const keyword of Object.keys(schema)) if (keyword !== "type" && keyword !== "description") return undefined
  if (description === undefined) return { forms: ONE_OPEN[name], about: SILENT }
  return typeof description === "string"
    ? { forms: ONE_OPEN[name], about: { description: description.toWellFormed() } }
    : undefined
}

export const isScalarName = (name: unknown): boolean =>
  name === "string" || name === "number" || name === "integer" || name === "boolean"

export const isTypeName = (name: unknown): name is TypeName =>
  isScalarName(name) || name === "object" || name === "array" || name === "null"

/** A list may hold both; what is a number is one without being an integer first. */
const ALL_FORMS: ReadonlyArray<TypeName> = ["string", "number", "integer", "boolean", "object", "array", "null"]

const isSilent = (part: Part): boolean =>
  part.asserts === undefined && part.properties === undefined && part.required === undefined &&
  part.patterns === undefined && part.rest === undefined && part.propertyNames === undefined &&
  part.prefix === undefined && part.items === undefined

const makeForm = (part: Part, name: TypeName): Form => {
  const asserts = assertsOf(part, name)
  if (name === "object") return objectForm(part, asserts)
  if (name === "array") return arrayForm(part, asserts)
  return asserts === OPEN[name].asserts ? OPEN[name] : { type: name, asserts }
}

const assertsOf = ({ asserts, types }: Part, name: TypeName): Readonly<Record<string, Json>> => {
  if (asserts === undefined) return OPEN[name].asserts
  const bounding = Object.entries(asserts).filter(([keyword, value]) =>
    ASSERTS[name].has(keyword) &&
    // of a type that is named it is what its owner says; of any, what it is of
    (keyword !== "format" || types !== undefined || NUMBER_FORMATS.has(value) === (name !== "string"))
  )
  return bounding.length === 0 ? OPEN[name].asserts : Object.fromEntries(bounding)
}

const objectForm = (part: Part, asserts: Readonly<Record<string, Json>>): ObjectForm => {
  const {
    patterns = [],
    properties: declared = [],
    propertyNames: names,
    required: needed = OPEN.object.required,
    rest = ANY
  } = part
  const possible = declared.every(isPossible) ? declared : declared.filter(isPossible)
  return {
    type: "object",
    asserts,
    properties: possible,
    required: needed,
    patterns,
    rest,
    ...(names === undefined ? {} : { names })
  }
}

const isPossible = ({ shape }: Property): boolean => shape.forms.length > 0

const arrayForm = (part: Part, asserts: Readonly<Record<string, Json>>): ArrayForm => {
  const { items: rest = ANY, prefix = [] } = part
  const possible = rest.forms.length > 0
  const most = possible
    ? asserts
    : { ...asserts, maxItems: Math.min(prefix.length, Number(asserts["maxItems"] ?? Infinity)) }
  return { type: "array", asserts: most, prefix, items: possible ? rest : NEVER }
}

/** By type, in order of first occurrence. */
const listedForms = (part: Part, listed: ReadonlyArray<Json>): ReadonlyArray<Form> => {
  const { types } = part
  const numbers = numberType(listed, types)
  const byType = Map.groupBy(listed, (value) => typeOf(value, numbers))
  return [...byType].flatMap(([name, list]) => {
    if (types !== undefined && !types.includes(name)) return []
    const values = withinBounds(part, name === "integer" ? list.filter(Number.isInteger) : list)
    return values.length === 0 ? [] : [withValues(part, name, values)]
  })
}

/** Values that the bounds beside the list don't allow are no values. */
const withinBounds = ({ asserts }: Part, list: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  asserts === undefined ? list : list.filter((value) => isWithinBounds(value, asserts))

const isWithinBounds = (value: Json, asserts: Readonly<Record<string, Json>>): boolean => {
  if (typeof value === "number") {
    return isBetween(value, asserts["minimum"], asserts["maximum"]) &&
      value !== asserts["exclusiveMinimum"] && value !== asserts["exclusiveMaximum"] &&
      isBetween(value, asserts["exclusiveMinimum"], asserts["exclusiveMaximum"])
  }
  return typeof value !== "string" || isBetween([...value].length, asserts["minLength"], asserts["maxLength"])
}

const isBetween = (size: number, least: Json | undefined, most: Json | undefined): boolean =>
  !(typeof least === "number" && size < least) && !(typeof most === "number" && size > most)

/** What is listed needs no more bounds. */
const withValues = (part: Part, name: TypeName, values: ReadonlyArray<Json>): Form => {
  if (name === "object") return { ...objectForm(part, OPEN.object.asserts), values }
  if (name === "array") return { ...arrayForm(part, OPEN.array.asserts), values }
  return { type: name, asserts: OPEN[name].asserts, values }
}

const typeOf = (value: Json, numbers: "integer" | "number"): TypeName => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  switch (typeof value) {
    case "boolean":
      return "boolean"
    case "string":
      return "string"
    case "number":
      return numbers
    default:
      return "object"
  }
}

/** Numbers are whole ones where the schema says so, or all of them are. */
const numberType = (all: ReadonlyArray<Json>, types: ReadonlyArray<string> | undefined): "integer" | "number" => {
  const areWhole = types === undefined
    ? all.every((value) => typeof value !== "number" || Number.isInteger(value))
    : !types.includes("number")
  return areWhole ? "integer" : "number"
}

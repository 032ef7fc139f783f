/** Schemas as OpenAI takes them, in strict mode and otherwise. */
import { draftKeywords, keywords, standardType } from "./keywords.ts"
import { at, canonical, has, isList, isObject, isString, keysOf, member, quoted, type Violations } from "./plainJson.ts"
import { type Document, requiredNames } from "./schemaPositions.ts"
import {
  arrayHasItems,
  type Dialect,
  dottedKey,
  hasOneOf,
  nothingBesideReference,
  objectHasProperties,
  requiredDeclared,
  requiredDeclaredHere,
  type Rule,
  typesOf
} from "./schemaRules.ts"

export const openAI: Dialect = {
  name: "OpenAI",
  keywords: draftKeywords,
  type: standardType,
  rootTypes: ["object"],
  propertyKey: dottedKey,
  allowsBooleans: true,
  rules: [requiredDeclared, arrayHasItems, objectHasProperties],
  documentRules: []
}

const strictObject: Rule = function*(schema, { path }) {
  if (!typesOf(schema).includes("object") && !has(schema, "properties")) return
  if (schema.additionalProperties !== false) yield `${path}: an object must have "additionalProperties": false`
  const required = requiredNames(schema)
  const optional = keysOf(member(schema, "properties")).filter((name) => !required.has(name))
  if (optional.length > 0) yield `${at(path, "required")}: lacks ${quoted(optional)}`
}

const strictFormats = keywords("date-time time date duration email hostname ipv4 ipv6 uuid")

const strictFormat: Rule = function*(schema, { path }) {
  const format = member(schema, "format")
  if (isString(format) && !strictFormats.has(format)) yield `${at(path, "format")}: ${quoted([format])} isn't supported`
}

/** A lookaround, and not the same characters behind a backslash or in a class. */
const hasLookaround = (pattern: string): boolean =>
  /\(\?<?[=!]/.test(pattern.replaceAll(/\\[\s\S]/g, "").replaceAll(/\[[^\]]*\]/g, ""))

const noLookaround: Rule = function*(schema, { path }) {
  const pattern = member(schema, "pattern")
  if (isString(pattern) && hasLookaround(pattern)) yield `${at(path, "pattern")}: lookaround isn't supported`
}

const typeOf = (value: unknown): string => value === null ? "null" : isList(value) ? "array" : typeof value

const fits = (value: unknown, types: ReadonlyArray<string>): boolean =>
  types.includes(typeOf(value)) || types.includes("integer") && Number.isInteger(value)

const strictEnum: Rule = function*(schema, { path }) {
  const values = member(schema, "enum")
  const types = typesOf(schema)
  if (!isList(values) || types.length === 0) return
  const strange = values.filter((value) => !fits(value, types))
  if (strange.length > 0) yield `${at(path, "enum")}: ${canonical(strange)} isn't of the type`
  if (types.includes("null") && !values.includes(null)) yield `${at(path, "enum")}: lacks null, which the type has`
}

// Counted as the service counts in its error: steps into properties and items, of which a branch or a `$ref` is none.
const strictDepth: Rule = function*(_, { depth, path }) {
  if (depth === 11) yield `${path}: more than 10 levels of nesting`
}

const lengthOf = (value: unknown): number => isString(value) ? value.length : canonical(value).length
const totalLength = (values: ReadonlyArray<unknown>): number =>
  values.reduce((sum: number, value) => sum + lengthOf(value), 0)

const strictEnumLengths = function*(document: Document): Violations {
  for (const { path, schema } of document.positions.values()) {
    const values = member(schema, "enum")
    if (!isList(values) || values.length <= 250) continue
    if (totalLength(values) > 15_000) yield `${at(path, "enum")}: more than 15000 characters in more than 250 values`
  }
}

const strictTotals = function*(document: Document): Violations {
  const schemas = Array.from(document.positions.values(), ({ schema }) => schema)
  const all = (keyword: string) => schemas.flatMap((schema) => keysOf(member(schema, keyword)))
  const enums = schemas.map((schema) => member(schema, "enum")).filter(isList).flat()
  const constants = schemas.filter(isObject).filter((schema) => has(schema, "const")).map((schema) => schema.const)
  const properties = all("properties")
  if (properties.length > 5000) yield `${document.path}: more than 5000 properties`
  if (enums.length > 1000) yield `${document.path}: more than 1000 values of enums`
  if (totalLength([...properties, ...all("$defs"), ...enums, ...constants]) > 120_000) {
    yield `${document.path}: more than 120000 characters of names, enums and constants`
  }
}

export const openAIStrict: Dialect = {
  ...openAI,
  name: "OpenAI's strict mode",
  keywords: keywords(
    "$ref $defs type title description properties required additionalProperties items anyOf enum const format " +
      "pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems"
  ),
  allowsBooleans: false,
  rules: [
    requiredDeclaredHere,
    arrayHasItems,
    objectHasProperties,
    nothingBesideReference,
    hasOneOf("type", "anyOf", "enum", "$ref"),
    strictObject,
    strictFormat,
    noLookaround,
    strictEnum,
    strictDepth
  ],
  documentRules: [strictEnumLengths, strictTotals]
}

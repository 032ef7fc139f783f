/** Schemas as Gemini takes them: JSON Schema, and the subset of OpenAPI. */
import { isTypeName, keywords, standardType, typeNames } from "./keywords.ts"
import { at, has, isString, isStrings, keysOf, member, quoted, type Violations } from "./plainJson.ts"
import { checkCycles, type Document } from "./schemaPositions.ts"
import {
  arrayHasItems,
  type Dialect,
  hasOneOf,
  nothingBesideReference,
  requiredDeclaredHere,
  type Rule,
  typesOf
} from "./schemaRules.ts"

const enumHasType: Rule = function*(schema, { path }) {
  if (has(schema, "enum") && !has(schema, "type")) yield `${at(path, "enum")}: needs a type beside it`
}

// Without the steps that an optional property takes, no way may lead back: arrays and branches break no cycle.
const cyclesAreOptional = ({ edges }: Document): Violations =>
  checkCycles(edges.filter(({ step }) => step !== "optional"), "a cycle must pass a property that isn't required")

export const gemini: Dialect = {
  name: "Gemini",
  keywords: keywords(
    "$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum " +
      "anyOf oneOf properties additionalProperties required propertyOrdering"
  ),
  type: standardType,
  rootTypes: ["object"],
  propertyKey: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  allowsBooleans: false,
  rules: [
    requiredDeclaredHere,
    arrayHasItems,
    nothingBesideReference,
    hasOneOf("type", "anyOf", "oneOf", "$ref"),
    enumHasType
  ],
  documentRules: [cyclesAreOptional]
}

const openApiEnum: Rule = function*(schema, { path }) {
  if (!has(schema, "enum")) return
  if (!isStrings(schema.enum)) yield `${at(path, "enum")}: must be strings`
  if (!typesOf(schema).includes("string")) yield `${at(path, "enum")}: needs the type string beside it`
}

const openApiFormats: Readonly<Record<string, ReadonlySet<string>>> = {
  string: keywords("enum date-time"),
  number: keywords("float double"),
  integer: keywords("int32 int64")
}

const openApiFormat: Rule = function*(schema, { path }) {
  const format = member(schema, "format")
  if (!isString(format)) return
  const isSupported = typesOf(schema).some((type) => openApiFormats[type]?.has(format))
  if (!isSupported) yield `${at(path, "format")}: ${quoted([format])} isn't supported for the type`
}

const anyOfAlone: Rule = function*(schema, { path }) {
  const others = Object.keys(schema).filter((keyword) => keyword !== "anyOf" && keyword !== "nullable")
  if (has(schema, "anyOf") && others.length > 0) yield `${path}: "anyOf" must stand alone, not beside ${quoted(others)}`
}

const nestedObjectHasProperty: Rule = function*(schema, { path }, document) {
  if (path === document.path || !typesOf(schema).includes("object")) return
  if (keysOf(member(schema, "properties")).length === 0) yield `${path}: an object must have at least one property`
}

export const geminiOpenApi: Dialect = {
  ...gemini,
  name: "Gemini's OpenAPI mode",
  keywords: keywords(
    "type format title description nullable enum items maxItems minItems properties maxProperties minProperties " +
      "required propertyOrdering minimum maximum minLength maxLength pattern example default anyOf"
  ),
  type: {
    expected: "the name of one type",
    holds: (value) => isTypeName(value) || isString(value) && typeNames.some((name) => name.toUpperCase() === value)
  },
  rootTypes: ["object", "OBJECT"],
  rules: [
    requiredDeclaredHere,
    arrayHasItems,
    hasOneOf("type", "anyOf"),
    openApiEnum,
    openApiFormat,
    anyOfAlone,
    nestedObjectHasProperty
  ],
  documentRules: []
}

/** What holds for the schemas of every provider, and rules that some share. */
import { type Expectation, expectationOf } from "./keywords.ts"
import {
  at,
  has,
  isBoolean,
  isList,
  isObject,
  isString,
  type JsonObject,
  keysOf,
  member,
  quoted,
  type Violations
} from "./plainJson.ts"
import {
  checkCycles,
  type Document,
  type Position,
  read,
  referencesOf,
  requiredNames,
  targetOf
} from "./schemaPositions.ts"

/** A rule looks at one schema; booleans never get here. */
export type Rule = (schema: JsonObject, position: Position, document: Document) => Violations

export interface Dialect {
  readonly name: string
  readonly keywords: ReadonlySet<string>
  readonly type: Expectation
  readonly rootTypes: ReadonlyArray<string>
  readonly propertyKey: RegExp
  readonly allowsBooleans: boolean
  readonly rules: ReadonlyArray<Rule>
  readonly documentRules: ReadonlyArray<(document: Document) => Violations>
}

/** The types a schema names, in lower case, whether it names one or several. */
export const typesOf = (schema: JsonObject): ReadonlyArray<string> => {
  const type = member(schema, "type")
  return (isList(type) ? type : [type]).filter(isString).map((name) => name.toLowerCase())
}

const rootCombinators = ["oneOf", "anyOf", "allOf", "enum", "not", "const", "if"]

function* checkRoot(root: JsonObject, path: string, dialect: Dialect): Violations {
  const type = member(root, "type")
  if (!isString(type) || !dialect.rootTypes.includes(type)) yield `${at(path, "type")}: the root must be an object`
  if (!isObject(member(root, "properties"))) yield `${at(path, "properties")}: the root must have properties`
  for (const keyword of rootCombinators) {
    if (has(root, keyword)) yield `${at(path, keyword)}: isn't allowed at the root`
  }
}

function* checkKeyword(keyword: string, value: unknown, path: string, dialect: Dialect): Violations {
  if (!dialect.keywords.has(keyword)) yield `${path}: the keyword isn't known to ${dialect.name}`
  const expectation = keyword === "type" ? dialect.type : expectationOf.get(keyword)
  if (expectation?.holds(value) === false) yield `${path}: must be ${expectation.expected}`
}

function* checkReferences(schema: JsonObject, position: Position, document: Document): Violations {
  for (const [keyword, reference] of referencesOf(schema)) {
    const path = at(position.path, keyword)
    if (!reference.startsWith("#")) yield `${path}: ${quoted([reference])} isn't local`
    else if (targetOf(reference, document.path, document.positions) === undefined) {
      yield `${path}: ${quoted([reference])} leads to no schema`
    } else if (position.base !== document.path) yield `${path}: counts from the "$id" of ${position.base}`
  }
}

/** A key that OpenAI and Anthropic take. */
export const dottedKey = /^[a-zA-Z0-9_.-]{1,64}$/

const checkPropertyKeys = (propertyKey: RegExp): Rule =>
  function*(schema, { path }) {
    for (const key of keysOf(member(schema, "properties"))) {
      if (!propertyKey.test(key)) yield `${at(path, "properties", key)}: the key doesn't match ${propertyKey}`
    }
  }

function* checkPosition(position: Position, document: Document, dialect: Dialect): Violations {
  const { path, schema } = position
  if (isBoolean(schema)) {
    const isOpenness = position.keyword === "additionalProperties"
    if (!dialect.allowsBooleans && !isOpenness) yield `${path}: ${dialect.name} has no boolean schemas`
    return
  }
  // That it must be a schema was said where its keyword was looked at.
  if (!isObject(schema)) return
  for (const keyword of Object.keys(schema)) {
    yield* checkKeyword(keyword, schema[keyword], at(path, keyword), dialect)
  }
  for (const rule of [checkReferences, checkPropertyKeys(dialect.propertyKey), ...dialect.rules]) {
    yield* rule(schema, position, document)
  }
}

export function* checkSchema(root: unknown, path: string, dialect: Dialect): Violations {
  if (!isObject(root)) {
    yield `${path}: must be a schema that is an object`
    return
  }
  const document = read(root, path)
  yield* checkRoot(root, path, dialect)
  for (const position of document.positions.values()) yield* checkPosition(position, document, dialect)
  // Core 9.4.1: a schema must not make its evaluation run on forever over the same value.
  yield* checkCycles(document.edges.filter(({ step }) => step === "inPlace"), "the reference leads back to itself")
  for (const rule of dialect.documentRules) yield* rule(document)
}

function* undeclared(schema: JsonObject, path: string, declared: ReadonlyArray<string>): Violations {
  const known = new Set(declared)
  const names = Array.from(requiredNames(schema)).filter((name) => !known.has(name))
  if (names.length > 0) yield `${at(path, "required")}: names undeclared properties: ${quoted(names)}`
}

/** What is required must be declared beside it. */
export const requiredDeclaredHere: Rule = (schema, { path }) =>
  undeclared(schema, path, keysOf(member(schema, "properties")))

const propertiesInPlace = (start: string, document: Document): ReadonlyArray<string> => {
  const reached = new Set([start])
  // A set that grows while it is iterated also yields what was added.
  for (const path of reached) {
    for (const { from, to, step } of document.edges) if (from === path && step === "inPlace") reached.add(to)
  }
  return [...reached].flatMap((path) => keysOf(member(document.positions.get(path)?.schema, "properties")))
}

/** What is required must be declared somewhere for the same value: `anyOf: [{ required }]` beside `properties`. */
export const requiredDeclared: Rule = function*(schema, { path, subject }, document) {
  if (requiredNames(schema).size > 0) yield* undeclared(schema, path, propertiesInPlace(subject, document))
}

export const arrayHasItems: Rule = function*(schema, { path }) {
  if (typesOf(schema).includes("array") && !has(schema, "items")) yield `${path}: an array must have items`
}

export const objectHasProperties: Rule = function*(schema, { path }) {
  if (typesOf(schema).includes("object") && !has(schema, "properties")) yield `${path}: an object must have properties`
}

export const nothingBesideReference: Rule = function*(schema, { path }) {
  const others = Object.keys(schema).filter((keyword) => keyword !== "$ref")
  if (has(schema, "$ref") && others.length > 0) yield `${path}: "$ref" must stand alone, not beside ${quoted(others)}`
}

export const hasOneOf = (...names: ReadonlyArray<string>): Rule =>
  function*(schema, { path }) {
    if (!names.some((name) => has(schema, name))) yield `${path}: must have one of ${quoted(names)}`
  }

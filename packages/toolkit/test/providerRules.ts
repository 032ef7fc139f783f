/**
 * What each provider of language models accepts as the declaration of a tool, as a checker for tests.
 *
 * It is written from the facts about the providers alone and shares no code with the lowering it judges: a rule both
 * had misread the same way would otherwise pass. So nothing here comes from `src/`, and nothing there may come from
 * here. Where the facts leave a question open, the checker takes the narrower answer.
 *
 * Each `check…` answers with a list of `path: problem`, empty if the provider would accept the tools. The path is a
 * JSON Pointer as a fragment, so that it reads like a `$ref`: `#/0/function/parameters/properties/city`.
 */

type JsonObject = Readonly<Record<string, unknown>>
type Violations = Iterable<string>

const isString = (value: unknown): value is string => typeof value === "string"
const isNumber = (value: unknown): value is number => typeof value === "number"
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean"
const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)
const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !isList(value)
const isStrings = (value: unknown): value is ReadonlyArray<string> => isList(value) && value.every(isString)

const has = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key)
const member = (value: unknown, key: string): unknown => isObject(value) && has(value, key) ? value[key] : undefined
const keysOf = (value: unknown): ReadonlyArray<string> => isObject(value) ? Object.keys(value) : []
const quoted = (names: Iterable<string>): string => Array.from(names, (name) => JSON.stringify(name)).join(", ")

const at = (path: string, ...steps: ReadonlyArray<string | number>): string =>
  [path, ...steps.map((step) => `${step}`.replaceAll("~", "~0").replaceAll("/", "~1"))].join("/")

/** One text for equal JSON values, whatever the order of their keys. */
const canonical = (value: unknown): string => {
  if (isList(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  return `{${Object.keys(value).toSorted().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`
}

const areDistinct = (values: ReadonlyArray<unknown>): boolean => new Set(values.map(canonical)).size === values.length

// ---------------------------------------------------------------------------------------------------------------------
// Plain JSON
// ---------------------------------------------------------------------------------------------------------------------

// A lone surrogate survives `JSON.parse(JSON.stringify(x))`, but not the UTF-8 of a request: a cut description has one.
function* checkText(text: string, path: string): Violations {
  if (!text.isWellFormed()) yield `${path}: a lone surrogate is no text`
}

function* checkScalar(value: unknown, path: string): Violations {
  if (isString(value)) yield* checkText(value, path)
  else if (isNumber(value) && !Number.isFinite(value)) yield `${path}: ${value} is no JSON number`
  else if (!isNumber(value) && !isBoolean(value) && value !== null) yield `${path}: ${typeof value} is no JSON`
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return isList(value) || prototype === Object.prototype || prototype === null
}

/** Says what a JSON round trip would change or lose, with the place, which a comparison of the two wouldn't tell. */
function* checkJson(value: unknown, path: string, around: ReadonlyArray<object> = []): Violations {
  if (typeof value !== "object" || value === null) {
    yield* checkScalar(value, path)
    return
  }
  if (around.includes(value)) {
    yield `${path}: contains itself`
    return
  }
  if (!isPlain(value)) yield `${path}: is no plain object`
  if (Object.getOwnPropertySymbols(value).length > 0) yield `${path}: has a symbol as a key`
  // `entries` of a list visits its holes, as undefined.
  for (const [key, part] of isList(value) ? value.entries() : Object.entries(value)) {
    yield* checkText(`${key}`, at(path, key))
    yield* checkJson(part, at(path, key), [...around, value])
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Where the schemas of a schema are
// ---------------------------------------------------------------------------------------------------------------------

/** How a schema leads to one below it: on to the same value, into a part of the value, or to where it is only kept. */
type Step = "inPlace" | "inside" | "optional" | "definition"

interface Position {
  readonly path: string
  readonly schema: unknown
  /** The keyword that led here; empty at the root. */
  readonly keyword: string
  readonly step: Step
  readonly parent: string | undefined
  /** The outermost schema that speaks of the same value: this one, or the one whose `anyOf` this is a branch of. */
  readonly subject: string
  /** The nearest schema with an `$id`, which is what a fragment counts from; else the root. */
  readonly base: string
  /** Steps into the value from the root; branches and definitions are none. */
  readonly depth: number
}

interface Edge {
  readonly from: string
  readonly to: string
  readonly step: Step
  readonly isReference: boolean
}

interface Document {
  readonly path: string
  readonly positions: ReadonlyMap<string, Position>
  readonly edges: ReadonlyArray<Edge>
}

const schemaKeywords: ReadonlyArray<readonly [step: Step, shape: "one" | "list" | "map", keywords: string]> = [
  ["inPlace", "one", "not if then else"],
  ["inPlace", "list", "anyOf oneOf allOf"],
  ["inPlace", "map", "dependentSchemas"],
  [
    "inside",
    "one",
    "items additionalProperties contains propertyNames unevaluatedItems unevaluatedProperties contentSchema"
  ],
  ["inside", "list", "prefixItems"],
  ["inside", "map", "properties patternProperties"],
  ["definition", "map", "$defs definitions"]
]

function* schemasOf(value: unknown, shape: "one" | "list" | "map", path: string) {
  if (shape === "one" && !isList(value)) yield { path, name: "", schema: value }
  if (shape === "list" && isList(value)) {
    for (const [index, schema] of value.entries()) yield { path: at(path, index), name: "", schema }
  }
  if (shape === "map") {
    for (const name of keysOf(value)) yield { path: at(path, name), name, schema: member(value, name) }
  }
}

const requiredNames = (schema: unknown): ReadonlySet<string> => {
  const required = member(schema, "required")
  return new Set(isStrings(required) ? required : [])
}

const below = (parent: Position, schema: unknown, path: string, keyword: string, step: Step): Position => ({
  path,
  schema,
  keyword,
  step,
  parent: parent.path,
  subject: step === "inPlace" ? parent.subject : path,
  base: member(schema, "$id") === undefined ? parent.base : path,
  depth: step === "inside" || step === "optional" ? parent.depth + 1 : parent.depth
})

function* childrenOf(parent: Position): Iterable<Position> {
  const { schema: holder } = parent
  if (!isObject(holder)) return
  const required = requiredNames(holder)
  for (const [usual, shape, names] of schemaKeywords) {
    for (const keyword of names.split(" ").filter((known) => has(holder, known))) {
      for (const { path, name, schema } of schemasOf(holder[keyword], shape, at(parent.path, keyword))) {
        const step = keyword === "properties" && !required.has(name) ? "optional" : usual
        yield below(parent, schema, path, keyword, step)
      }
    }
  }
}

function* walk(position: Position): Iterable<Position> {
  yield position
  for (const child of childrenOf(position)) yield* walk(child)
}

const fragmentOf = (reference: string): string | undefined => {
  try {
    return reference.startsWith("#") ? decodeURIComponent(reference.slice(1)) : undefined
  } catch {
    return undefined
  }
}

/** The path of the schema a local reference means; a place that holds no schema is no answer. */
const targetOf = (
  reference: string,
  root: string,
  positions: ReadonlyMap<string, Position>
): string | undefined => {
  const fragment = fragmentOf(reference)
  if (fragment === undefined) return undefined
  if (fragment === "" || fragment.startsWith("/")) return positions.get(root + fragment)?.path
  const isNamed = ({ schema }: Position) =>
    [member(schema, "$anchor"), member(schema, "$dynamicAnchor")].includes(fragment)
  return Array.from(positions.values()).find(isNamed)?.path
}

const referencesOf = (schema: unknown): ReadonlyArray<readonly [keyword: string, reference: string]> =>
  ["$ref", "$dynamicRef"].flatMap((keyword) => {
    const reference = member(schema, keyword)
    return isString(reference) ? [[keyword, reference] as const] : []
  })

function* edgesOf(root: string, positions: ReadonlyMap<string, Position>): Iterable<Edge> {
  for (const { path, schema, step, parent } of positions.values()) {
    if (parent !== undefined && step !== "definition") yield { from: parent, to: path, step, isReference: false }
    for (const [, reference] of referencesOf(schema)) {
      const target = targetOf(reference, root, positions)
      if (target !== undefined) yield { from: path, to: target, step: "inPlace", isReference: true }
    }
  }
}

const read = (schema: unknown, path: string): Document => {
  const root: Position = {
    path,
    schema,
    keyword: "",
    step: "inside",
    parent: undefined,
    subject: path,
    base: path,
    depth: 0
  }
  const positions = new Map(Array.from(walk(root), (position) => [position.path, position]))
  return { path, positions, edges: [...edgesOf(path, positions)] }
}

/** What is left of a graph when its dead ends are taken away, from both sides: nothing, if it has no cycle. */
const cyclesIn = (edges: ReadonlyArray<Edge>): ReadonlyArray<Edge> => {
  const starts = new Set(edges.map(({ from }) => from))
  const ends = new Set(edges.map(({ to }) => to))
  const rest = edges.filter(({ from, to }) => ends.has(from) && starts.has(to))
  return rest.length === edges.length ? rest : cyclesIn(rest)
}

/** A cycle can't be without a reference, since schemas themselves are a tree; so the references are what to name. */
function* checkCycles(edges: ReadonlyArray<Edge>, problem: string): Violations {
  for (const { from, isReference } of cyclesIn(edges)) if (isReference) yield `${from}: ${problem}`
}

// ---------------------------------------------------------------------------------------------------------------------
// The values of keywords, by draft 2020-12
// ---------------------------------------------------------------------------------------------------------------------

interface Expectation {
  readonly expected: string
  readonly holds: (value: unknown) => boolean
}

const typeNames = ["array", "boolean", "integer", "null", "number", "object", "string"]

const isTypeName = (value: unknown): boolean => isString(value) && typeNames.includes(value)
const isDistinctStrings = (value: unknown): boolean => isStrings(value) && areDistinct(value)
const isSchema = (value: unknown): boolean => isBoolean(value) || isObject(value)
const isMap = (holds: (value: unknown) => boolean) => (value: unknown): boolean =>
  isObject(value) && Object.values(value).every(holds)

const compiles = (pattern: unknown): boolean =>
  isString(pattern) && ["u", ""].some((flags) => {
    try {
      return new RegExp(pattern, flags) instanceof RegExp
    } catch {
      return false
    }
  })

const standardType: Expectation = {
  expected: "the name of a type, or a list of distinct ones",
  holds: (value) =>
    isTypeName(value) || isList(value) && value.length > 0 && areDistinct(value) &&
      value.every(isTypeName)
}

const expectations: ReadonlyArray<readonly [keywords: string, Expectation]> = [
  [
    "title description format $schema $comment $ref $dynamicRef contentEncoding contentMediaType",
    { expected: "a string", holds: isString }
  ],
  ["$id", { expected: "a string without a fragment", holds: (value) => isString(value) && /^[^#]*#?$/.test(value) }],
  [
    "$anchor $dynamicAnchor",
    { expected: "a plain name", holds: (value) => isString(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value) }
  ],
  ["$vocabulary", { expected: "an object of booleans", holds: isMap(isBoolean) }],
  ["uniqueItems deprecated readOnly writeOnly nullable", { expected: "a boolean", holds: isBoolean }],
  ["minimum maximum exclusiveMinimum exclusiveMaximum", { expected: "a number", holds: isNumber }],
  ["multipleOf", { expected: "a number above 0", holds: (value) => isNumber(value) && value > 0 }],
  [
    "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
    { expected: "an integer of at least 0", holds: (value) => Number.isInteger(value) && isNumber(value) && value >= 0 }
  ],
  ["pattern", { expected: "a regular expression", holds: compiles }],
  ["required propertyOrdering", { expected: "a list of distinct strings", holds: isDistinctStrings }],
  ["dependentRequired", { expected: "an object of lists of distinct strings", holds: isMap(isDistinctStrings) }],
  [
    "enum",
    {
      expected: "a list of distinct values that isn't empty",
      holds: (value) => isList(value) && value.length > 0 && areDistinct(value)
    }
  ],
  ["examples", { expected: "a list", holds: isList }],
  ["const default example", { expected: "a value", holds: () => true }],
  [
    "not if then else items additionalProperties contains propertyNames unevaluatedItems unevaluatedProperties " +
    "contentSchema",
    { expected: "a schema", holds: isSchema }
  ],
  [
    "anyOf oneOf allOf prefixItems",
    {
      expected: "a list of schemas that isn't empty",
      holds: (value) => isList(value) && value.length > 0 && value.every(isSchema)
    }
  ],
  ["properties $defs definitions dependentSchemas", { expected: "an object of schemas", holds: isMap(isSchema) }],
  [
    "patternProperties",
    {
      expected: "an object of schemas by regular expression",
      holds: (value) => isMap(isSchema)(value) && keysOf(value).every(compiles)
    }
  ]
]

const expectationOf: ReadonlyMap<string, Expectation> = new Map(
  expectations.flatMap(([keywords, expectation]) => keywords.split(" ").map((keyword) => [keyword, expectation]))
)

const keywords = (names: string): ReadonlySet<string> => new Set(names.split(" "))
const without = (known: Iterable<string>, names: string): ReadonlySet<string> =>
  new Set(Array.from(known).filter((name) => !keywords(names).has(name)))

/** The vocabularies of the draft, and `definitions`, which its metaschema still describes. */
const draftKeywords = without(["type", ...expectationOf.keys()], "nullable example propertyOrdering")

// ---------------------------------------------------------------------------------------------------------------------
// What holds for every provider
// ---------------------------------------------------------------------------------------------------------------------

/** A rule looks at one schema; booleans never get here. */
type Rule = (schema: JsonObject, position: Position, document: Document) => Violations

interface Dialect {
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
const typesOf = (schema: JsonObject): ReadonlyArray<string> => {
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

function* checkSchema(root: unknown, path: string, dialect: Dialect): Violations {
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

// ---------------------------------------------------------------------------------------------------------------------
// Rules that some providers share
// ---------------------------------------------------------------------------------------------------------------------

function* undeclared(schema: JsonObject, path: string, declared: ReadonlyArray<string>): Violations {
  const known = new Set(declared)
  const names = Array.from(requiredNames(schema)).filter((name) => !known.has(name))
  if (names.length > 0) yield `${at(path, "required")}: names undeclared properties: ${quoted(names)}`
}

/** What is required must be declared beside it. */
const requiredDeclaredHere: Rule = (schema, { path }) => undeclared(schema, path, keysOf(member(schema, "properties")))

const propertiesInPlace = (start: string, document: Document): ReadonlyArray<string> => {
  const reached = new Set([start])
  // A set that grows while it is iterated also yields what was added.
  for (const path of reached) {
    for (const { from, to, step } of document.edges) if (from === path && step === "inPlace") reached.add(to)
  }
  return [...reached].flatMap((path) => keysOf(member(document.positions.get(path)?.schema, "properties")))
}

/** What is required must be declared somewhere for the same value: `anyOf: [{ required }]` beside `properties`. */
const requiredDeclared: Rule = function*(schema, { path, subject }, document) {
  if (requiredNames(schema).size > 0) yield* undeclared(schema, path, propertiesInPlace(subject, document))
}

const arrayHasItems: Rule = function*(schema, { path }) {
  if (typesOf(schema).includes("array") && !has(schema, "items")) yield `${path}: an array must have items`
}

const objectHasProperties: Rule = function*(schema, { path }) {
  if (typesOf(schema).includes("object") && !has(schema, "properties")) yield `${path}: an object must have properties`
}

const nothingBesideReference: Rule = function*(schema, { path }) {
  const others = Object.keys(schema).filter((keyword) => keyword !== "$ref")
  if (has(schema, "$ref") && others.length > 0) yield `${path}: "$ref" must stand alone, not beside ${quoted(others)}`
}

const hasOneOf = (...names: ReadonlyArray<string>): Rule =>
  function*(schema, { path }) {
    if (!names.some((name) => has(schema, name))) yield `${path}: must have one of ${quoted(names)}`
  }

// ---------------------------------------------------------------------------------------------------------------------
// OpenAI
// ---------------------------------------------------------------------------------------------------------------------

const dottedKey = /^[a-zA-Z0-9_.-]{1,64}$/

const openAI: Dialect = {
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

const openAIStrict: Dialect = {
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

// ---------------------------------------------------------------------------------------------------------------------
// Anthropic and Bedrock
// ---------------------------------------------------------------------------------------------------------------------

const anthropic: Dialect = {
  name: "Anthropic",
  keywords: draftKeywords,
  type: standardType,
  rootTypes: ["object"],
  propertyKey: dottedKey,
  allowsBooleans: true,
  rules: [requiredDeclared],
  documentRules: []
}

const bareRoot: Rule = function*(schema, { path }, document) {
  const others = Object.keys(schema).filter((keyword) => !["type", "properties", "required"].includes(keyword))
  if (path === document.path && others.length > 0) yield `${path}: the root must be without ${quoted(others)}`
}

const bedrock: Dialect = {
  ...anthropic,
  name: "Bedrock",
  keywords: without(draftKeywords, "$ref $defs definitions $dynamicRef $anchor $dynamicAnchor $id $schema $vocabulary"),
  rules: [requiredDeclaredHere, arrayHasItems, bareRoot]
}

// ---------------------------------------------------------------------------------------------------------------------
// Gemini
// ---------------------------------------------------------------------------------------------------------------------

const enumHasType: Rule = function*(schema, { path }) {
  if (has(schema, "enum") && !has(schema, "type")) yield `${at(path, "enum")}: needs a type beside it`
}

// Without the steps that an optional property takes, no way may lead back: arrays and branches break no cycle.
const cyclesAreOptional = ({ edges }: Document): Violations =>
  checkCycles(edges.filter(({ step }) => step !== "optional"), "a cycle must pass a property that isn't required")

const gemini: Dialect = {
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

const geminiOpenApi: Dialect = {
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

// ---------------------------------------------------------------------------------------------------------------------
// Declarations
// ---------------------------------------------------------------------------------------------------------------------

interface Declaration {
  readonly path: string
  readonly value: unknown
}

interface Form {
  readonly required: ReadonlyArray<string>
  readonly optional: ReadonlyArray<string>
  readonly schemaAt: ReadonlyArray<string>
  readonly description: Expectation
  readonly dialect: (declaration: unknown) => Dialect
}

const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

const someText: Expectation = { expected: "a string", holds: isString }
const filledText: Expectation = {
  expected: "a string of at least one character",
  holds: (value) => isString(value) && value !== ""
}
const shortText: Expectation = {
  expected: "a string of at most 1024 characters",
  holds: (value) => isString(value) && value.length <= 1024
}

function* checkKeys(
  value: unknown,
  path: string,
  required: ReadonlyArray<string>,
  optional: ReadonlyArray<string> = []
): Violations {
  if (!isObject(value)) yield `${path}: must be an object`
  const present = keysOf(value)
  const known = [...required, ...optional]
  for (const key of required) if (!present.includes(key)) yield `${at(path, key)}: is missing`
  for (const key of present) if (!known.includes(key)) yield `${at(path, key)}: isn't a key here`
}

function* checkConstant(value: unknown, path: string, key: string, expected: string): Violations {
  if (isObject(value) && has(value, key) && value[key] !== expected) {
    yield `${at(path, key)}: must be ${quoted([expected])}`
  }
}

function* checkName(name: unknown, path: string, taken: Set<unknown>): Violations {
  if (!isString(name) || !toolName.test(name)) yield `${path}: doesn't match ${toolName}`
  if (taken.has(name)) yield `${path}: is the name of another tool too`
  taken.add(name)
}

function* checkDeclaration({ path, value }: Declaration, form: Form): Violations {
  yield* checkKeys(value, path, form.required, form.optional)
  const description = member(value, "description")
  if (description !== undefined && !form.description.holds(description)) {
    yield `${at(path, "description")}: must be ${form.description.expected}`
  }
  const strict = member(value, "strict")
  if (strict !== undefined && !isBoolean(strict)) yield `${at(path, "strict")}: must be a boolean`
  const schema = form.schemaAt.reduce(member, value)
  if (schema !== undefined) yield* checkSchema(schema, at(path, ...form.schemaAt), form.dialect(value))
}

function* checkDeclarations(declarations: Iterable<Declaration>, form: Form): Violations {
  const taken = new Set<unknown>()
  for (const declaration of declarations) {
    yield* checkDeclaration(declaration, form)
    yield* checkName(member(declaration.value, "name"), at(declaration.path, "name"), taken)
  }
}

const listed = (list: unknown, path: string): ReadonlyArray<Declaration> =>
  isList(list) ? list.map((value, index) => ({ path: at(path, index), value })) : []

const within = (declarations: ReadonlyArray<Declaration>, key: string): ReadonlyArray<Declaration> =>
  declarations.map(({ path, value }) => ({ path: at(path, key), value: member(value, key) }))

function* checkList(list: unknown, path: string, most: number): Violations {
  if (!isList(list)) yield `${path}: must be a list`
  else if (list.length > most) yield `${path}: more than ${most} tools`
}

/** Only what is plain JSON is looked at further: a rule must not run in circles, nor judge what is never sent. */
const violations = (tools: unknown, check: () => Violations): Array<string> => {
  const found = [...checkJson(tools, "#")]
  return found.length > 0 ? found : [...new Set(check())]
}

const openAIDialect = (declaration: unknown): Dialect => member(declaration, "strict") === true ? openAIStrict : openAI

/** `tools` of Chat Completions: `{ type: "function", function: { name, description?, parameters, strict? } }`. */
export const checkOpenAIChat = (tools: unknown): Array<string> =>
  violations(tools, function*() {
    yield* checkList(tools, "#", 128)
    for (const { path, value } of listed(tools, "#")) {
      yield* checkKeys(value, path, ["type", "function"])
      yield* checkConstant(value, path, "type", "function")
    }
    yield* checkDeclarations(within(listed(tools, "#"), "function"), {
      required: ["name", "parameters"],
      optional: ["description", "strict"],
      schemaAt: ["parameters"],
      description: shortText,
      dialect: openAIDialect
    })
  })

/** `tools` of Responses: `{ type: "function", name, description?, parameters, strict }`. */
export const checkOpenAIResponses = (tools: unknown): Array<string> =>
  violations(tools, function*() {
    yield* checkList(tools, "#", 128)
    for (const { path, value } of listed(tools, "#")) yield* checkConstant(value, path, "type", "function")
    yield* checkDeclarations(listed(tools, "#"), {
      required: ["type", "name", "parameters", "strict"],
      optional: ["description"],
      schemaAt: ["parameters"],
      description: shortText,
      dialect: openAIDialect
    })
  })

/** `tools` of Messages: `{ name, description?, input_schema }`. */
export const checkAnthropic = (tools: unknown): Array<string> =>
  violations(tools, function*() {
    yield* checkList(tools, "#", Infinity)
    yield* checkDeclarations(listed(tools, "#"), {
      required: ["name", "input_schema"],
      optional: ["description"],
      schemaAt: ["input_schema"],
      description: someText,
      dialect: () => anthropic
    })
  })

const checkFunctionDeclarations = (tools: unknown, schemaKey: string, dialect: Dialect): Array<string> =>
  violations(tools, function*() {
    if (!isList(tools) || tools.length !== 1) {
      yield "#: must be a list of exactly one element"
      return
    }
    const path = "#/0/functionDeclarations"
    const declarations = member(tools[0], "functionDeclarations")
    yield* checkKeys(tools[0], "#/0", ["functionDeclarations"])
    yield* checkList(declarations, path, 512)
    // Vertex answers 400 to an empty list.
    if (isList(declarations) && declarations.length === 0) yield `${path}: must not be empty`
    yield* checkDeclarations(listed(declarations, path), {
      required: ["name", "description", schemaKey],
      optional: [],
      schemaAt: [schemaKey],
      description: filledText,
      dialect: () => dialect
    })
  })

/** One `{ functionDeclarations: [{ name, description, parametersJsonSchema }] }`. */
export const checkGemini = (tools: unknown): Array<string> =>
  checkFunctionDeclarations(tools, "parametersJsonSchema", gemini)

/** One `{ functionDeclarations: [{ name, description, parameters }] }`, in the OpenAPI subset. */
export const checkGeminiOpenApi = (tools: unknown): Array<string> =>
  checkFunctionDeclarations(tools, "parameters", geminiOpenApi)

/** `toolConfig.tools` of Converse: `{ toolSpec: { name, description, inputSchema: { json } } }`. */
export const checkBedrock = (tools: unknown): Array<string> =>
  violations(tools, function*() {
    const specifications = within(listed(tools, "#"), "toolSpec")
    yield* checkList(tools, "#", Infinity)
    for (const { path, value } of listed(tools, "#")) yield* checkKeys(value, path, ["toolSpec"])
    for (const { path, value } of within(specifications, "inputSchema")) yield* checkKeys(value, path, ["json"])
    yield* checkDeclarations(specifications, {
      required: ["name", "description", "inputSchema"],
      optional: [],
      schemaAt: ["inputSchema", "json"],
      description: filledText,
      dialect: () => bedrock
    })
  })

/** How each keyword of a schema comes into the normal form, whichever draft it is from. */
import type { Diagnostic } from "@effect-toolnexus/core"
import {
  isBareReference,
  RECURSIVE,
  type Resource,
  type SchemaDocument,
  type Target
} from "@effect-toolnexus/core/SchemaDocument"
import {
  isSchemaList,
  isSchemaObject,
  readTypes,
  type SchemaObject,
  type SchemaValue
} from "@effect-toolnexus/core/SchemaValue"
import { isAssertion, isKnown, isMeaningful } from "./schemaKeywords.ts"
import { compilePattern, type Pattern } from "./schemaPattern.ts"

export type Normal = boolean | NormalObject

export interface NormalObject {
  [keyword: string]: unknown
  allOf?: Array<Normal>
  patternProperties?: Record<string, Normal>
}

/** What looks at one and the same value: parts, and definitions by reference. */
export interface Frame {
  steps: number
  readonly references: Array<string>
}

export interface Definition {
  readonly number: number
  readonly uses: Set<string>
  readonly frame: Frame
  schema: Normal
  exact: boolean
}

/** The dynamic anchors met on the way, by name. */
export interface DynamicScope {
  readonly bindings: ReadonlyMap<string, { readonly schema: SchemaObject; readonly resource: Resource }>
  readonly key: string
}

export interface Place {
  readonly resource: Resource
  readonly scope: DynamicScope
  readonly path: string
  /** The definition this is part of. */
  readonly owner: string
  readonly frame: Frame
}

/** One way through the schema, with what earlier ones found out: definitions that aren't exact, endless references. */
export interface Pass {
  readonly document: SchemaDocument
  readonly inexact: ReadonlySet<string>
  readonly endless: ReadonlySet<string>
  readonly frames: Array<Frame>
  readonly definitions: Map<string, Definition>
  readonly patterns: Map<string, Pattern>
  readonly diagnostics: Map<string, Diagnostic.Diagnostic>
  readonly define: (target: SchemaObject, place: Place) => string
  readonly enter: (scope: DynamicScope, resource: Resource) => DynamicScope
  parts: number
}

export interface Part {
  readonly schema: Normal
  readonly exact: boolean
}

const EVERYTHING: Part = { schema: true, exact: true }

/** What stands for something left out: it allows everything, and nothing it allows counts as unevaluated. */
const OPEN: NormalObject = { additionalProperties: true, items: true }

/** More of them say nothing new. */
const MAX_DIAGNOSTICS = 20

export const convert = (pass: Pass, value: SchemaValue, at: Place): Part => {
  if (typeof value === "boolean") return { schema: value, exact: true }
  if (!isSchemaObject(value)) return { schema: OPEN, exact: leaveOut(pass, at, "schema-keyword", "is not a schema") }
  pass.parts++
  at.frame.steps++
  const resource = pass.document.resourceOf(value, at.resource)
  const place = { ...at, resource, scope: pass.enter(at.scope, resource) }
  const out: NormalObject = { steps: 1 }
  const keywords = isBareReference(value, resource.draft) ? ["$ref"] : Object.keys(value)
  let exact = true
  for (const keyword of keywords) {
    const added = isKnown(keyword, resource.draft) ? addKeyword(pass, out, value, keyword, place) : true
    exact = added && exact
  }
  out["steps"] = weightOf(out)
  return { schema: out, exact }
}

/** `false`: the keyword, or something in it, was left out. */
const addKeyword = (pass: Pass, out: NormalObject, schema: SchemaObject, keyword: string, at: Place): boolean => {
  const value = schema[keyword]
  const read = KEYWORDS.get(keyword)
  if (value === undefined || (read === undefined && !isAssertion(keyword))) return true
  const here = { ...at, path: join(at.path, keyword) }
  if (read !== undefined) return read({ pass, out, schema, value, at: here, keyword })
  // draft 4, and OpenAPI 3.0: the bound itself is beside it
  if (keyword.startsWith("exclusive") && typeof value === "boolean") return true
  if (!isMeaningful(keyword, value)) return malformed(pass, here, keyword)
  out[keyword in BOUNDS && schema[BOUNDS[keyword] ?? ""] === true ? BOUNDS[keyword] ?? keyword : keyword] = value
  return true
}

const BOUNDS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  maximum: "exclusiveMaximum",
  minimum: "exclusiveMinimum"
})

interface Reading {
  readonly pass: Pass
  readonly out: NormalObject
  readonly schema: SchemaObject
  readonly value: SchemaValue
  readonly keyword: string
  readonly at: Place
}

type Read = (reading: Reading) => boolean

/** A place inside the value: what looks at it is counted on its own. */
const below = (pass: Pass, at: Place): Place => {
  const frame: Frame = { steps: 0, references: [] }
  pass.frames.push(frame)
  return { ...at, frame }
}

const child: Read = ({ at, keyword, out, pass, value }) => {
  const { exact, schema } = convert(pass, value, below(pass, at))
  out[keyword] = schema
  return exact
}

const convertList = (pass: Pass, values: ReadonlyArray<SchemaValue>, at: Place, place: (at: Place) => Place) => {
  const parts = values.map((value, index) => convert(pass, value, { ...place(at), path: join(at.path, index) }))
  return { schemas: parts.map(({ schema }) => schema), exact: parts.every(({ exact }) => exact) }
}

const samePlace = (at: Place): Place => at

const allOf: Read = ({ at, keyword, out, pass, value }) => {
  if (!isSchemaList(value)) return malformed(pass, at, keyword)
  const { exact, schemas } = convertList(pass, value, at, samePlace)
  out.allOf = [...(out.allOf ?? []), ...schemas]
  return exact
}

/** A value may fit one more alternative than can be told: then it only has to fit one at least. */
const union: Read = ({ at, keyword, out, pass, value }) => {
  if (!isSchemaList(value) || value.length === 0) return malformed(pass, at, keyword)
  const { exact, schemas } = convertList(pass, value, at, samePlace)
  const branches = schemas.map((branch) => ({ branch }))
  if (keyword === "oneOf" && !exact) alsoRequire(out, { anyOf: branches })
  else out[keyword] = branches
  return exact
}

const not: Read = ({ at, out, pass, value }) => {
  const { exact, schema } = convert(pass, value, at)
  if (exact) out["not"] = schema
  return exact
}

const condition: Read = ({ at, out, pass, schema, value }) => {
  const tested = convert(pass, value, at)
  if (!tested.exact) return alsoRequire(out, OPEN)
  out["if"] = tested.schema
  const branches = ["then", "else"].map((keyword) => {
    const branch = schema[keyword]
    // an `if` alone still counts for what is evaluated; the library passes one by that has nothing to decide
    const part = branch === undefined ? { schema: { steps: 1 }, exact: true } : convert(pass, branch, at)
    out[keyword] = part.schema
    return part.exact
  })
  return branches.every((exact) => exact)
}

const properties: Read = ({ at, keyword, out, pass, value }) => {
  if (!isSchemaObject(value)) return malformed(pass, at, keyword)
  const parts = convertMap(pass, value, at, (place) => below(pass, place))
  const { __proto__: hidden, ...named } = parts.schemas
  out["properties"] = { ...named }
  // the library passes this name over
  if (hidden !== undefined) addPattern(pass, out, "^__proto__$", hidden)
  return parts.exact
}

const convertMap = (pass: Pass, map: SchemaObject, at: Place, place: (at: Place) => Place) => {
  const schemas: Record<string, Normal> = Object.create(null)
  let exact = true
  for (const [key, value] of Object.entries(map)) {
    const part = convert(pass, value, { ...place(at), path: join(at.path, key) })
    schemas[key] = part.schema
    exact = part.exact && exact
  }
  return { schemas, exact }
}

const pattern: Read = ({ at, out, pass, value }) => {
  if (typeof value !== "string") return malformed(pass, at, "pattern")
  if (!usePattern(pass, value)) return unmatched(pass, at, value)
  out["pattern"] = value
  return true
}

const patternProperties: Read = ({ at, keyword, out, pass, value }) => {
  if (!isSchemaObject(value)) return malformed(pass, at, keyword)
  let complete = true
  for (const [source, schema] of Object.entries(value)) {
    const part = convert(pass, schema, below(pass, { ...at, path: join(at.path, source) }))
    const usable = addPattern(pass, out, source, part.schema)
    // which properties it is for can't be told, so none of them is an additional one
    if (!usable) complete = unmatched(pass, at, source) || !addPattern(pass, out, ANY_NAME, true)
    complete = complete && part.exact
  }
  return complete
}

const ANY_NAME = "(?:)"

const addPattern = (pass: Pass, out: NormalObject, source: string, schema: Normal): boolean => {
  // an object of the library's own making, where this would be the prototype
  const name = source === "__proto__" ? "(?:__proto__)" : source
  if (!usePattern(pass, name)) return false
  out.patternProperties = { ...out.patternProperties, [name]: schema }
  return true
}

const usePattern = (pass: Pass, source: string): boolean => {
  const compiled = pass.patterns.get(source) ?? compilePattern(source)
  if (compiled !== undefined) pass.patterns.set(source, compiled)
  return compiled !== undefined
}

/** `dependencies` was split into two keywords later. */
const dependencies: Read = ({ at, keyword, out, pass, value }) => {
  if (!isSchemaObject(value)) return malformed(pass, at, keyword)
  let exact = true
  for (const [name, dependency] of Object.entries(value)) {
    const here = { ...at, path: join(at.path, name) }
    const part = isSchemaList(dependency) ? requiredBeside(pass, dependency, here) : convert(pass, dependency, here)
    alsoRequire(out, { if: { required: [name] }, then: part.schema })
    exact = part.exact && exact
  }
  return exact
}

const requiredBeside = (pass: Pass, names: SchemaValue, at: Place): Part => {
  const exact = isMeaningful("required", names) || malformed(pass, at, "required")
  return exact ? { schema: { required: names }, exact } : EVERYTHING
}

/** Before 2020-12 a list in `items` was what `prefixItems` is now, and `additionalItems` the rest. */
const items: Read = ({ at, out, pass, schema, value }) => {
  if (!isSchemaList(value)) return child({ pass, out, schema, value, at, keyword: "items" })
  const { exact, schemas } = convertList(pass, value, at, (place) => below(pass, place))
  if (schemas.length > 0) out["prefixItems"] = schemas
  const rest = schema["additionalItems"]
  if (rest === undefined) return exact
  return child({ pass, out, schema, value: rest, at, keyword: "items" }) && exact
}

const prefixItems: Read = ({ at, keyword, out, pass, value }) => {
  if (!isSchemaList(value) || value.length === 0) return malformed(pass, at, keyword)
  const { exact, schemas } = convertList(pass, value, at, (place) => below(pass, place))
  out["prefixItems"] = schemas
  return exact
}

const contains: Read = (reading) => {
  const { out, schema } = reading
  // the library takes this for no check at all, and forgets what it evaluates
  if (schema["minContains"] === 0 && schema["maxContains"] === undefined) return alsoRequire(out, { items: true })
  const exact = child(reading)
  for (const bound of ["minContains", ...(exact ? ["maxContains"] : [])]) {
    const count = schema[bound]
    if (count !== undefined && isKnown(bound, reading.at.resource.draft)) {
      if (typeof count === "number" && Number.isInteger(count) && count >= 0) out[bound] = count
      else malformed(reading.pass, reading.at, bound)
    }
  }
  return exact
}

const type: Read = ({ at, out, pass, schema, value }) => {
  const types = readTypes(value, schema["nullable"])
  if (types === undefined) return malformed(pass, at, "type")
  out["type"] = types
  return true
}

const reference: Read = ({ at, keyword, out, pass, value }) => {
  const target = typeof value === "string" ? findTarget(pass, keyword, value, at) : undefined
  if (target === undefined) return unresolved(pass, out, at, value)
  if (typeof target.schema === "boolean") {
    alsoRequire(out, target.schema)
    return true
  }
  const key = pass.define(target.schema, { ...at, resource: target.resource })
  const owner = pass.definitions.get(at.owner)
  // deeper in the value a definition may well refer to itself
  if (at.frame === owner?.frame && pass.endless.has(`${at.owner}>${key}`)) return endless(pass, out, at, value)
  at.frame.references.push(key)
  owner?.uses.add(key)
  alsoRequire(out, { $ref: `#/$defs/${pass.definitions.get(key)?.number ?? 0}` })
  return !pass.inexact.has(key)
}

const findTarget = (pass: Pass, keyword: string, uri: string, at: Place): Target | undefined => {
  const target = pass.document.resolve(uri, at.resource)
  if (keyword === "$ref" || target === undefined) return target
  const name = keyword === "$recursiveRef" ? recursiveName(target) : target.dynamicAnchor
  return name === undefined ? target : at.scope.bindings.get(name) ?? target
}

const recursiveName = ({ resource }: Target): string | undefined =>
  resource.dynamicAnchors.has(RECURSIVE) ? RECURSIVE : undefined

const KEYWORDS: ReadonlyMap<string, Read> = new Map([
  ["$dynamicRef", reference],
  ["$recursiveRef", reference],
  ["$ref", reference],
  ["additionalProperties", child],
  ["allOf", allOf],
  ["anyOf", union],
  ["contains", contains],
  ["dependencies", dependencies],
  ["dependentRequired", dependencies],
  ["dependentSchemas", dependencies],
  ["if", condition],
  ["items", items],
  ["not", not],
  ["oneOf", union],
  ["pattern", pattern],
  ["patternProperties", patternProperties],
  ["prefixItems", prefixItems],
  ["properties", properties],
  ["propertyNames", child],
  ["type", type],
  ["unevaluatedItems", child],
  ["unevaluatedProperties", child]
])

/** Returns `false`, for it is mostly said of something that stands for what is left out. */
const alsoRequire = (out: NormalObject, schema: Normal): false => {
  out.allOf = [...(out.allOf ?? []), schema]
  return false
}

const malformed = (pass: Pass, at: Place, keyword: string): false =>
  leaveOut(pass, at, "schema-keyword", `the value of "${keyword}" is malformed`)

const unmatched = (pass: Pass, at: Place, source: string): false =>
  leaveOut(pass, at, "schema-pattern", `the pattern ${quote(source)} can't be matched in linear time`)

const unresolved = (pass: Pass, out: NormalObject, at: Place, value: SchemaValue): false => {
  alsoRequire(out, OPEN)
  return leaveOut(pass, at, "schema-reference", `the reference ${quote(value)} leads nowhere in this schema`)
}

const endless = (pass: Pass, out: NormalObject, at: Place, value: SchemaValue): false => {
  alsoRequire(out, OPEN)
  return leaveOut(pass, at, "schema-reference", `the reference ${quote(value)} leads back to itself without end`)
}

const quote = (value: SchemaValue): string => {
  const text = JSON.stringify(value)
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`
}

/** Always `false`: what is left out isn't exact. */
const leaveOut = (pass: Pass, at: Place, code: string, problem: string): false => {
  const path = at.path.slice(0, 200)
  if (pass.diagnostics.size < MAX_DIAGNOSTICS) {
    pass.diagnostics.set(`${code} ${path} ${problem}`, {
      level: "warning",
      code,
      path,
      message: `${problem}: left out of the check`
    })
  }
  return false
}

const join = (path: string, segment: string | number): string => path === "" ? String(segment) : `${path}.${segment}`

/** What one look at a value costs, in steps: mostly one, more where it goes through a list of its own. */
const weightOf = (out: NormalObject): number => {
  const lists = ["allOf", "anyOf", "oneOf", "required", "prefixItems", "enum"].map((keyword) => out[keyword])
  const maps = ["properties", "patternProperties"].map((keyword) => out[keyword])
  const lengths = [
    ...lists.map((list) => Array.isArray(list) ? list.length : 0),
    ...maps.map((map) => typeof map === "object" && map !== null ? Object.keys(map).length : 0)
  ]
  return lengths.reduce((sum, length) => sum + (length >> 2), 1)
}

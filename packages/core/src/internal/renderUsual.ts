/**
 * The short way of a usual schema to a provider, which most of real servers go: what the provider takes stays as it is,
 * and little is built. It says what the way over a shape says, and gives up where that has to be asked.
 */
import type { ProviderProfile } from "../ProviderProfile.ts"
import { describe, NOTHING } from "./describeSchema.ts"
import { refuse } from "./renderPass.ts"
import type { SchemaNote } from "./schemaNote.ts"
import type { Keywords } from "./schemaReferences.ts"
import { type About, mergeAbout, SILENT, type TypeName } from "./shape.ts"
import { isScalarName } from "./shapeKeywords.ts"
import { makeNames } from "./shapeNames.ts"
import { hasEndless, hasNeededCycle, isNamed, makeUsualDefinitions, referredName, use } from "./usualDefinitions.ts"
import { renderUsualObject } from "./usualObject.ts"
import { aboutOf, isKeywords, isText, readUsual, type UsualPart, valuesOf } from "./usualPart.ts"
import { MAX_DEPTH, MAX_PARTS, namesIn, renderAt, type UsualPass } from "./usualPass.ts"
import { type UsualInner, writeUsual } from "./writeUsual.ts"

export interface UsualSchema {
  /** Without what only identifies it. */
  readonly schema: Keywords
  /** What the root may not say of itself. */
  readonly text: string
  readonly notes: ReadonlyArray<SchemaNote>
  /** Why the profile can't express it at all. */
  readonly refused: string | undefined
}

export const renderUsual = (schema: unknown, profile: ProviderProfile): UsualSchema | undefined => {
  if (!isKeywords(schema) || schema["type"] !== "object") return undefined
  const { $defs = {}, $schema: dialect, ...whole } = schema
  if (!isKeywords($defs) || whole["$ref"] !== undefined || whole["anyOf"] !== undefined) return undefined
  const root = forRoot(whole, profile)
  if (root === undefined) return undefined
  const pass: UsualPass = {
    profile,
    notes: [],
    path: [],
    room: MAX_PARTS,
    names: makeNames(() => namesIn(root.schema, $defs)),
    refused: undefined,
    definitions: makeUsualDefinitions($defs, dialect),
    render: (part, orNull) => renderPart(pass, part, orNull),
    depth: 0,
    isOptional: undefined
  }
  const rendered = renderWhole(pass, root.schema)
  const { notes, refused } = pass
  return rendered === undefined && refused === undefined
    ? undefined
    : { schema: rendered ?? {}, text: root.text, notes, refused }
}

const renderWhole = (pass: UsualPass, root: Keywords): Keywords | undefined => {
  const rendered = renderPart(pass, root, false)
  const { definitions, path, profile } = pass
  if (rendered === undefined || definitions.used.size === 0) return rendered
  const $defs: Record<string, unknown> = {}
  pass.depth = 1
  // writing one may use others
  for (const name of definitions.used.keys()) {
    definitions.home = name
    path.splice(0, path.length, "$defs", name)
    const definition = renderPart(pass, definitions.all[name], false)
    if (definition === undefined || definitions.used.size > MAX_DEFINITIONS) return undefined
    $defs[name] = definition
  }
  if (hasEndless(definitions) || !profile.requiredCycles && hasNeededCycle(definitions)) return undefined
  return { ...rendered, $defs }
}

/** Real schemas have 70. */
const MAX_DEFINITIONS = 200

/** Without keywords that the root may not have, where nothing is lost with them but a word to say of the tool. */
const forRoot = (schema: Keywords, { rootKeywords }: ProviderProfile) => {
  if (rootKeywords === undefined) return { schema, text: "" }
  const { additionalProperties, description = "", ...root } = schema
  return Object.keys(root).every((keyword) => rootKeywords.has(keyword)) && !isKeywords(additionalProperties) &&
      (description === "" || isText(description))
    ? { schema: root, text: description }
    : undefined
}

/** `undefined` for what is not usual; the schema itself where the provider takes it, and null need not be added. */
const renderPart = (pass: UsualPass, schema: unknown, orNull: boolean): Keywords | undefined => {
  if (!isKeywords(schema) || pass.room-- <= 0 || pass.depth >= MAX_DEPTH) return undefined
  const part = readUsual(schema, pass.profile)
  if (part === undefined) return undefined
  if (part.types.length === 0) return renderUntyped(pass, part, orNull)
  if (schema["$ref"] !== undefined || schema["anyOf"] !== undefined) return undefined
  if (part.types.length > 1 && !part.isTaken) return undefined
  const inner = renderInner(pass, part)
  if (inner === undefined) return undefined
  if (part.isTaken && inner.isTaken && (!orNull || part.hasNull)) return schema
  return writeUsual(pass, part, inner, aboutOf(schema), orNull || part.hasNull)
}

const LEAF: UsualInner = { isTaken: true }

const renderInner = (pass: UsualPass, { schema, types }: UsualPart): UsualInner | undefined => {
  const { additionalProperties, items, properties, required } = schema
  const hasArray = types.includes("array")
  const hasObject = types.includes("object")
  if (!hasArray && items !== undefined) return undefined
  if (!hasObject && (additionalProperties ?? properties ?? required) !== undefined) return undefined
  if (!hasArray && !hasObject) return LEAF
  pass.depth++
  // what isn't said of its items is said of any
  const list = hasArray ? renderAt(pass, "[]", items ?? {}) : undefined
  const object = hasObject && pass.refused === undefined ? renderUsualObject(pass, schema) : LEAF
  pass.depth--
  if (hasArray && list === undefined || object === undefined) return undefined
  return list === undefined ? object : { ...object, items: list, isTaken: object.isTaken && list === items }
}

/** Alternatives, a reference, or any value. */
const renderUntyped = (pass: UsualPass, part: UsualPart, orNull: boolean): Keywords | undefined => {
  const { $ref, additionalProperties, anyOf, items, properties, required } = part.schema
  if ((additionalProperties ?? items ?? properties ?? required) !== undefined) return undefined
  if (anyOf !== undefined && $ref !== undefined) return undefined
  if (anyOf !== undefined) return Array.isArray(anyOf) ? renderAlternatives(pass, part, anyOf, orNull) : undefined
  if ($ref !== undefined) return renderReference(pass, part, orNull)
  if (pass.profile.anything === "refused") refuse(pass, "may be of any type")
  return pass.profile.anything === "untyped" && part.isTaken && !orNull ? part.schema : undefined
}

const renderReference = (pass: UsualPass, { isTaken, schema }: UsualPart, orNull: boolean): Keywords | undefined => {
  const { definitions, profile: { besideReference, keywords } } = pass
  const name = referredName(definitions, schema)
  if (name === undefined) return undefined
  const isAlone = Object.keys(schema).length === 1
  const hasReference = keywords.has("$ref")
  if (!hasReference && isAlone) return renderInPlace(pass, name, orNull)
  if (!hasReference || !besideReference && !isNamed(definitions, name)) {
    return renderScalar(pass, definitions.all[name], aboutOf(schema), orNull)
  }
  use(definitions, name, pass.isOptional === true)
  if (!orNull && (isAlone || besideReference && isTaken)) return schema
  const reference = { $ref: schema["$ref"] }
  return besideReference
    ? undefined
    : describe(pass, { anyOf: orNull ? [reference, { type: "null" }] : [reference] }, aboutOf(schema), NOTHING)
}

/** A definition of a mere text or number, where it is used. */
const renderScalar = (pass: UsualPass, definition: unknown, outer: About, orNull: boolean): Keywords | undefined => {
  const part = isKeywords(definition) ? readUsual(definition, pass.profile) : undefined
  if (part?.types.length !== 1 || !part.types.every(isScalarName)) return undefined
  const about = aboutOf(part.schema)
  if (orNull && about !== SILENT) return undefined
  return writeUsual(pass, part, LEAF, mergeAbout(outer, about), orNull || part.hasNull)
}

const renderInPlace = (pass: UsualPass, name: string, orNull: boolean): Keywords | undefined => {
  const { all, open } = pass.definitions
  if (open.has(name)) return undefined
  open.add(name)
  pass.depth++
  const rendered = renderPart(pass, all[name], orNull)
  pass.depth--
  open.delete(name)
  return rendered
}

/** Each is taken as it is, or each is written anew. */
const renderAlternatives = (
  pass: UsualPass,
  part: UsualPart,
  list: ReadonlyArray<unknown>,
  orNull: boolean
): Keywords | undefined => {
  const { besideAnyOf, strict } = pass.profile
  const noted = pass.notes.length
  pass.depth++
  const areTaken = besideAnyOf && strict === undefined && part.isTaken && list.length > 0 &&
    list.every((each) => isNull(each) || renderPart(pass, each, false) === each)
  if (!areTaken) pass.notes.length = noted
  const rendered = areTaken ? part.schema : writeAlternatives(pass, part, list, orNull)
  pass.depth--
  return rendered
}

/** With null last, if at all; what may be one for several is for a shape. */
const writeAlternatives = (
  pass: UsualPass,
  { schema }: UsualPart,
  list: ReadonlyArray<unknown>,
  orNull: boolean
): Keywords | undefined => {
  const { besideAnyOf, typeLists } = pass.profile
  const hasNull = isNull(list.at(-1))
  const others = hasNull ? list.slice(0, -1) : list
  const outer = aboutOf(schema)
  const wantsNull = hasNull || orNull
  const types = new Set<TypeName>()
  const branches: Array<unknown> = []
  let canBeList = typeLists !== "none"
  for (const each of others) {
    const part = isKeywords(each) && pass.room-- > 0 ? readUsual(each, pass.profile) : undefined
    if (part?.schema["$ref"] !== undefined) return others.length === 1 ? referenceOrNull(pass, part, outer) : undefined
    const [type] = part?.types ?? []
    if (part === undefined || type === undefined || part.types.length > 1 || part.hasNull) return undefined
    const isFirst = !types.has(type)
    if (!isFirst && valuesOf(part.schema) !== undefined) return undefined
    types.add(type === "integer" ? "number" : type)
    types.add(type)
    const inner = renderInner(pass, part)
    if (inner === undefined) return undefined
    const about = aboutOf(part.schema)
    const isOnly = others.length === 1 && wantsNull
    if (isOnly && (about === SILENT || !besideAnyOf)) {
      return writeUsual(pass, part, inner, mergeAbout(outer, about), true)
    }
    canBeList &&= isFirst && about === SILENT && (typeLists === "all" || isScalarName(type))
    branches.push(writeUsual(pass, part, inner, besideAnyOf ? about : mergeAbout(outer, about), false))
  }
  if (canBeList || list.length < 2 || !besideAnyOf && wantsNull) return undefined
  const anyOf = wantsNull ? [...branches, { type: "null" }] : branches
  return besideAnyOf ? describe(pass, { anyOf }, outer, NOTHING) : { anyOf }
}

/** As `anyOf` already: where a reference may have nothing beside it, it gets null beside it. */
const referenceOrNull = (pass: UsualPass, part: UsualPart, outer: About): Keywords | undefined => {
  const { anyOf, ...others } = renderReference(pass, part, true) ?? {}
  return anyOf === undefined || Object.keys(others).length > 0 ? undefined : describe(pass, { anyOf }, outer, NOTHING)
}

const isNull = (schema: unknown): boolean =>
  isKeywords(schema) && schema["type"] === "null" && Object.keys(schema).length === 1

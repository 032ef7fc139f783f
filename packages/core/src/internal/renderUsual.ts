/**
 * The short way of a usual schema to a provider, which most of real servers go: what the provider takes stays as it is,
 * and little is built. It says what the way over a shape says, and gives up where that has to be asked.
 */
import type { ProviderProfile } from "../ProviderProfile.ts"
import { describe, NOTHING } from "./describeSchema.ts"
import { renderCut } from "./renderOpaque.ts"
import { refuse } from "./renderPass.ts"
import type { SchemaNote } from "./schemaNote.ts"
import { isKeywords, type Keywords } from "./schemaReferences.ts"
import { type About, mergeAbout, SILENT, type TypeName } from "./shape.ts"
import { isScalarName, isTypeName } from "./shapeKeywords.ts"
import { makeNames, type Names } from "./shapeNames.ts"
import { isFarWithin, overLimit } from "./strictLimits.ts"
import { isTaken } from "./takenSchema.ts"
import {
  areUsual,
  hasEndless,
  hasNeededCycle,
  isNamed,
  makeUsualDefinitions,
  NO_DEFINITIONS,
  referredName,
  use
} from "./usualDefinitions.ts"
import { renderUsualObject } from "./usualObject.ts"
import {
  aboutOf,
  isLeaf,
  isNull,
  MAX_ALTERNATIVES,
  readUsual,
  sizeOfPart,
  takesTypes,
  type UsualPart
} from "./usualPart.ts"
import { enter, MAX_DEPTH, MAX_PARTS, namesIn, pay, renderAt, type UsualPass } from "./usualPass.ts"
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
  const { $defs, $schema: dialect } = schema
  if ($defs !== undefined && !isKeywords($defs)) return undefined
  const root = readRoot(schema, profile)
  if (root === undefined) return undefined
  let names: Names | undefined
  const pass: UsualPass = {
    profile,
    notes: [],
    path: [],
    room: MAX_PARTS,
    names: () => names ??= makeNames(() => namesIn(schema, $defs)),
    refused: undefined,
    definitions: $defs === undefined ? NO_DEFINITIONS : makeUsualDefinitions($defs, dialect),
    render: (part, orNull) => renderPart(pass, part, orNull),
    depth: 0,
    deepest: 0,
    isOptional: undefined
  }
  const rendered = renderWhole(pass, root.part)
  const { definitions, notes, refused } = pass
  if (rendered !== undefined) return { schema: rendered, text: root.text, notes, refused: overLimitOf(pass, rendered) }
  return refused !== undefined && areUsual(definitions, profile)
    ? { schema: {}, text: root.text, notes, refused }
    : undefined
}

const overLimitOf = ({ deepest, profile: { strict }, room }: UsualPass, schema: Keywords): string | undefined =>
  strict === undefined || isFarWithin(MAX_PARTS - room, deepest + 1, strict) ? undefined : overLimit(schema, strict)

/** Always written anew: what it is called is left out, and whoever changes what is sent does not change the tool. */
const renderWhole = (pass: UsualPass, root: UsualPart): Keywords | undefined => {
  const inner = pay(pass, sizeOfPart(root)) ? renderInner(pass, root) : undefined
  const rendered = inner && writeUsual(pass, root, inner, aboutOf(root), false)
  const { definitions, profile } = pass
  if (rendered === undefined || definitions.used.size === 0) return rendered
  const whole = profile.keywords.has("$ref") ? withDefinitions(pass, rendered) : rendered
  if (whole === undefined || definitions.used.size > MAX_DEFINITIONS || hasEndless(definitions)) return undefined
  return profile.requiredCycles || !hasNeededCycle(definitions) ? whole : undefined
}

const withDefinitions = (pass: UsualPass, root: Keywords): Keywords | undefined => {
  const { definitions, path } = pass
  const rendered: Array<readonly [string, Keywords]> = []
  pass.depth = 1
  // writing one may use others
  for (const name of definitions.used.keys()) {
    definitions.home = name
    path.splice(0, path.length, "$defs", name)
    const definition = renderPart(pass, definitions.all[name], false)
    if (definition === undefined) return undefined
    rendered.push([name, definition])
  }
  // `__proto__` is a name like any
  return { ...root, $defs: Object.fromEntries(rendered) }
}

/** Real schemas have 70. */
const MAX_DEFINITIONS = 200

/** Without keywords that the root may not have, where nothing is lost with them but a word to say of the tool. */
const readRoot = (schema: Keywords, profile: ProviderProfile) => {
  const part = readUsual(schema, profile, OF_THE_WHOLE)
  const { rootKeywords } = profile
  if (part === undefined || rootKeywords === undefined) return part && { part, text: "" }
  const { additionalProperties, description = "" } = part
  const isAllowed = (keyword: string) =>
    rootKeywords.has(keyword) || OF_THE_WHOLE.has(keyword) || keyword === "description" ||
    keyword === "additionalProperties" && typeof additionalProperties === "boolean"
  return Object.keys(schema).every(isAllowed)
    ? { part: { ...part, additionalProperties: undefined, description: undefined }, text: description }
    : undefined
}

/** They say nothing of values. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set(["$defs", "$schema"])

/**
 * `undefined` for what is not usual; the schema itself where the provider takes it, and nothing is added: no null, and no
 * word of what refers to it.
 */
const renderPart = (
  pass: UsualPass,
  schema: unknown,
  orNull: boolean,
  outer: About = SILENT
): Keywords | undefined => {
  if (!isKeywords(schema) || pass.depth >= MAX_DEPTH) return undefined
  if (outer === SILENT) {
    if ((!orNull || saysNull(schema)) && isTaken(pass, schema)) return schema
    if (orNull && isLeaf(schema)) return leafOrNull(pass, schema)
  }
  const part = readCharged(pass, schema)
  if (part === undefined) return undefined
  const { types } = part
  if (types.names.length === 0) return renderUntyped(pass, part, orNull, outer)
  if (types.names.length > 1 && !takesTypes(pass.profile, types)) return undefined
  const inner = renderInner(pass, part)
  return inner && writeUsual(pass, part, inner, mergeAbout(outer, aboutOf(part)), orNull || types.hasNull)
}

const saysNull = ({ type }: Keywords): boolean => Array.isArray(type) && type.includes("null")

const leafOrNull = (pass: UsualPass, { description, type }: Keywords): Keywords | undefined => {
  if (!pay(pass, typeof description === "string" ? description.length : 0)) return undefined
  if (pass.profile.typeLists === "none") {
    return description === undefined
      ? { type, nullable: true }
      : { type, description, nullable: true }
  }
  return description === undefined ? { type: [type, "null"] } : { type: [type, "null"], description }
}

const readCharged = (pass: UsualPass, schema: unknown): UsualPart | undefined => {
  const part = isKeywords(schema) && pass.room > 0 ? readUsual(schema, pass.profile) : undefined
  return part !== undefined && pay(pass, sizeOfPart(part)) ? part : undefined
}

const renderInner = (pass: UsualPass, part: UsualPart): UsualInner | undefined => {
  const { items, types: { names } } = part
  const hasArray = names.includes("array")
  const hasObject = names.includes("object")
  if (!hasArray && !hasObject) return NOTHING_WITHIN
  enter(pass)
  // what isn't said of its items is said of any
  const list = hasArray ? renderAt(pass, "[]", items ?? {}) : undefined
  const object = hasObject && pass.refused === undefined ? renderUsualObject(pass, part) : NOTHING_WITHIN
  pass.depth--
  if (hasArray && list === undefined || object === undefined) return undefined
  return list === undefined ? object : { ...object, items: list }
}

const NOTHING_WITHIN: UsualInner = {}

/** Alternatives, a reference, or any value. */
const renderUntyped = (pass: UsualPass, part: UsualPart, orNull: boolean, outer: About): Keywords | undefined => {
  const { anyOf, reference } = part
  if (Array.isArray(anyOf)) return renderAlternatives(pass, mergeAbout(outer, aboutOf(part)), anyOf, orNull)
  if (reference !== undefined) return renderReference(pass, part, orNull, outer)
  if (anyOf === undefined && pass.profile.anything === "refused") refuse(pass, "may be of any type")
  return undefined
}

const renderReference = (pass: UsualPass, part: UsualPart, orNull: boolean, outer: About): Keywords | undefined => {
  const { definitions, profile: { besideReference, keywords } } = pass
  const name = referredName(definitions, part.schema)
  if (name === undefined) return undefined
  const about = mergeAbout(outer, aboutOf(part))
  if (!keywords.has("$ref")) return renderInPlace(pass, name, orNull, about)
  if (!besideReference && !isNamed(definitions, name)) return renderScalar(pass, definitions.all[name], about, orNull)
  use(definitions, name, pass.isOptional === true)
  const reference = { $ref: part.reference }
  if (!orNull && about === SILENT) return reference
  if (besideReference) return undefined
  return describe(pass, { anyOf: orNull ? [reference, { type: "null" }] : [reference] }, about, NOTHING)
}

const renderInPlace = (pass: UsualPass, name: string, orNull: boolean, about: About): Keywords | undefined => {
  const { all, open } = pass.definitions
  if (open.has(name)) return renderCut(pass, "is part of itself")
  open.add(name)
  use(pass.definitions, name, true)
  pass.depth++
  const rendered = renderPart(pass, all[name], orNull, about)
  pass.depth--
  open.delete(name)
  return rendered
}

/** A definition of mere texts or numbers, where it is used. */
const renderScalar = (pass: UsualPass, definition: unknown, outer: About, orNull: boolean): Keywords | undefined => {
  const part = readCharged(pass, definition)
  if (part === undefined) return undefined
  const about = mergeAbout(outer, aboutOf(part))
  if (Array.isArray(part.anyOf) && part.anyOf.every(isScalar)) return writeAlternatives(pass, about, part.anyOf, orNull)
  if (!isScalarName(part.types.only)) return undefined
  return writeUsual(pass, part, NOTHING_WITHIN, about, orNull || part.types.hasNull)
}

const isScalar = (schema: unknown): boolean =>
  isKeywords(schema) && typeof schema["type"] === "string" &&
  (schema["type"] === "null" || isScalarName(schema["type"]))

const renderAlternatives = (
  pass: UsualPass,
  about: About,
  list: ReadonlyArray<unknown>,
  orNull: boolean
): Keywords | undefined => {
  if (list.length > MAX_ALTERNATIVES) return undefined
  enter(pass)
  const rendered = writeAlternatives(pass, about, list, orNull)
  pass.depth--
  return rendered
}

/** With null last, if at all; what may be one for several is for a shape. */
const writeAlternatives = (
  pass: UsualPass,
  outer: About,
  list: ReadonlyArray<unknown>,
  orNull: boolean
): Keywords | undefined => {
  const { besideAnyOf, typeLists } = pass.profile
  const hasNull = isNull(list.at(-1))
  const others = hasNull ? list.slice(0, -1) : list
  if (others.length > 1 && !others.every(isOfOneType)) return undefined
  const wantsNull = hasNull || orNull
  const types = new Set<TypeName>()
  const branches: Array<unknown> = []
  let canBeList = typeLists !== "none"
  for (const each of others) {
    const part = readCharged(pass, each)
    if (part?.reference !== undefined) {
      return others.length === 1 && wantsNull ? referenceOrNull(pass, part, outer) : undefined
    }
    const type = part?.types.only
    if (part === undefined || type === undefined || part.types.hasNull) return undefined
    const isFirst = !types.has(type)
    if (!isFirst && part.properties === undefined) return undefined
    types.add(type === "integer" ? "number" : type)
    types.add(type)
    const inner = renderInner(pass, part)
    if (inner === undefined) return undefined
    const about = aboutOf(part)
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
  const { anyOf, ...others } = renderReference(pass, part, true, SILENT) ?? {}
  return anyOf === undefined || Object.keys(others).length > 0 ? undefined : describe(pass, { anyOf }, outer, NOTHING)
}

const isOfOneType = (schema: unknown): boolean =>
  isKeywords(schema) && isTypeName(schema["type"]) && schema["$ref"] === undefined

/**
 * From a shape to the schema that a provider takes. What its profile has no keyword for is written in another way where
 * that can be read back (`argumentDecoder`), else allowed and said in the description; each is noted.
 */
import type { Json, JsonObject } from "../Json.ts"
import type { ProviderProfile } from "../ProviderProfile.ts"
import { describe, join, NOTHING, state } from "./describeSchema.ts"
import { renderArray } from "./renderArray.ts"
import { renderAsserts } from "./renderAsserts.ts"
import { renderEntries, renderObject, stateObject } from "./renderObject.ts"
import { isSchema, renderAnything, renderCut, renderFreeObject } from "./renderOpaque.ts"
import { type Body, has, leadsBack, note, type Pass, type Schema } from "./renderPass.ts"
import type { SchemaNote } from "./schemaNote.ts"
import {
  type About,
  areResolved,
  type Definition,
  type Form,
  inlineScalar,
  isAny,
  isFreeObject,
  isNever,
  isRecord,
  isScalar,
  mergeAbout,
  type ObjectForm,
  resolve,
  type ResolvedForm,
  type Shape,
  SILENT,
  SIMPLE_TYPES,
  unite
} from "./shape.ts"
import type { ToolShape } from "./shapeReader.ts"
import { overLimit } from "./strictLimits.ts"

/** What a tool's input became. */
export interface Lowered {
  readonly schema: JsonObject
  /** What the root may not say of itself. */
  readonly text: string
  readonly notes: ReadonlyArray<SchemaNote>
  /** Why the profile can't express it at all. */
  readonly refused: string | undefined
}

/** What is written where it is used may grow without bound; real schemas have up to 1,000 parts. */
const MAX_PARTS = 10_000

/** Definitions that are written where they are used nest as deep as there are definitions; real schemas 21 deep. */
const MAX_DEPTH = 100

export const renderShape = (tool: ToolShape, profile: ProviderProfile): Lowered => {
  const pass: Pass = {
    profile,
    tool,
    names: () => tool.names,
    notes: [],
    path: [],
    render: (shape) => render(pass, shape),
    used: new Set(),
    open: new Set(),
    leadsBack: undefined,
    body: undefined,
    isOptional: false,
    depth: 0,
    room: MAX_PARTS,
    refused: undefined
  }
  const { left, schema: root } = renderObject(pass, tool.root, true)
  const described = describe(pass, root, tool.about, left)
  const definitions = renderDefinitions(pass)
  const schema = definitions === undefined ? described : { ...described, $defs: definitions }
  const { rootKeywords, strict } = profile
  const refused = pass.refused ?? (strict === undefined ? undefined : overLimit(schema, strict))
  const common = { notes: pass.notes, refused }
  return rootKeywords === undefined
    ? { schema, text: "", ...common }
    : { ...narrowRoot(pass, schema, rootKeywords), ...common }
}

/** What the root may not say of itself is for the description of the tool. */
const narrowRoot = (pass: Pass, schema: JsonObject, rootKeywords: ReadonlySet<string>) => {
  const { description, ...others } = schema
  const entries = Object.entries(others)
  // that nothing else may be given goes without saying
  const unsaid = entries.filter(([keyword, value]) => !rootKeywords.has(keyword) && value !== false)
  for (const [keyword] of unsaid) note(pass, "moved", `"${keyword}" is said in the description of the tool`)
  const text = [
    ...typeof description === "string" ? [description] : [],
    ...unsaid.length === 0 ? [] : [`(${unsaid.map(state).join("; ")})`]
  ]
  return { schema: Object.fromEntries(entries.filter(([keyword]) => rootKeywords.has(keyword))), text: text.join("\n") }
}

const renderDefinitions = (pass: Pass): JsonObject | undefined => {
  if (pass.used.size === 0) return undefined
  const definitions: Array<readonly [string, Json]> = []
  // writing one may use others
  for (const definition of pass.used) {
    pass.path.splice(0, pass.path.length, "$defs", definition.name)
    pass.body = definition
    pass.isOptional = false
    definitions.push([definition.name, render(pass, definition.shape)])
  }
  return Object.fromEntries(definitions)
}

/** `isOpaqueMap`: what else the same value may be is such that a map can't be told from it. */
const render = (pass: Pass, shape: Shape, isOpaqueMap = false): Schema => {
  // what is refused as a whole needs no more writing
  if (pass.refused !== undefined) return {}
  if (pass.room-- <= 0 || pass.depth >= MAX_DEPTH) return renderCut(pass, "is more than fits into a schema")
  pass.depth++
  const schema = renderWithin(pass, shape, isOpaqueMap)
  pass.depth--
  return schema
}

const renderWithin = (pass: Pass, shape: Shape, isOpaque: boolean): Schema => {
  if (isAny(shape)) return renderAnything(pass, shape.about)
  const types = SIMPLE_TYPES.get(shape.forms)
  const [type = ""] = types ?? []
  if (types !== undefined && (types.length === 1 || pass.profile.typeLists !== "none")) {
    return describe(pass, { type: types.length === 1 ? type : [...types] }, shape.about, NOTHING)
  }
  const inlined = inlineScalar(shape)
  if (inlined !== shape) return renderWithin(pass, inlined, isOpaque)
  const forms = plainForms(shape.forms)
  if (isNever(shape)) note(pass, "widened", "no value is valid here")
  const isOpaqueMap = isOpaque || isAmbiguous(pass, forms)
  const [only] = forms
  if (only !== undefined && forms.length === 1) return renderForm(pass, only, shape.about, isOpaqueMap)
  return renderList(pass, forms, shape.about, isOpaqueMap) ?? renderNullable(pass, forms, shape.about, isOpaqueMap) ??
    renderUnion(pass, forms, shape.about, isOpaqueMap)
}

/** A definition of a mere text or number is no more to write than a reference to it. */
const plainForms = (forms: ReadonlyArray<Form>): ReadonlyArray<Form> =>
  areResolved(forms) ? forms : forms.flatMap((form) => {
    if (form.type !== "reference" || !form.definition.shape.forms.every(isScalar)) return [form]
    return withAbout(form.definition.shape, form.about ?? SILENT).forms
  })

const withAbout = (shape: Shape, about: About): Shape => unite([{ ...shape, about: mergeAbout(about, shape.about) }])

/** Several types in one schema, where nothing is said of only one of them. */
const renderList = (
  pass: Pass,
  forms: ReadonlyArray<Form>,
  about: About,
  isOpaqueMap: boolean
): Schema | undefined => {
  if (isOpaqueMap || !areResolved(forms) || !canList(pass, forms)) return undefined
  const types: Array<string> = []
  const schema: Schema = { type: types }
  let left = NOTHING
  for (const form of forms) {
    const body = renderBody(pass, form, false)
    types.push(form.type)
    left = join(left, body.left)
    for (const keyword of Object.keys(body.schema)) {
      if (keyword !== "type" && keyword !== "enum") schema[keyword] = body.schema[keyword] ?? null
    }
  }
  if (forms.some(hasValues)) schema["enum"] = forms.flatMap(valuesOf)
  return describe(pass, schema, about, left)
}

const hasValues = ({ values }: ResolvedForm): boolean => values !== undefined

const canList = (pass: Pass, forms: ReadonlyArray<ResolvedForm>): boolean => {
  const { typeLists } = pass.profile
  if (typeLists === "none" || forms.length === 0) return false
  const isListed = forms.some(hasValues)
  for (const [index, form] of forms.entries()) {
    if (form.about !== undefined || typeLists === "scalars" && !isScalar(form)) return false
    if (isListed && !isListable(pass, form)) return false
    for (let before = 0; before < index; before++) if (isLike(form.type, forms[before]?.type)) return false
  }
  return true
}

/** Whether both can't stand in one list. */
const isLike = (left: string, right: string | undefined): boolean =>
  left === right || left === "integer" && right === "number" || left === "number" && right === "integer"

/** Whether its values can all be listed. */
const isListable = ({ profile }: Pass, { type, values }: ResolvedForm): boolean =>
  type === "null" || profile.listable.has(type) && (type === "boolean" || values !== undefined)

const valuesOf = ({ type, values }: ResolvedForm): ReadonlyArray<Json> =>
  type === "null" ? [null] : values ?? (type === "boolean" ? [true, false] : [])

const renderNullable = (
  pass: Pass,
  forms: ReadonlyArray<Form>,
  about: About,
  isOpaqueMap: boolean
): Schema | undefined => {
  if (!has(pass, "nullable") || !forms.some(({ type }) => type === "null")) return undefined
  const others = forms.filter(({ type }) => type !== "null")
  if (others.length === 0) return undefined
  return asNullable(render(pass, { forms: others, about }, isOpaqueMap))
}

/** Of alternatives, which may have some of their own, the first. */
const asNullable = (schema: JsonObject): Schema => {
  const [first, ...more] = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : []
  return isSchema(first) ? { ...schema, anyOf: [asNullable(first), ...more] } : { ...schema, nullable: true }
}

const renderUnion = (
  pass: Pass,
  forms: ReadonlyArray<Form>,
  about: About,
  isOpaqueMap: boolean
): Schema => {
  if (forms.length === 0) return renderAnything(pass, about)
  const outer = pass.profile.besideAnyOf ? SILENT : about
  const branches = forms.map((form) => renderForm(pass, form, outer, isOpaqueMap))
  return outer === SILENT ? describe(pass, { anyOf: branches }, about, []) : { anyOf: branches }
}

const renderForm = (pass: Pass, form: Form, outer: About, isOpaqueMap: boolean): Schema => {
  const about = mergeAbout(outer, form.about)
  if (form.type === "reference") return renderReference(pass, form.definition, about, isOpaqueMap)
  const { left, schema } = renderBody(pass, form, isOpaqueMap)
  return describe(pass, schema, about, left)
}

/** A record that is written as a list can't be told from a list. */
const isAmbiguous = (pass: Pass, forms: ReadonlyArray<Form>): boolean => {
  if (has(pass, "additionalProperties")) return false
  const resolved = resolve(forms)
  return resolved.length > 1 && resolved.some(isMap) && resolved.some(({ type }) => type === "array")
}

const isMap = (form: ResolvedForm): boolean => form.type === "object" && isRecord(form)

const renderBody = (
  pass: Pass,
  form: ResolvedForm,
  isOpaqueMap: boolean
): Body => {
  switch (form.type) {
    case "object": {
      if (isRecord(form) && !has(pass, "additionalProperties")) {
        return isOpaqueMap ? renderOpaqueObject(pass, form, "a map beside a list") : renderEntries(pass, form)
      }
      if (isFreeObject(form) && pass.profile.anything !== "untyped") {
        return renderOpaqueObject(pass, form, "any object")
      }
      if (form.properties.length === 0 && pass.profile.anything === "json-text") {
        return renderOpaqueObject(pass, form, "an object without properties")
      }
      return renderObject(pass, form, false)
    }
    case "array":
      return renderArray(pass, form)
    default:
      return renderAsserts(pass, form, { type: form.type })
  }
}

const renderOpaqueObject = (pass: Pass, form: ObjectForm, reason: string): Body => {
  const { left, schema } = renderFreeObject(pass, reason)
  return { schema, left: join(left, stateObject(pass, form)) }
}

const renderReference = (
  pass: Pass,
  definition: Definition,
  about: About,
  isOpaqueMap: boolean
): Schema => {
  // elsewhere the same definition may have no list beside it
  if (!has(pass, "$ref") || isOpaqueMap && resolve(definition.shape.forms).some(isMap)) {
    return renderInPlace(pass, definition, about, isOpaqueMap)
  }
  const reference: Shape = { forms: [{ type: "reference", definition }], about }
  if (!pass.profile.requiredCycles && !pass.isOptional && leadsBack(pass, reference)) {
    return renderCut(pass, "is part of itself without a property between")
  }
  pass.used.add(definition)
  const schema: Schema = { $ref: `#/$defs/${definition.name}` }
  const described = describe(pass, {}, about, [])
  if (Object.keys(described).length === 0) return schema
  return pass.profile.besideReference ? { ...schema, ...described } : { anyOf: [schema], ...described }
}

const renderInPlace = (
  pass: Pass,
  definition: Definition,
  about: About,
  isOpaqueMap: boolean
): Schema => {
  if (pass.open.has(definition)) return renderCut(pass, "is part of itself")
  pass.open.add(definition)
  const { forms } = definition.shape
  const schema = render(pass, { forms, about: mergeAbout(about, definition.shape.about) }, isOpaqueMap)
  pass.open.delete(definition)
  return schema
}

/**
 * Reads back what a model sent under a lowered schema, of whichever provider: legal names become the tool's own, lists of
 * entries maps, JSON text values, and `null` for an optional property that can't be null is left out. What was sent in
 * the tool's own way stays as it is.
 *
 * The shape is followed along the value. Where it is a union, all forms that fit the value are followed at once: they are
 * told apart by what is in it, however deep, and no name and no list means one thing here and another there.
 */
import * as Result from "effect/Result"
import { isWithin, type Json, type JsonObject } from "../Json.ts"
import {
  allowsNull,
  type ArrayForm,
  identify,
  isAny,
  isList,
  isNever,
  MAX_TURNS,
  type ObjectForm,
  type Property,
  resolve,
  type ResolvedForm,
  type Shape,
  undeclared
} from "./shape.ts"
import type { ToolShape } from "./shapeReader.ts"

/** Deeper values are left as they are; the check of arguments refuses them. */
const MAX_DEPTH = 100

interface Decoding {
  readonly tool: ToolShape
  /** Whether an object with the one property for JSON text is more than it seems. */
  readonly hasJsonText: boolean
  /** Of each part of the value, which forms it has. */
  readonly fits: Map<Json, Map<ResolvedForm, boolean>>
  /** The values that a form lists, by what they hold. */
  readonly listed: Map<ResolvedForm, ReadonlySet<Json>>
  /** The properties of a form that has many: as many may be sent. */
  readonly declared: Map<ObjectForm, ReadonlyMap<string, Property>>
}

export const decodeShape = (tool: ToolShape, args: JsonObject, hasJsonText: boolean): JsonObject =>
  decodeObject({ tool, hasJsonText, fits: new Map(), listed: new Map(), declared: new Map() }, args, [tool.root], 0)

const decode = (decoding: Decoding, value: Json, shapes: ReadonlyArray<Shape>, depth: number): Json => {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value
  const text = textIn(decoding, value)
  if (text !== undefined) return decodeText(decoding, value, text, shapes, depth)
  if (shapes.every(isAny)) return value
  const forms = fitting(decoding, value, resolve(shapes.flatMap((shape) => shape.forms)))
  const objects = forms.filter((form) => form.type === "object")
  if (!isList(value)) return objects.length === 0 ? value : decodeObject(decoding, value, objects, depth)
  const arrays = forms.filter((form) => form.type === "array")
  if (arrays.length > 0) return decodeItems(decoding, value, arrays, depth)
  return objects.length > 0 && isEntries(value) ? decodeObject(decoding, fromEntries(value), objects, depth) : value
}

/** Which forms of a union the value has, all if none: then it is wrong anyway. */
const fitting = (decoding: Decoding, value: Json, forms: ReadonlyArray<ResolvedForm>): ReadonlyArray<ResolvedForm> => {
  if (forms.length < 2) return forms
  const fit = forms.filter((form) => fitsForm(decoding, value, form, 0))
  const declared = typeof value !== "object" || value === null || isList(value)
    ? []
    : fit.filter((form) => form.type === "object" && declares(decoding, form, value))
  return [declared, fit, forms].find((some) => some.length > 0) ?? forms
}

/** A model was told of declared properties only. */
const declares = (decoding: Decoding, form: ObjectForm, value: JsonObject): boolean =>
  Object.keys(value).every((sent) =>
    findProperty(decoding, form, originalName(decoding, value, [form], sent)) !== undefined
  )

const decodeItems = (decoding: Decoding, items: ReadonlyArray<Json>, forms: ReadonlyArray<ArrayForm>, depth: number) =>
  items.map((item, index) => decode(decoding, item, forms.map((form) => form.prefix[index] ?? form.items), depth + 1))

const decodeObject = (
  decoding: Decoding,
  value: JsonObject,
  forms: ReadonlyArray<ObjectForm>,
  depth: number
): JsonObject => {
  const entries: Array<readonly [string, Json]> = []
  for (const [sent, inner] of Object.entries(value)) {
    const name = originalName(decoding, value, forms, sent)
    if (inner === null && forms.every((form) => isLeftOut(decoding, form, name))) continue
    entries.push([name, decode(decoding, inner, forms.flatMap((form) => shapesOf(decoding, form, name)), depth + 1)])
  }
  return Object.fromEntries(entries)
}

const shapesOf = (decoding: Decoding, form: ObjectForm, name: string): ReadonlyArray<Shape> => {
  const shape = findProperty(decoding, form, name)?.shape ?? undeclared(form)
  return isNever(shape) ? [] : [shape]
}

/** A name that is the tool's own means itself. */
const originalName = (
  decoding: Decoding,
  value: JsonObject,
  forms: ReadonlyArray<ObjectForm>,
  sent: string
): string => {
  const original = decoding.tool.names.original(sent)
  if (original === undefined || Object.hasOwn(value, original)) return sent
  return forms.some((form) => findProperty(decoding, form, original) !== undefined) ? original : sent
}

const findProperty = ({ declared }: Decoding, form: ObjectForm, name: string): Property | undefined => {
  if (form.properties.length <= MAX_TURNS) return form.properties.find((property) => property.name === name)
  const properties = declared.get(form) ?? new Map(form.properties.map((property) => [property.name, property]))
  declared.set(form, properties)
  return properties.get(name)
}

/** Whether `null` only means that the property isn't there. */
const isLeftOut = (decoding: Decoding, form: ObjectForm, name: string): boolean => {
  const property = findProperty(decoding, form, name)
  return property !== undefined && !form.required.has(name) && !allowsNull(property.shape)
}

interface Entry {
  readonly [name: string]: Json
  readonly key: string
  readonly value: Json
}

const isEntry = (value: Json): value is Entry =>
  typeof value === "object" && value !== null && !isList(value) && Object.keys(value).length === 2 &&
  typeof value["key"] === "string" && Object.hasOwn(value, "value")

/** How a map is sent where a schema has no word for it. */
const isEntries = (value: ReadonlyArray<Json>): value is ReadonlyArray<Entry> => value.every(isEntry)

const fromEntries = (entries: ReadonlyArray<Entry>): JsonObject =>
  Object.fromEntries(entries.map(({ key, value }) => [key, value]))

const textIn = ({ hasJsonText, tool }: Decoding, value: JsonObject | ReadonlyArray<Json>): string | undefined => {
  if (!hasJsonText || isList(value)) return undefined
  const text = value[tool.names.jsonText]
  return typeof text === "string" && Object.keys(value).length === 1 ? text : undefined
}

/** Only objects and lists are ever sent so. Where the object could be meant as it is, its text must be right. */
const decodeText = (
  decoding: Decoding,
  sent: Json,
  text: string,
  shapes: ReadonlyArray<Shape>,
  depth: number
): Json => {
  const parsed = Result.try((): Json => JSON.parse(text))
  if (Result.isFailure(parsed) || typeof parsed.success !== "object" || parsed.success === null) return sent
  const value = parsed.success
  const literally: Decoding = { ...decoding, hasJsonText: false, fits: new Map() }
  const isText = shapes.length === 0 || fitsAny(decoding, value, shapes, depth) ||
    !fitsAny(literally, sent, shapes, depth)
  return isText ? decode(decoding, value, shapes, depth + 1) : sent
}

const fitsAny = (decoding: Decoding, value: Json, shapes: ReadonlyArray<Shape>, depth: number): boolean =>
  shapes.some((shape) => fits(decoding, value, shape, depth))

/** Each part of a value is looked at once for each form, however the forms are nested. */
const fitsForm = (decoding: Decoding, value: Json, form: ResolvedForm, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return fitsScalar(decoding, value, form)
  if (depth > MAX_DEPTH) return true
  const known = decoding.fits.get(value) ?? new Map<ResolvedForm, boolean>()
  decoding.fits.set(value, known)
  const before = known.get(form)
  if (before !== undefined) return before
  // a form that is asked for again below asks about a smaller value: this one can't come back
  const fits = textIn(decoding, value) !== undefined
    ? form.type === "object" || form.type === "array"
    : isList(value)
    ? fitsList(decoding, value, form, depth)
    : form.type === "object" && fitsObject(decoding, value, form, depth)
  known.set(form, fits)
  return fits
}

const fits = (decoding: Decoding, value: Json, shape: Shape, depth: number): boolean =>
  isAny(shape) || resolve(shape.forms).some((form) => fitsForm(decoding, value, form, depth + 1))

const fitsScalar = (decoding: Decoding, value: Json, form: ResolvedForm): boolean =>
  isOfType(value, form.type) && isListedIn(decoding, value, form) && fitsBounds(value, form)

const isOfType = (value: Json, type: ResolvedForm["type"]): boolean => {
  if (value === null) return type === "null"
  if (type === "integer") return Number.isInteger(value)
  return typeof value === type
}

/** What tells texts or numbers apart at all: length and size. */
const fitsBounds = (value: Json, { asserts }: ResolvedForm): boolean => {
  const within = (size: number, least: Json | undefined, most: Json | undefined) =>
    !(typeof least === "number" && size < least) && !(typeof most === "number" && size > most)
  if (typeof value === "number") return within(value, asserts["minimum"], asserts["maximum"])
  return typeof value !== "string" || within([...value].length, asserts["minLength"], asserts["maxLength"])
}

const fitsList = (decoding: Decoding, value: ReadonlyArray<Json>, form: ResolvedForm, depth: number): boolean => {
  if (form.type === "object") return isEntries(value) && fitsObject(decoding, fromEntries(value), form, depth)
  return form.type === "array" && isListedIn(decoding, value, form) &&
    value.every((item, index) => fits(decoding, item, form.prefix[index] ?? form.items, depth))
}

/** Listed values are small; one that isn't is none of them. */
const LISTED = { levels: 32, values: 2000 }

const isListedIn = (decoding: Decoding, value: Json, form: ResolvedForm): boolean => {
  if (form.values === undefined) return true
  const listed = decoding.listed.get(form) ?? new Set(form.values.map(identify))
  decoding.listed.set(form, listed)
  return isWithin(value, LISTED) && listed.has(identify(value))
}

const fitsObject = (decoding: Decoding, value: JsonObject, form: ObjectForm, depth: number): boolean => {
  if (!isListedIn(decoding, value, form)) return false
  for (const name of form.required) if (!isSent(decoding, value, form, name)) return false
  return Object.entries(value).every(([sent, inner]) => {
    const name = originalName(decoding, value, [form], sent)
    return inner === null && isLeftOut(decoding, form, name) ||
      fits(decoding, inner, findProperty(decoding, form, name)?.shape ?? undeclared(form), depth)
  })
}

const isSent = (decoding: Decoding, value: JsonObject, form: ObjectForm, name: string): boolean =>
  [name, decoding.tool.names.legal(name)].some((sent) =>
    Object.hasOwn(value, sent) && originalName(decoding, value, [form], sent) === name
  )

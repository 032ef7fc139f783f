/**
 * What a schema says about values, in one form for all drafts and all ways of writing it: a union of *forms*, each of one
 * JSON type. `allOf`, `oneOf`, `if`, lists of types and constants are gone; what no form can express is said in words. A
 * shape never refuses what its schema allows: where it can't be exact, it is wider, and a note says so.
 */
import type { Json } from "../Json.ts"

export interface Shape {
  /** Empty: no value is valid. */
  readonly forms: ReadonlyArray<Form>
  readonly about: About
}

/** Annotations, and constraints that are only said. */
export interface About {
  readonly title?: string
  readonly description?: string
  readonly default?: Json
  readonly examples?: ReadonlyArray<Json>
  readonly said?: ReadonlyArray<Statement>
}

/** A keyword and its value, for a reader. */
export type Statement = readonly [keyword: string, value: Json]

export type Form = ScalarForm | ArrayForm | ObjectForm | ReferenceForm

export type ResolvedForm = ArrayForm | ObjectForm | ScalarForm

export type TypeName = ResolvedForm["type"]

interface Constrained {
  readonly about?: About
  /** Keywords that bound a value, with their values: `minimum`, `pattern`, `maxItems` and the like. */
  readonly asserts: Asserts
  /** All that are allowed, where the schema lists them. */
  readonly values?: ReadonlyArray<Json>
}

export type Asserts = Readonly<Record<string, Json>>

export interface ScalarForm extends Constrained {
  readonly type: "boolean" | "integer" | "null" | "number" | "string"
}

export interface ArrayForm extends Constrained {
  readonly type: "array"
  /** The first items, where each has a shape of its own. */
  readonly prefix: ReadonlyArray<Shape>
  /** All others. */
  readonly items: Shape
}

export interface ObjectForm extends Constrained {
  readonly type: "object"
  readonly properties: ReadonlyArray<Property>
  /** Also names that no property has. */
  readonly required: ReadonlySet<string>
  readonly patterns: ReadonlyArray<readonly [pattern: string, shape: Shape]>
  /** Properties that are neither declared nor matched by a pattern. */
  readonly rest: Shape
  /** What each property's name must be. */
  readonly names?: Shape
}

export interface Property {
  readonly name: string
  readonly shape: Shape
}

/** A named shape, used where it stands or within itself. */
export interface ReferenceForm {
  readonly type: "reference"
  readonly about?: About
  readonly definition: Definition
}

export interface Definition {
  /** Legal and distinct among those of one schema. */
  readonly name: string
  readonly shape: Shape
}

export const SILENT: About = {}
const FREE: Asserts = {}

const scalar = (type: ScalarForm["type"]): ScalarForm => ({ type, asserts: FREE })

/** No value at all: the schema `false`. */
export const NEVER: Shape = { forms: [], about: SILENT }

/** Shapes that refer to themselves are made by hand: an array of anything is part of anything. */
const anyForms: Array<Form> = []

/** Every value: the schemas `true` and `{}`. */
export const ANY: Shape = { forms: anyForms, about: SILENT }

/** The form of each type that allows all its values. */
export const OPEN = {
  null: scalar("null"),
  boolean: scalar("boolean"),
  integer: scalar("integer"),
  number: scalar("number"),
  string: scalar("string"),
  array: { type: "array", asserts: FREE, prefix: [], items: ANY },
  object: { type: "object", asserts: FREE, properties: [], required: new Set<string>(), patterns: [], rest: ANY }
} as const satisfies Record<TypeName, Form>

/** Lists of one open form, and of one and null: most parts of real schemas have these, and share them. */
export const ONE_OPEN: Readonly<Record<TypeName, ReadonlyArray<Form>>> = {
  null: [OPEN.null],
  boolean: [OPEN.boolean],
  integer: [OPEN.integer],
  number: [OPEN.number],
  string: [OPEN.string],
  array: [OPEN.array],
  object: [OPEN.object]
}

const ORNULL: ReadonlyMap<ReadonlyArray<Form>, ReadonlyArray<Form>> = new Map(
  [ONE_OPEN.boolean, ONE_OPEN.integer, ONE_OPEN.number, ONE_OPEN.string].map((forms) => [forms, [...forms, OPEN.null]])
)

/** What the lists of one open scalar, and of one and null, are as a `type`. */
export const SIMPLE_TYPES: ReadonlyMap<ReadonlyArray<Form>, ReadonlyArray<string>> = new Map(
  [...ORNULL].flat().map((forms) => [forms, forms.map(({ type }) => type)])
)

anyForms.push(OPEN.string, OPEN.number, OPEN.boolean, OPEN.object, OPEN.array, OPEN.null)

export const isAny = ({ forms }: Shape): boolean => forms === anyForms

export const isNever = ({ forms }: Shape): boolean => forms.length === 0

/** Any object, without a word on its properties. */
export const isFreeObject = (form: ObjectForm): boolean =>
  form.properties.length === 0 && form.patterns.length === 0 && isAny(form.rest)

/** A map from names to values of one shape. */
export const isRecord = (form: ObjectForm): boolean =>
  form.properties.length === 0 && !isFreeObject(form) && (form.patterns.length > 0 || !isNever(form.rest))

/** Up to so many it is faster to look at each in turn. */
export const MAX_TURNS = 16

/** What a property that isn't declared may be. */
export const undeclared = ({ patterns, rest }: ObjectForm): Shape =>
  patterns.length === 0 ? rest : unite([...patterns.map(([, shape]) => shape), rest])

/** The forms themselves in the place of references; one that leads back to itself adds nothing. */
export const resolve = (forms: ReadonlyArray<Form>): ReadonlyArray<ResolvedForm> => {
  if (areResolved(forms)) return forms
  const resolved = new Set<ResolvedForm>()
  const seen = new Set<Definition>()
  const visit = (form: Form): void => {
    if (form.type !== "reference") {
      resolved.add(form)
      return
    }
    if (seen.has(form.definition)) return
    seen.add(form.definition)
    form.definition.shape.forms.forEach(visit)
  }
  forms.forEach(visit)
  return [...resolved]
}

export const areResolved = (forms: ReadonlyArray<Form>): forms is ReadonlyArray<ResolvedForm> => {
  for (const form of forms) if (form.type === "reference") return false
  return true
}

export const allowsNull = ({ forms }: Shape): boolean =>
  forms.some((form) =>
    form.type === "reference" ? resolve([form]).some(({ type }) => type === "null") : form.type === "null"
  )

export const isScalar = (form: Form): form is ScalarForm =>
  form.type !== "array" && form.type !== "object" && form.type !== "reference"

/** A reference to mere texts or numbers as these, so that what people wrote of both is one text. */
export const inlineScalar = (shape: Shape): Shape => {
  const [only] = shape.forms
  if (only?.type !== "reference" || shape.forms.length > 1) return shape
  const { about, forms } = only.definition.shape
  return forms.every(isScalar) ? { forms, about: mergeAbout(mergeAbout(shape.about, only.about), about) } : shape
}

/** What may be left out is null instead. */
export const orNull = (given: Shape): Shape => {
  const shape = inlineScalar(given)
  const { about, forms } = shape
  const simple = ORNULL.get(forms)
  if (simple !== undefined) return { forms: simple, about }
  return allowsNull(shape) ? shape : { forms: [...forms, OPEN.null], about }
}

/** More than anyone reads of one value; schemas can be made to say things without end. */
const MAX_STATEMENTS = 20
const MAX_TEXT = 20_000

/** Both annotations of one value; the outer ones go first. */
export const mergeAbout = (outer: About, inner: About | undefined): About => {
  if (inner === undefined || inner === SILENT || inner === outer) return outer
  if (outer === SILENT) return inner
  const description = joinText(outer.description, inner.description)
  const said = joinStatements(outer.said, inner.said)
  return {
    ...inner,
    ...outer,
    ...(description === undefined ? {} : { description }),
    ...(said === undefined ? {} : { said })
  }
}

const joinText = (outer: string | undefined, inner: string | undefined): string | undefined => {
  if (outer === undefined || inner === undefined || outer === inner) return outer ?? inner
  return outer.length + inner.length > MAX_TEXT ? outer : `${outer}\n${inner}`
}

const joinStatements = (outer: About["said"], inner: About["said"]): About["said"] => {
  if (outer === undefined || inner === undefined || outer === inner) return outer ?? inner
  if (outer.length >= MAX_STATEMENTS) return outer
  return [...new Set([...outer, ...inner])].slice(0, MAX_STATEMENTS)
}

/**
 * What one or the other allows. Annotations of each stay with its forms; lists of values of one type become one list,
 * unless each has something to say.
 */
export const unite = (shapes: ReadonlyArray<Shape>): Shape => {
  if (shapes.some(isAny)) {
    return {
      forms: ANY.forms,
      about: shapes.map(({ about }) => about).reduce(mergeAbout, SILENT)
    }
  }
  const forms = new Set<Form>()
  const lists = new Map<TypeName, Array<ListedForm>>()
  for (const { about, forms: more } of shapes) {
    for (const form of more) {
      const whole = about === SILENT ? form : { ...form, about: mergeAbout(about, form.about) }
      if (!isPlainList(whole)) forms.add(whole)
      else if (lists.has(whole.type)) lists.get(whole.type)?.push(whole)
      else {
        lists.set(whole.type, [whole])
        forms.add(whole)
      }
    }
  }
  return { forms: lists.size === 0 ? [...forms] : [...forms].map((form) => joined(form, lists)), about: SILENT }
}

type ListedForm = ResolvedForm & { readonly values: ReadonlyArray<Json> }

const isPlainList = (form: Form): form is ListedForm =>
  form.type !== "reference" && form.values !== undefined && form.about === undefined

/** The first list of a type stands for all. */
const joined = (form: Form, lists: ReadonlyMap<TypeName, ReadonlyArray<ListedForm>>): Form => {
  if (!isPlainList(form)) return form
  const all = lists.get(form.type) ?? []
  return all.length < 2 ? form : { ...form, values: distinct(all.flatMap(({ values }) => values)) }
}

/** In order of first occurrence; objects and arrays by what they hold. */
export const distinct = (values: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  if (values.every(isPlain)) return new Set(values).size === values.length ? values : [...new Set(values)]
  const seen = new Map<Json, Json>()
  for (const value of values) {
    const key = identify(value)
    if (!seen.has(key)) seen.set(key, value)
  }
  return [...seen.values()]
}

const isPlain = (value: Json): boolean => typeof value !== "object" || value === null

/** Equal for equal values, whatever the order of properties; a text never meets that of an object. */
export const identify = (value: Json): Json =>
  typeof value === "string" ? `"${value}` : typeof value === "object" && value !== null ? spell(value) : value

const spell = (value: Json): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(spell).join(",")}]`
  const entries = Object.entries(value).toSorted(([left], [right]) => left < right ? -1 : 1)
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${spell(inner)}`).join(",")}}`
}

export const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

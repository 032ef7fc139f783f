/** What several shapes allow together (`allOf`), and the one object that covers several. Both may only be too wide. */
import type { Json } from "../Json.ts"
import {
  type About,
  ANY,
  areResolved,
  type ArrayForm,
  type Asserts,
  distinct,
  type Form,
  identify,
  isAny,
  isNever,
  mergeAbout,
  NEVER,
  type ObjectForm,
  OPEN,
  type Property,
  resolve,
  type ResolvedForm,
  type ScalarForm,
  type Shape,
  SILENT,
  type TypeName,
  undeclared,
  unite
} from "./shape.ts"

/** How much may still be done, and what to do when it is too much: once said is enough. */
export interface Room {
  left: number
  readonly exhausted: () => void
}

/** Real schemas have up to a dozen; past this, all of one type become one. */
const MAX_FORMS = 64

/** Definitions that refer to each other can be put together without end. */
const MAX_LEVELS = 24

export const meet = (room: Room, left: Shape, right: Shape, level = 0): Shape => {
  const about = mergeAbout(left.about, right.about)
  if (isAny(right) || left.forms === right.forms) return about === left.about ? left : { forms: left.forms, about }
  if (isAny(left)) return about === right.about ? right : { forms: right.forms, about }
  if (level > MAX_LEVELS || room.left <= 0) {
    room.exhausted()
    return { forms: left.forms, about }
  }
  return narrow(room, { forms: meetForms(room, left, right, level), about })
}

const meetForms = (room: Room, left: Shape, right: Shape, level: number): ReadonlyArray<Form> => {
  const [ones, others] = [expand(room, left.forms), expand(room, right.forms)]
  room.left -= ones.length * others.length
  if (room.left <= 0) {
    room.exhausted()
    return left.forms
  }
  return ones.flatMap((one) => others.flatMap((other) => meetForm(room, one, other, level) ?? []))
}

/** Definitions with what was said of the place that refers to them. */
const expand = (room: Room, forms: ReadonlyArray<Form>): ReadonlyArray<ResolvedForm> =>
  areResolved(forms) ? forms : forms.flatMap((form) => {
    if (form.type !== "reference") return [form]
    const resolved = resolve([form])
    room.left -= resolved.length
    if (room.left <= 0) return []
    const about = mergeAbout(form.about ?? SILENT, form.definition.shape.about)
    return about === SILENT ? resolved : resolved.map((inner) => ({ ...inner, about: mergeAbout(about, inner.about) }))
  })

const meetForm = (room: Room, left: Form, right: Form, level: number): Form | undefined => {
  if (left === right || isOpen(right, left)) return left
  if (isOpen(left, right)) return right
  if (left.type === "object" && right.type === "object") return meetObjects(room, left, right, level)
  if (left.type === "array" && right.type === "array") return meetArrays(room, left, right, level)
  return isScalar(left) && isScalar(right) ? meetScalars(left, right) : undefined
}

const isScalar = (form: Form): form is ScalarForm => !["array", "object", "reference"].includes(form.type)

/** Whether `form` has nothing to add to `other`. */
const isOpen = (form: Form, other: Form): boolean =>
  form.type !== "reference" && form === OPEN[form.type] &&
  (form.type === other.type || form.type === "number" && other.type === "integer")

const meetScalars = (left: ScalarForm, right: ScalarForm): ScalarForm | undefined => {
  const type = commonType(left.type, right.type)
  if (type === undefined) return undefined
  const constraints = meetConstraints(left, right)
  if (constraints.values === undefined) return { type, ...constraints }
  const values = type === "integer" ? constraints.values.filter(Number.isInteger) : constraints.values
  // of two lists that have nothing in common
  return values.length === 0 ? undefined : { type, ...constraints, values }
}

const commonType = (left: ScalarForm["type"], right: ScalarForm["type"]): ScalarForm["type"] | undefined => {
  if (left === right) return left
  return isNumeric(left) && isNumeric(right) ? "integer" : undefined
}

const isNumeric = (type: string): boolean => type === "integer" || type === "number"

interface Constraints {
  readonly asserts: Asserts
  readonly values?: ReadonlyArray<Json>
  readonly about?: About
}

const meetConstraints = (left: Constraints, right: Constraints): Constraints => {
  const values = meetValues(left.values, right.values)
  const { asserts, said } = meetAsserts(left.asserts, right.asserts)
  const about = mergeAbout(mergeAbout(left.about ?? SILENT, right.about), said)
  return { asserts, ...(values === undefined ? {} : { values }), ...(about === SILENT ? {} : { about }) }
}

const meetValues = (left: ReadonlyArray<Json> | undefined, right: ReadonlyArray<Json> | undefined) => {
  if (left === undefined || right === undefined) return left ?? right
  const allowed = new Set(right.map(identify))
  return left.filter((value) => allowed.has(identify(value)))
}

/** Bounds are the tighter of both; of others that differ, the second is only said. */
const meetAsserts = (left: Asserts, right: Asserts) => {
  const asserts: Record<string, Json> = { ...left }
  const said: Array<readonly [string, Json]> = []
  for (const [keyword, value] of Object.entries(right)) {
    const before = asserts[keyword]
    if (before === undefined || before === value) asserts[keyword] = value
    else if (typeof before === "number" && typeof value === "number" && keyword !== "multipleOf") {
      asserts[keyword] = /^(?:min|exclusiveMin)/.test(keyword) ? Math.max(before, value) : Math.min(before, value)
    } else if (keyword !== "uniqueItems") said.push([keyword, value])
  }
  return { asserts, said: said.length === 0 ? SILENT : { said } }
}

const meetArrays = (room: Room, left: ArrayForm, right: ArrayForm, level: number): ArrayForm => ({
  type: "array",
  prefix: Array.from(
    { length: Math.max(left.prefix.length, right.prefix.length) },
    (_, index) => meet(room, left.prefix[index] ?? left.items, right.prefix[index] ?? right.items, level + 1)
  ),
  items: meet(room, left.items, right.items, level + 1),
  ...meetConstraints(left, right)
})

/** `undefined` where a property that is needed can't be. */
const meetObjects = (room: Room, left: ObjectForm, right: ObjectForm, level: number): ObjectForm | undefined => {
  room.left -= left.properties.length + right.properties.length + left.required.size + right.required.size +
    left.patterns.length + right.patterns.length
  const theirs = new Map(right.properties.map((property) => [property.name, property.shape]))
  const ours = new Set(left.properties.map(({ name }) => name))
  const together = (name: string, one: Shape, other: Shape): Property => ({
    name,
    shape: meet(room, one, other, level + 1)
  })
  const properties = [
    ...left.properties.map(({ name, shape }) => together(name, shape, theirs.get(name) ?? beyond(right))),
    ...right.properties.filter(({ name }) => !ours.has(name)).map(({ name, shape }) =>
      together(name, shape, beyond(left))
    )
  ]
  const required = new Set([...left.required, ...right.required])
  const impossible = new Set(properties.filter(({ shape }) => isNever(shape)).map(({ name }) => name))
  if (impossible.size > 0 && [...required].some((name) => impossible.has(name))) return undefined
  const names = left.names === undefined || right.names === undefined
    ? left.names ?? right.names
    : meet(room, left.names, right.names, level + 1)
  return {
    type: "object",
    properties: impossible.size === 0 ? properties : properties.filter(({ name }) => !impossible.has(name)),
    required,
    patterns: joinPatterns(
      [...left.patterns, ...right.patterns],
      (shapes) => shapes.reduce((both, shape) => meet(room, both, shape, level + 1))
    ),
    rest: meet(room, left.rest, right.rest, level + 1),
    ...(names === undefined ? {} : { names }),
    ...meetConstraints(left, right)
  }
}

/** Each pattern once. */
const joinPatterns = (patterns: ObjectForm["patterns"], join: (shapes: ReadonlyArray<Shape>) => Shape) => {
  if (patterns.length < 2) return patterns
  const byPattern = Map.groupBy(patterns, ([pattern]) => pattern)
  return [...byPattern].map(([pattern, some]) => [pattern, join(some.map(([, shape]) => shape))] as const)
}

/** What one object says of another's properties: nothing, where a pattern might be for them. */
const beyond = (form: ObjectForm): Shape => form.patterns.length === 0 ? form.rest : ANY

const narrow = (room: Room, shape: Shape): Shape => {
  if (shape.forms.length <= MAX_FORMS) return shape
  room.exhausted()
  return { forms: joinForms(shape.forms), about: shape.about }
}

/** One form for each type. */
export const joinForms = (forms: ReadonlyArray<Form>): ReadonlyArray<Form> => {
  const byType = Map.groupBy(resolve(forms), ({ type }) => type)
  return [...byType].flatMap(([type, some]): ReadonlyArray<Form> => {
    const objects = some.filter((form) => form.type === "object")
    return objects.length > 0 ? [joinObjects(objects)] : [joinListed(type, some)]
  })
}

/** Values are listed as long as all are. */
const joinListed = (type: TypeName, forms: ReadonlyArray<ResolvedForm>): Form =>
  forms.every(({ values }) => values !== undefined)
    ? { ...OPEN[type], values: distinct(forms.flatMap(({ values }) => values ?? [])) }
    : OPEN[type]

/**
 * The object that has what any of several have. A property that all of them need is needed; the rest is said, for it is
 * what tells the alternatives apart.
 */
export const joinObjects = (forms: ReadonlyArray<ObjectForm>): ObjectForm => {
  const [only, ...others] = forms
  if (only !== undefined && others.length === 0) return only
  const required = new Set([...only?.required ?? []].filter((name) => others.every((form) => form.required.has(name))))
  const about = mergeAbout(
    forms.map((form) => form.about ?? SILENT).reduce(mergeAbout, SILENT),
    alternatives(forms, required)
  )
  return {
    type: "object",
    asserts: OPEN.object.asserts,
    properties: joinProperties(forms),
    required,
    // a pattern of one alternative says nothing of the properties of another
    patterns: [],
    rest: forms.every((form) => isNever(undeclared(form))) ? NEVER : unite(forms.map(undeclared)),
    ...(about === SILENT ? {} : { about })
  }
}

const joinProperties = (forms: ReadonlyArray<ObjectForm>): ReadonlyArray<Property> => {
  const shapes = new Map<string, Set<Shape>>()
  for (const { name, shape } of forms.flatMap(({ properties }) => properties)) {
    const known = shapes.get(name)
    if (known === undefined) shapes.set(name, new Set([shape]))
    else known.add(shape)
  }
  return [...shapes].map(([name, either]) => {
    const [only = ANY] = either
    return { name, shape: either.size === 1 ? only : unite([...either]) }
  })
}

/** "One of these groups is needed", where the alternatives differ in what they need. */
const alternatives = (forms: ReadonlyArray<ObjectForm>, common: ReadonlySet<string>): About => {
  const groups = distinct(forms.map(({ required }) => [...required].filter((name) => !common.has(name))))
  return groups.length < 2 ? SILENT : { said: [["required, one group of", groups]] }
}

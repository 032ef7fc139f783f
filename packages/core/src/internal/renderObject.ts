/** Objects: their properties by names the provider takes, and what else they may have. */
import type { Json } from "../Json.ts"
import { join, nameShape, NOTHING } from "./describeSchema.ts"
import { renderAsserts } from "./renderAsserts.ts"
import {
  type Body,
  has,
  leadsBack,
  nameFor,
  note,
  noteRenamed,
  ONLY_DECLARED,
  type Pass,
  quoteName,
  refuse,
  renderAt,
  type Schema
} from "./renderPass.ts"
import {
  type Asserts,
  isAny,
  isNever,
  isRecord,
  type ObjectForm,
  OPEN,
  orNull,
  type Property,
  resolve,
  type Shape,
  type Statement,
  undeclared
} from "./shape.ts"
import { isPattern } from "./shapeKeywords.ts"

export const renderObject = (pass: Pass, form: ObjectForm, isRoot: boolean): Body => {
  const { left, schema } = renderAsserts(pass, form, { type: "object" }, !isRoot)
  const properties: Schema = {}
  const required: Array<string> = []
  for (const property of form.properties) {
    const legal = nameFor(pass, property.name)
    setOwn(properties, legal, renderProperty(pass, form, property, legal))
    if (isRequired(pass, form, property)) required.push(legal)
  }
  schema["properties"] = properties
  if (required.length > 0 || pass.profile.strict !== undefined) schema["required"] = required
  return { schema, left: join(join(left, missing(pass, form)), renderRest(pass, form, schema, isRoot)) }
}

/** `__proto__` is a name like any. */
const setOwn = (object: Schema, name: string, value: Json): void => {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  } else object[name] = value
}

/** Names that are needed, though nothing is said of them. */
const missing = (pass: Pass, form: ObjectForm): ReadonlyArray<Statement> => {
  const { properties, required } = form
  const declared = properties.reduce((count, { name }) => required.has(name) ? count + 1 : count, 0)
  if (declared === required.size) return NOTHING
  const known = new Set(properties.map(({ name }) => name))
  const names = [...required].filter((name) => !known.has(name))
  note(
    pass,
    "moved",
    `"required" names properties that are not declared: ${names.slice(0, 20).map(quoteName).join(", ")}`
  )
  return [["required", names]]
}

const isRequired = (pass: Pass, form: ObjectForm, property: Property): boolean =>
  pass.profile.strict !== undefined || form.required.has(property.name) && !needsOptional(pass, property)

/** What leads back to the definition it is part of, and so must be optional. */
const needsOptional = (pass: Pass, { shape }: Property): boolean =>
  !pass.profile.requiredCycles && leadsBack(pass, shape)

const renderProperty = (pass: Pass, form: ObjectForm, { name, shape }: Property, legal: string): Schema => {
  const isNeeded = form.required.has(name)
  pass.path.push(name)
  if (legal !== name) noteRenamed(pass, name, legal)
  const before = pass.isOptional
  const mustBeOptional = isNeeded && needsOptional(pass, { name, shape })
  if (mustBeOptional) note(pass, "widened", "it leads back to what it is part of, and so is not declared as required")
  pass.isOptional = before || !isNeeded || mustBeOptional
  const schema = pass.render(pass.profile.strict === undefined || isNeeded ? shape : orNull(shape))
  pass.isOptional = before
  pass.path.pop()
  return schema
}

/** Properties that are not declared. */
const renderRest = (pass: Pass, form: ObjectForm, schema: Schema, isRoot: boolean): ReadonlyArray<Statement> => {
  const { names, patterns, rest } = form
  if (pass.profile.strict !== undefined) {
    schema["additionalProperties"] = false
    closeObject(pass, form)
    return NOTHING
  }
  if (!has(pass, "additionalProperties")) {
    if (!isAny(rest) && !isNever(rest) || patterns.length > 0) {
      note(pass, "narrowed", "only declared properties are mentioned")
    }
    return NOTHING
  }
  const left: Array<Statement> = []
  const canMatch = patterns.length > 0 && has(pass, "patternProperties") &&
    patterns.every(([pattern]) => isPattern(pattern))
  if (canMatch) {
    schema["patternProperties"] = Object.fromEntries(
      patterns.map(([pattern, shape]) => [pattern, isNever(shape) ? false : renderAt(pass, "{}", shape)])
    )
  } else if (patterns.length > 0) left.push(["patternProperties", patterns.map(([pattern]) => pattern)])
  const others = canMatch ? rest : undeclared(form)
  if (isNever(others)) schema["additionalProperties"] = false
  else if (!isAny(others)) schema["additionalProperties"] = renderAt(pass, "{}", others)
  else if (pass.profile.anything === "typed" && form.properties.length === 0 && !isRoot) {
    schema["additionalProperties"] = true
  }
  if (names !== undefined) {
    if (has(pass, "propertyNames")) schema["propertyNames"] = renderAt(pass, "{}", names)
    else left.push(stateNames(names))
  }
  return left
}

/** That an object is open is often nobody's intention; properties that a schema speaks of are. */
const closeObject = (pass: Pass, form: ObjectForm): void => {
  const { asserts: { minProperties = 0 }, patterns, properties, required, rest } = form
  const isSpokenOf = patterns.length > 0 || !isAny(rest) && !isNever(rest)
  const declared = properties.filter(({ name }) => required.has(name))
  if (isSpokenOf || declared.length < required.size || Number(minProperties) > properties.length) {
    refuse(pass, "may have properties that are not declared")
  } else if (!isNever(rest)) note(pass, "narrowed", ONLY_DECLARED)
}

/** What is said of an object that isn't written as one. */
export const stateObject = (pass: Pass, form: ObjectForm): ReadonlyArray<Statement> => [
  ...Object.entries(form.asserts),
  ...stateKeys(form),
  ...form.names === undefined ? NOTHING : [stateNames(form.names)],
  ...isRecord(form) ? [["values", nameShape(undeclared(form))] as const] : NOTHING,
  ...stateMembers(pass, form)
]

const stateKeys = ({ patterns }: ObjectForm): ReadonlyArray<Statement> =>
  patterns.length === 0 ? NOTHING : [["keys match", patterns.map(([pattern]) => pattern)]]

const stateMembers = (pass: Pass, form: ObjectForm): ReadonlyArray<Statement> =>
  join(form.values === undefined ? NOTHING : [["enum", form.values]], missing(pass, form))

const stateNames = (names: Shape): Statement => {
  const [only, ...others] = resolve(names.forms)
  if (only === undefined) return ["names of properties", "none is valid"]
  const says = only.values ?? only.asserts
  return ["names of properties", others.length === 0 && Object.keys(says).length > 0 ? says : nameShape(names)]
}

/** `{key, value}` for each, where a schema has no word for a map. */
export const renderEntries = (pass: Pass, form: ObjectForm): Body => {
  note(pass, "encoded", "a map is sent as a list of entries, each with a key and a value")
  const key = form.names === undefined ? { type: "string" } : renderAt(pass, "{}", form.names)
  const entry = {
    type: "object",
    properties: { key, value: renderAt(pass, "{}", undeclared(form)) },
    required: ["key", "value"],
    ...(pass.profile.strict === undefined ? {} : { additionalProperties: false })
  }
  const { minProperties, maxProperties } = form.asserts
  const asserts: Asserts = {
    ...(minProperties === undefined ? {} : { minItems: minProperties }),
    ...(maxProperties === undefined ? {} : { maxItems: maxProperties })
  }
  const { left, schema } = renderAsserts(pass, { ...OPEN.array, asserts }, { type: "array", items: entry })
  return { schema, left: [...left, ...stateKeys(form), ...stateMembers(pass, form)] }
}

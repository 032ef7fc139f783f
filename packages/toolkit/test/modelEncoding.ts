/**
 * What a model would send: a value written as a provider's schema asks for it. It knows that schema, and from the notes
 * which property goes by which name; nothing of how the schema came about.
 */
import type { Json, ProviderSchema } from "@effect-toolnexus/core"
import * as SchemaValidator from "../src/SchemaValidator.ts"

/** There is no way to write the value. */
export const IMPOSSIBLE: unique symbol = Symbol("impossible")

type Encoded = Json.Json | typeof IMPOSSIBLE

interface Schema {
  readonly [keyword: string]: unknown
}

interface Model {
  readonly root: Schema
  readonly names: ReadonlyMap<string, string>
  readonly validators: WeakMap<object, SchemaValidator.Validator>
  /** How many properties were given as null because they had to be given. */
  nulls: number
}

export const renames = (notes: ReadonlyArray<ProviderSchema.Note>): ReadonlyMap<string, string> =>
  new Map(
    notes.filter(({ kind }) => kind === "renamed").flatMap(({ text }) => {
      const [, original, legal] = /^(".*") is sent as "(.*)"$/.exec(text) ?? []
      return original === undefined || legal === undefined ? [] : [[String(JSON.parse(original)), legal]]
    })
  )

export const encode = (root: Schema, names: ReadonlyMap<string, string>, value: Json.Json): Encoded =>
  write({ root, names, validators: new WeakMap(), nulls: 0 }, root, value)

/** To Gemini, `nullable` means that null is as good as any value that is listed. */
export const listNull = (schema: Json.JsonObject): Json.JsonObject => asSchema(listNullIn(schema))

const asSchema = (value: Json.Json): Json.JsonObject => isObject(value) ? value : {}

const listNullIn = (schema: Json.Json): Json.Json => {
  if (isList(schema)) return schema.map(listNullIn)
  if (!isObject(schema)) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, listNullIn(value)]))
  return inner["nullable"] === true && isList(inner["enum"] ?? null)
    ? { ...inner, enum: [...Object.values(inner["enum"] ?? []), null] }
    : inner
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isObject = (value: Json.Json): value is Json.JsonObject =>
  typeof value === "object" && value !== null && !isList(value)

const isList = (value: Json.Json): value is ReadonlyArray<Json.Json> => Array.isArray(value)

const write = (model: Model, schema: unknown, value: Json.Json): Encoded => {
  if (schema === undefined || schema === true) return value
  if (!isSchema(schema)) return IMPOSSIBLE
  if (typeof schema["$ref"] === "string") return write(model, target(model, schema["$ref"]), value)
  const { anyOf } = schema
  if (Array.isArray(anyOf)) {
    return writeBest(model, anyOf, value)
  }
  const encoded = isObject(value)
    ? writeObject(model, schema, value)
    : isList(value)
    ? writeList(model, schema, value)
    : value
  return encoded !== IMPOSSIBLE && isValid(model, schema, encoded) ? encoded : IMPOSSIBLE
}

/** Whoever wants to say the value takes the alternative that asks for the least else. */
const writeBest = (model: Model, branches: ReadonlyArray<unknown>, value: Json.Json): Encoded => {
  const before = model.nulls
  const ways = branches.map((branch): { readonly encoded: Encoded; readonly nulls: number } => {
    model.nulls = 0
    return { encoded: write(model, branch, value), nulls: model.nulls }
  }).filter(({ encoded }) => encoded !== IMPOSSIBLE)
  const [best] = ways.toSorted((left, right) => left.nulls - right.nulls)
  model.nulls = before + (best?.nulls ?? 0)
  return best === undefined ? IMPOSSIBLE : best.encoded
}

const target = ({ root }: Model, reference: string): unknown => {
  const definitions = root["$defs"]
  return isSchema(definitions) ? definitions[reference.replace("#/$defs/", "")] : undefined
}

const isValid = ({ root, validators }: Model, schema: Schema, value: Json.Json): boolean => {
  const validator = validators.get(schema) ?? SchemaValidator.compile({ ...schema, $defs: root["$defs"] ?? {} })
  validators.set(schema, validator)
  return validator.validate(value).length === 0
}

const writeList = (model: Model, schema: Schema, list: ReadonlyArray<Json.Json>): Encoded => {
  const { items, prefixItems = [] } = schema
  const text = asJsonText(schema, list)
  if (text !== undefined) return text
  const prefix: ReadonlyArray<unknown> = Array.isArray(prefixItems) ? prefixItems : []
  return allOf(list.map((item, index) => write(model, prefix[index] ?? items, item)))
}

const allOf = (parts: ReadonlyArray<Encoded>): Encoded => {
  const written = parts.filter((part) => part !== IMPOSSIBLE)
  return written.length === parts.length ? written : IMPOSSIBLE
}

const writeObject = (model: Model, schema: Schema, value: Json.JsonObject): Encoded => {
  const { items } = schema
  if (schema["type"] === "array" && isSchema(items) && isSchema(items["properties"]) && "key" in items["properties"]) {
    return writeEntries(model, items, value)
  }
  return asJsonText(schema, value) ?? writeProperties(model, schema, propertiesOf(schema), value)
}

const propertiesOf = ({ properties }: Schema): Schema => isSchema(properties) ? properties : {}

const asJsonText = (schema: Schema, value: Json.Json): Json.JsonObject | undefined => {
  const text = Object.entries(propertiesOf(schema)).find(([, property]) => isJsonText(property))
  return text === undefined ? undefined : { [text[0]]: JSON.stringify(value) }
}

const isJsonText = (property: unknown): boolean =>
  isSchema(property) && typeof property["description"] === "string" && property["description"].endsWith("as JSON text")

const writeEntries = (model: Model, item: Schema, value: Json.JsonObject): Encoded => {
  const inner = isSchema(item["properties"]) ? item["properties"] : {}
  return allOf(
    Object.entries(value).map(([key, each]): Encoded => {
      const encoded = write(model, inner["value"], each)
      return encoded === IMPOSSIBLE ? IMPOSSIBLE : { key, value: encoded }
    })
  )
}

const writeProperties = (model: Model, schema: Schema, properties: Schema, value: Json.JsonObject): Encoded => {
  const entries: Array<readonly [string, Json.Json]> = []
  for (const [name, inner] of Object.entries(value)) {
    const legal = Object.hasOwn(properties, name) ? name : model.names.get(name)
    const isDeclared = legal !== undefined && Object.hasOwn(properties, legal)
    const encoded = isDeclared ? write(model, properties[legal], inner) : writeUndeclared(model, schema, name, inner)
    if (encoded === IMPOSSIBLE) return IMPOSSIBLE
    entries.push([isDeclared ? legal : name, encoded])
  }
  const given = new Set(entries.map(([name]) => name))
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  for (const name of required) {
    if (typeof name !== "string" || given.has(name)) continue
    entries.push([name, null])
    model.nulls++
  }
  return Object.fromEntries(entries)
}

const writeUndeclared = (model: Model, schema: Schema, name: string, value: Json.Json): Encoded => {
  const patterns = isSchema(schema["patternProperties"]) ? Object.entries(schema["patternProperties"]) : []
  const matching = patterns.find(([pattern]) => new RegExp(pattern, "u").test(name))
  return write(model, matching?.[1] ?? schema["additionalProperties"], value)
}

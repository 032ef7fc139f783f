/**
 * Where the references of a schema lead (JSON Schema Core, sections 8 and 9): base URIs, anchors and JSON pointers, inside
 * the one document only. Nothing is fetched, and a document knows no other, so the `$id`s of two tools never meet.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { isSchemaList, isSchemaObject, type SchemaObject, type SchemaValue } from "./SchemaValue.ts"

/**
 * Drafts in order of age; 6 and 7 differ in nothing that matters here.
 *
 * @category models
 * @since 0.1.0
 */
export type Draft = 4 | 7 | 2019 | 2020

/**
 * A schema with an identifier of its own, and what can be addressed in it by name.
 *
 * @category models
 * @since 0.1.0
 */
export interface Resource {
  readonly base: string
  readonly root: SchemaObject
  readonly draft: Draft
  readonly anchors: Map<string, SchemaObject>
  readonly dynamicAnchors: Map<string, SchemaObject>
}

/**
 * Where a reference leads; `dynamicAnchor` is the dynamic anchor it was found by, if it was one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Target {
  readonly schema: SchemaObject | boolean
  readonly resource: Resource
  readonly dynamicAnchor?: string
}

/**
 * The references of one schema. `resolve` gives `undefined` for one that leads nowhere in it.
 *
 * @category models
 * @since 0.1.0
 */
export interface SchemaDocument {
  readonly root: Resource
  readonly resourceOf: (schema: SchemaObject, parent: Resource) => Resource
  readonly resolve: (reference: string, from: Resource) => Target | undefined
}

/** Gives schemas without an identifier something to be relative to; no URI of a tool begins so. */
const NO_BASE = "tool-schema://root/"

/**
 * The name under which the root of a draft 2019-09 resource with `$recursiveAnchor` is bound; no anchor is empty.
 *
 * @category constants
 * @since 0.1.0
 */
export const RECURSIVE = ""

/**
 * Reads the identifiers and anchors of a schema that was copied (`SchemaValue.copySchema`): its objects are places.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeDocument = (schema: SchemaObject): SchemaDocument => {
  const resources = new Map<string, Resource>()
  const owners = new Map<SchemaObject, Resource>()

  const index = (value: SchemaValue, parent: Resource | undefined): void => {
    if (!isSchemaObject(value) || owners.has(value)) return
    const resource = openResource(value, parent)
    owners.set(value, resource)
    if (!resources.has(resource.base)) resources.set(resource.base, resource)
    nameAnchors(value, resource)
    for (const child of subschemas(value)) index(child, resource)
  }

  index(schema, undefined)
  const root = owners.get(schema) ?? openResource(schema, undefined)
  // a root without a usable identifier is also what an empty reference means
  if (!resources.has(NO_BASE)) resources.set(NO_BASE, root)

  const resourceOf = (place: SchemaObject, parent: Resource): Resource => {
    // a reference may lead to a place that no keyword makes a schema
    index(place, parent)
    return owners.get(place) ?? parent
  }

  const resolve = (reference: string, from: Resource): Target | undefined => {
    const url = parseUri(reference, from.base)
    const resource = url === undefined ? undefined : resources.get(url.base)
    if (url === undefined || resource === undefined) return undefined
    if (url.fragment !== "" && !url.fragment.startsWith("/")) return namedTarget(resource, url.fragment)
    return pointedTarget(resource, url.fragment, resourceOf, owners)
  }

  return { root, resourceOf, resolve }
}

const openResource = (schema: SchemaObject, parent: Resource | undefined): Resource => {
  const draft = draftOf(schema, parent)
  const id = identifierOf(schema, draft)
  const url = id === undefined || id.startsWith("#") ? undefined : parseUri(id, parent?.base ?? NO_BASE)
  if (parent !== undefined && url === undefined) return parent
  return { base: url?.base ?? NO_BASE, root: schema, draft, anchors: new Map(), dynamicAnchors: new Map() }
}

const draftOf = (schema: SchemaObject, parent: Resource | undefined): Draft =>
  readDraft(schema["$schema"]) ?? parent?.draft ?? 2020

/**
 * The draft that `$schema` names, `undefined` if it is no text; any other text means the newest.
 *
 * @category operations
 * @since 0.1.0
 */
export const readDraft = (dialect: unknown): Draft | undefined => {
  if (typeof dialect !== "string") return undefined
  if (dialect.includes("draft-04")) return 4
  if (dialect.includes("draft-06") || dialect.includes("draft-07")) return 7
  return dialect.includes("2019-09") ? 2019 : 2020
}

/**
 * Up to draft 7 a reference stands alone: what is beside it, its identifier too, means nothing.
 *
 * @category guards
 * @since 0.1.0
 */
export const isBareReference = (schema: SchemaObject, draft: Draft): boolean =>
  draft <= 7 && typeof schema["$ref"] === "string"

const identifierOf = (schema: SchemaObject, draft: Draft): string | undefined => {
  const id = schema[draft === 4 ? "id" : "$id"]
  return typeof id !== "string" || isBareReference(schema, draft) ? undefined : id
}

const nameAnchors = (schema: SchemaObject, { anchors, draft, dynamicAnchors, root }: Resource): void => {
  const id = identifierOf(schema, draft)
  // the form of draft 7; later ones forbid it, but then nothing else is meant
  const name = id?.includes("#") === true ? id.slice(id.indexOf("#") + 1) : ""
  if (name !== "" && !name.startsWith("/")) addFirst(anchors, name, schema)
  if (draft <= 7) return
  const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema
  if (typeof $anchor === "string") addFirst(anchors, $anchor, schema)
  if (typeof $dynamicAnchor === "string" && draft === 2020) addFirst(dynamicAnchors, $dynamicAnchor, schema)
  if ($recursiveAnchor === true && draft === 2019 && schema === root) addFirst(dynamicAnchors, RECURSIVE, schema)
}

const addFirst = (anchors: Map<string, SchemaObject>, name: string, schema: SchemaObject) => {
  if (!anchors.has(name)) anchors.set(name, schema)
}

/**
 * The keywords whose values are schemas: `one` schema, a `list` of them, or a `map` of them by name. `items` was a list in
 * older drafts, and in `dependencies` a name may stand for other names.
 *
 * @category constants
 * @since 0.1.0
 */
export const SCHEMA_KEYWORDS: Readonly<Record<"one" | "list" | "map", ReadonlySet<string>>> = {
  one: new Set([
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties"
  ]),
  list: new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]),
  map: new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"])
}

const subschemas = (schema: SchemaObject): ReadonlyArray<SchemaValue> => {
  const valuesOf = (keywords: ReadonlySet<string>) => Array.from(keywords, (keyword) => schema[keyword])
  return [
    ...valuesOf(SCHEMA_KEYWORDS.one),
    ...valuesOf(SCHEMA_KEYWORDS.list).filter(isSchemaList).flat(),
    ...valuesOf(SCHEMA_KEYWORDS.map).filter(isSchemaObject).flatMap((map) => Object.values(map))
  ].filter((value) => value !== undefined)
}

const namedTarget = (resource: Resource, name: string): Target | undefined => {
  const dynamic = resource.dynamicAnchors.get(name)
  if (dynamic !== undefined) return { schema: dynamic, resource, dynamicAnchor: name }
  const schema = resource.anchors.get(name)
  return schema === undefined ? undefined : { schema, resource }
}

const pointedTarget = (
  start: Resource,
  pointer: string,
  resourceOf: SchemaDocument["resourceOf"],
  owners: ReadonlyMap<SchemaObject, Resource>
): Target | undefined => {
  let value: SchemaValue | undefined = start.root
  let resource = start
  for (const token of pointer.split("/").slice(1)) {
    value = step(value, token.replaceAll("~1", "/").replaceAll("~0", "~"))
    if (isSchemaObject(value)) resource = owners.get(value) ?? resource
  }
  if (typeof value === "boolean") return { schema: value, resource }
  return isSchemaObject(value) ? { schema: value, resource: resourceOf(value, resource) } : undefined
}

const step = (value: SchemaValue | undefined, token: string): SchemaValue | undefined => {
  if (isSchemaObject(value)) return value[token]
  return isSchemaList(value) && /^\d+$/.test(token) ? value[Number(token)] : undefined
}

interface Uri {
  readonly base: string
  readonly fragment: string
}

const parseUri = (reference: string, base: string): Uri | undefined => {
  // an opaque URI (`urn:`) can be the base of a fragment only
  const url = URL.parse(reference, base)
  if (url === null) return undefined
  const fragment = Result.try(() => decodeURIComponent(url.hash.slice(1)))
  url.hash = ""
  return Result.isSuccess(fragment) ? { base: url.href, fragment: fragment.success } : undefined
}

/**
 * Where the references of a schema lead, found as cheaply as the schema allows: most have none, or only pointers from the
 * root. Identifiers and anchors need a document of the whole (`SchemaDocument`), and that a copy.
 */
import { isBareReference, makeDocument, readDraft, type Resource } from "../SchemaDocument.ts"
import type { SchemaObject } from "../SchemaValue.ts"

export interface Keywords {
  readonly [keyword: string]: unknown
}

/** A schema within the whole, and what references in it are relative to. */
export interface Place {
  readonly schema: unknown
  readonly resource: Resource | undefined
}

export interface SchemaReferences {
  readonly root: Place
  /** What references within this schema are relative to. */
  readonly enter: (schema: Keywords, parent: Resource) => Resource
  /** Whether a reference in it stands alone: what is beside it means nothing. */
  readonly isBare: (schema: Keywords, resource: Resource | undefined) => boolean
  /** A schema says what it is called, or which draft it is from. */
  readonly identify: (schema: Keywords) => void
  readonly resolve: (reference: string, from: Resource | undefined) => Place | undefined
}

/** A schema that has more than pointers from its root. */
export class NeedsDocument extends Error {}

export const makePointers = (root: unknown): SchemaReferences => {
  const draft = isKeywords(root) ? readDraft(root["$schema"]) ?? 2020 : 2020
  const identify = (schema: Keywords) => {
    if (schema !== root) throw new NeedsDocument()
  }
  const resolve = (reference: string): Place | undefined => {
    const pointer = decodePointer(reference)
    if (pointer === undefined) throw new NeedsDocument()
    let value = root
    for (const token of pointer) {
      value = step(value, token)
      if (isKeywords(value) && value !== root && hasIdentifier(value)) throw new NeedsDocument()
    }
    return isKeywords(value) || typeof value === "boolean" ? { schema: value, resource: undefined } : undefined
  }
  const isBare = () => draft <= 7
  return { root: { schema: root, resource: undefined }, enter: (_schema, parent) => parent, isBare, identify, resolve }
}

export const makeReferences = (copy: SchemaObject): SchemaReferences => {
  const document = makeDocument(copy)
  return {
    root: { schema: copy, resource: document.root },
    enter: (schema, parent) => isPlace(schema) ? document.resourceOf(schema, parent) : parent,
    identify: () => {},
    isBare: (schema, resource) => resource !== undefined && isPlace(schema) && isBareReference(schema, resource.draft),
    resolve: (reference, from) => document.resolve(reference, from ?? document.root)
  }
}

export const isKeywords = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An object of a copy (`SchemaValue`) has no prototype. */
const isPlace = (schema: object): schema is SchemaObject => Object.getPrototypeOf(schema) === null

const hasIdentifier = (schema: Keywords): boolean =>
  typeof schema["$id"] === "string" || typeof schema["id"] === "string" || typeof schema["$schema"] === "string"

/** `#/$defs/a~1b`; `undefined` for anything but a pointer from the root. */
const decodePointer = (reference: string): ReadonlyArray<string> | undefined => {
  if (reference === "#") return []
  if (!reference.startsWith("#/") || reference.includes("%")) return undefined
  const tokens = reference.slice(2).split("/")
  return reference.includes("~") ? tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~")) : tokens
}

const step = (value: unknown, token: string): unknown => {
  if (Array.isArray(value)) return /^\d+$/.test(token) ? value[Number(token)] : undefined
  return isKeywords(value) && Object.hasOwn(value, token) ? value[token] : undefined
}

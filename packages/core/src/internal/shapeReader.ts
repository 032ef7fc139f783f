/**
 * From a JSON Schema of any draft, well-formed or not, to a shape: once for each tool, whichever providers are asked
 * afterwards. The schema is only read; its references are followed within it, nothing is fetched.
 */
import * as Result from "effect/Result"
import type { Resource } from "../SchemaDocument.ts"
import { copySchema, isSchemaObject } from "../SchemaValue.ts"
import * as Text from "../Text.ts"
import { makeComponents } from "./definitionCycles.ts"
import { MAX_NOTES, type SchemaNote, spellPath } from "./schemaNote.ts"
import {
  isKeywords,
  type Keywords,
  makePointers,
  makeReferences,
  NeedsDocument,
  type SchemaReferences
} from "./schemaReferences.ts"
import {
  type About,
  ANY,
  type Definition,
  mergeAbout,
  NEVER,
  type ObjectForm,
  OPEN,
  resolve,
  type Shape,
  SILENT
} from "./shape.ts"
import { formsOf, IDENTIFYING, KEYWORDS, makePart, readLeaf, SILENTLY_DROPPED, STAND_BESIDE } from "./shapeKeywords.ts"
import { joinObjects, meet, type Room } from "./shapeMeet.ts"
import { makeNames, type Names } from "./shapeNames.ts"

/** A tool's input, as all providers' schemas are made of it. */
export interface ToolShape {
  readonly root: ObjectForm
  readonly about: About
  readonly names: Names
  readonly notes: ReadonlyArray<SchemaNote>
}

/** One way through a schema. */
export interface Reading {
  readonly room: Room
  /** Every name of a property. */
  readonly names: Array<string>
  readonly note: (kind: SchemaNote["kind"], text: string) => void
  /** The segment is where in the arguments this is about, if not about the same value. */
  readonly read: (schema: unknown, resource: Resource | undefined, segment?: string) => Shape
  /** What a reference leads to; `undefined` if that is nowhere. */
  readonly refer: (reference: string, resource: Resource | undefined) => Shape | undefined
}

/** Real schemas nest 21 deep, have 6,000 values and 70 definitions. */
const MAX_DEPTH = 200
const MAX_PARTS = 50_000
const MAX_DEFINITIONS = 1000
const MAX_MEETS = 20_000

/** A text is the reason why there is none. */
export const readToolShape = (schema: unknown): ToolShape | string =>
  Result.getOrElse(
    Result.try(() => readUnsafe(schema)),
    (cause) => cause instanceof TooLarge ? TOO_LARGE : "its input schema can't be read"
  )

const TOO_LARGE = "its input schema is too large, too deep or has no end"

class TooLarge extends Error {}

const readUnsafe = (schema: unknown): ToolShape | string => {
  const plain = Result.try(() => readRoot(makePointers(schema)))
  if (Result.isSuccess(plain)) return plain.success
  if (!(plain.failure instanceof NeedsDocument)) throw plain.failure
  const copy = copySchema(schema)
  return isSchemaObject(copy) ? readRoot(makeReferences(copy)) : TOO_LARGE
}

const readRoot = (references: SchemaReferences): ToolShape => {
  const { notes, reading, settle } = makeReading(references)
  const shape = reading.read(references.root.schema, references.root.resource)
  settle()
  const objects = resolve(shape.forms).filter((form) => form.type === "object")
  if (objects.length === 0) reading.note("widened", "no object is valid: any is taken")
  if (objects.length > 1) {
    reading.note("widened", "alternatives of the whole input are one object with the properties of all")
  }
  const root: ObjectForm = objects.length === 0 ? OPEN.object : joinObjects(objects)
  const about = mergeAbout(shape.about, root.about)
  return { root, about, names: makeNames(() => reading.names), notes }
}

const makeReading = (references: SchemaReferences) => {
  const notes: Array<SchemaNote> = []
  const definitions = makeDefinitions()
  let path: Array<string> = []
  let depth = 0
  let parts = 0

  const note: Reading["note"] = (kind, text) => {
    if (notes.length < MAX_NOTES) notes.push({ path: spellPath(path), kind, text })
  }
  const exhausted = () => {
    if (!notes.some(({ text }) => text === MULTIPLIES)) note("widened", MULTIPLIES)
  }
  const read: Reading["read"] = (schema, resource, segment) => {
    if (++parts > MAX_PARTS || depth >= MAX_DEPTH) throw new TooLarge()
    if (schema === true) return ANY
    if (schema === false) return NEVER
    depth++
    if (segment !== undefined) path.push(segment)
    const shape = isKeywords(schema) ? readObject(reading, references, schema, resource) : malformed()
    if (segment !== undefined) path.pop()
    depth--
    return shape
  }
  const malformed = () => {
    note("dropped", "what should be a schema is none: anything is taken")
    return ANY
  }
  // without a resource all references are from the root: most are used often
  const referred = new Map<string, Shape>()
  const refer: Reading["refer"] = (reference, resource) => {
    const known = resource === undefined ? referred.get(reference) : undefined
    if (known !== undefined) return known
    const found = find(reference, resource)
    if (found !== undefined && resource === undefined) referred.set(reference, found)
    return found
  }
  const find: Reading["refer"] = (reference, resource) => {
    const target = references.resolve(reference, resource)
    if (target === undefined) return undefined
    const { resource: home, schema } = target
    if (!isKeywords(schema)) return schema === false ? NEVER : ANY
    const definition = definitions.get(schema, reference, (name) => {
      const before = path
      path = ["$defs", name]
      const shape = read(schema, home)
      path = before
      return shape
    })
    return definition === undefined ? undefined : { forms: [{ type: "reference", definition }], about: SILENT }
  }
  const reading: Reading = { room: { left: MAX_MEETS, exhausted }, names: [], note, read, refer }
  return { notes, reading, settle: definitions.settle }
}

const MULTIPLIES = "its parts multiply without bound: not all of them are put together"

/** Read when first needed, at the latest at the end. */
const makeDefinitions = () => {
  const definitions = new Map<object, ReadDefinition>()
  const names = new Set<string>()

  const get = (target: object, reference: string, read: (name: string) => Shape): Definition | undefined => {
    const known = definitions.get(target)
    if (known !== undefined || definitions.size >= MAX_DEFINITIONS) return known
    const name = nameOf(reference, names)
    names.add(name)
    const definition = makeDefinition(name, () => read(name))
    definitions.set(target, definition)
    return definition
  }
  const settle = () => {
    // reading one may bring others
    for (const definition of definitions.values()) definition.read()
    const { isCyclic } = makeComponents(directReferences)
    for (const definition of [...definitions.values()].filter(isCyclic)) definition.flatten()
  }
  return { get, settle }
}

interface ReadDefinition extends Definition {
  readonly read: () => void
  /** Forms in the place of references, for it refers to itself without anything between. */
  readonly flatten: () => void
}

/** By references alone, without going deeper into the value. */
const directReferences = ({ shape }: Definition): ReadonlyArray<Definition> =>
  shape.forms.flatMap((form) => form.type === "reference" ? [form.definition] : [])

/** One that is needed while it is read, or leads nowhere but to itself, says nothing. */
const makeDefinition = (name: string, readShape: () => Shape): ReadDefinition => {
  let shape: Shape | undefined
  let isReading = false
  const read = () => {
    if (shape !== undefined || isReading) return shape ?? ANY
    isReading = true
    shape = readShape()
    isReading = false
    return shape
  }
  return {
    name,
    get shape() {
      return read()
    },
    read,
    flatten: () => {
      const { about, forms } = read()
      const resolved = resolve(forms)
      shape = resolved.length === 0 ? ANY : { forms: resolved, about }
    }
  }
}

const nameOf = (reference: string, taken: ReadonlySet<string>): string => {
  const last = reference.slice(reference.lastIndexOf("/") + 1).replace(/^.*#/, "")
  const plain = Text.cut(last.replace(/%[0-9A-Fa-f]{2}|~[01]|[^a-zA-Z0-9_]/g, "_"), 40).replace(/^(?=\d)/, "_") ||
    "root"
  if (!taken.has(plain)) return plain
  let number = 2
  while (taken.has(`${plain}_${number}`)) number++
  return `${plain}_${number}`
}

const readObject = (
  reading: Reading,
  references: SchemaReferences,
  schema: Keywords,
  parent: Resource | undefined
): Shape => {
  const leaf = readLeaf(schema)
  if (leaf !== undefined) return leaf
  const resource = parent === undefined ? undefined : references.enter(schema, parent)
  const isBare = schema["$ref"] !== undefined && references.isBare(schema, resource)
  const part = makePart(schema, resource)
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (value === undefined || isBare && !STAND_BESIDE.has(keyword)) continue
    const readKeyword = KEYWORDS.get(keyword)
    if (readKeyword !== undefined) readKeyword(reading, part, value, keyword)
    else if (IDENTIFYING.has(keyword)) {
      if (typeof value === "string") references.identify(schema)
    } else if (!SILENTLY_DROPPED.has(keyword)) {
      reading.note("dropped", `"${Text.cut(keyword, 60, "…")}" means nothing to a provider`)
    }
  }
  const own: Shape = { forms: formsOf(part), about: part.about }
  return part.conjuncts?.reduce((shape, conjunct) => meet(reading.room, shape, conjunct), own) ?? own
}

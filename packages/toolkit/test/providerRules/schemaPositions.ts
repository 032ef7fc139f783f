/** Where the schemas of a schema are, and how they lead to each other. */
import { at, has, isList, isObject, isString, isStrings, keysOf, member, type Violations } from "./plainJson.ts"

/** How a schema leads to one below it: on to the same value, into a part of the value, or to where it is only kept. */
type Step = "inPlace" | "inside" | "optional" | "definition"

export interface Position {
  readonly path: string
  readonly schema: unknown
  /** The keyword that led here; empty at the root. */
  readonly keyword: string
  readonly step: Step
  readonly parent: string | undefined
  /** The outermost schema that speaks of the same value: this one, or the one whose `anyOf` this is a branch of. */
  readonly subject: string
  /** The nearest schema with an `$id`, which is what a fragment counts from; else the root. */
  readonly base: string
  /** Steps into the value from the root; branches and definitions are none. */
  readonly depth: number
}

interface Edge {
  readonly from: string
  readonly to: string
  readonly step: Step
  readonly isReference: boolean
}

export interface Document {
  readonly path: string
  readonly positions: ReadonlyMap<string, Position>
  readonly edges: ReadonlyArray<Edge>
}

const schemaKeywords: ReadonlyArray<readonly [step: Step, shape: "one" | "list" | "map", keywords: string]> = [
  ["inPlace", "one", "not if then else"],
  ["inPlace", "list", "anyOf oneOf allOf"],
  ["inPlace", "map", "dependentSchemas"],
  [
    "inside",
    "one",
    "items additionalProperties contains propertyNames unevaluatedItems unevaluatedProperties contentSchema"
  ],
  ["inside", "list", "prefixItems"],
  ["inside", "map", "properties patternProperties"],
  ["definition", "map", "$defs definitions"]
]

function* schemasOf(value: unknown, shape: "one" | "list" | "map", path: string) {
  if (shape === "one" && !isList(value)) yield { path, name: "", schema: value }
  if (shape === "list" && isList(value)) {
    for (const [index, schema] of value.entries()) yield { path: at(path, index), name: "", schema }
  }
  if (shape === "map") {
    for (const name of keysOf(value)) yield { path: at(path, name), name, schema: member(value, name) }
  }
}

export const requiredNames = (schema: unknown): ReadonlySet<string> => {
  const required = member(schema, "required")
  return new Set(isStrings(required) ? required : [])
}

const below = (parent: Position, schema: unknown, path: string, keyword: string, step: Step): Position => ({
  path,
  schema,
  keyword,
  step,
  parent: parent.path,
  subject: step === "inPlace" ? parent.subject : path,
  base: member(schema, "$id") === undefined ? parent.base : path,
  depth: step === "inside" || step === "optional" ? parent.depth + 1 : parent.depth
})

function* childrenOf(parent: Position): Iterable<Position> {
  const { schema: holder } = parent
  if (!isObject(holder)) return
  const required = requiredNames(holder)
  for (const [usual, shape, names] of schemaKeywords) {
    for (const keyword of names.split(" ").filter((known) => has(holder, known))) {
      for (const { path, name, schema } of schemasOf(holder[keyword], shape, at(parent.path, keyword))) {
        const step = keyword === "properties" && !required.has(name) ? "optional" : usual
        yield below(parent, schema, path, keyword, step)
      }
    }
  }
}

function* walk(position: Position): Iterable<Position> {
  yield position
  for (const child of childrenOf(position)) yield* walk(child)
}

const fragmentOf = (reference: string): string | undefined => {
  try {
    return reference.startsWith("#") ? decodeURIComponent(reference.slice(1)) : undefined
  } catch {
    return undefined
  }
}

/** The path of the schema a local reference means; a place that holds no schema is no answer. */
export const targetOf = (
  reference: string,
  root: string,
  positions: ReadonlyMap<string, Position>
): string | undefined => {
  const fragment = fragmentOf(reference)
  if (fragment === undefined) return undefined
  if (fragment === "" || fragment.startsWith("/")) return positions.get(root + fragment)?.path
  const isNamed = ({ schema }: Position) =>
    [member(schema, "$anchor"), member(schema, "$dynamicAnchor")].includes(fragment)
  return Array.from(positions.values()).find(isNamed)?.path
}

export const referencesOf = (schema: unknown): ReadonlyArray<readonly [keyword: string, reference: string]> =>
  ["$ref", "$dynamicRef"].flatMap((keyword) => {
    const reference = member(schema, keyword)
    return isString(reference) ? [[keyword, reference] as const] : []
  })

function* edgesOf(root: string, positions: ReadonlyMap<string, Position>): Iterable<Edge> {
  for (const { path, schema, step, parent } of positions.values()) {
    if (parent !== undefined && step !== "definition") yield { from: parent, to: path, step, isReference: false }
    for (const [, reference] of referencesOf(schema)) {
      const target = targetOf(reference, root, positions)
      if (target !== undefined) yield { from: path, to: target, step: "inPlace", isReference: true }
    }
  }
}

export const read = (schema: unknown, path: string): Document => {
  const root: Position = {
    path,
    schema,
    keyword: "",
    step: "inside",
    parent: undefined,
    subject: path,
    base: path,
    depth: 0
  }
  const positions = new Map(Array.from(walk(root), (position) => [position.path, position]))
  return { path, positions, edges: [...edgesOf(path, positions)] }
}

/** What is left of a graph when its dead ends are taken away, from both sides: nothing, if it has no cycle. */
const cyclesIn = (edges: ReadonlyArray<Edge>): ReadonlyArray<Edge> => {
  const starts = new Set(edges.map(({ from }) => from))
  const ends = new Set(edges.map(({ to }) => to))
  const rest = edges.filter(({ from, to }) => ends.has(from) && starts.has(to))
  return rest.length === edges.length ? rest : cyclesIn(rest)
}

/** A cycle can't be without a reference, since schemas themselves are a tree; so the references are what to name. */
export function* checkCycles(edges: ReadonlyArray<Edge>, problem: string): Violations {
  for (const { from, isReference } of cyclesIn(edges)) if (isReference) yield `${from}: ${problem}`
}

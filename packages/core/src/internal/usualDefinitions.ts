/** `$defs` of a usual schema: what a reference leads to, and what refers to what. */
import type { ProviderProfile } from "../ProviderProfile.ts"
import { readDraft } from "../SchemaDocument.ts"
import { makeComponents } from "./definitionCycles.ts"
import { isKeywords, type Keywords } from "./schemaReferences.ts"
import { readUsual } from "./usualPart.ts"

export interface UsualDefinitions {
  readonly all: Keywords
  /** Of a draft in which nothing counts beside `$ref`. */
  readonly isOld: boolean
  /** Those that are referred to, in order, each with those that it refers to. */
  readonly used: Map<string, Set<string>>
  /** References within the one or the other that can't be left out. */
  readonly needed: Array<readonly [from: string, to: string]>
  /** The one that is being written, and those that are being written where they are used. */
  home: string | undefined
  readonly open: Set<string>
}

export const makeUsualDefinitions = (all: Keywords, dialect: unknown): UsualDefinitions => ({
  all,
  isOld: (readDraft(dialect) ?? 2020) <= 7,
  used: new Map(),
  needed: [],
  home: undefined,
  open: new Set()
})

/** None is ever used, so all may share it. */
export const NO_DEFINITIONS = makeUsualDefinitions({}, undefined)

/** In a reference it stands for itself, and a provider takes it. */
const SIMPLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/

/** The name that a schema with `$ref` refers to, as long as it is a usual one. */
export const referredName = ({ all, isOld, used }: UsualDefinitions, schema: Keywords): string | undefined => {
  const { $ref: reference } = schema
  if (typeof reference !== "string" || !reference.startsWith(PREFIX)) return undefined
  const name = reference.slice(PREFIX.length)
  if (!used.has(name) && !(SIMPLE_NAME.test(name) && Object.hasOwn(all, name))) return undefined
  return isOld && Object.keys(schema).length > 1 ? undefined : name
}

const PREFIX = "#/$defs/"

export const use = ({ home, needed, used }: UsualDefinitions, name: string, isOptional: boolean): void => {
  if (!used.has(name)) used.set(name, new Set())
  if (home === undefined) return
  used.get(home)?.add(name)
  if (!isOptional) needed.push([home, name])
}

/** Whether all have a type: one that allows no value is written where it is used, and then refused there. */
export const areUsual = (definitions: UsualDefinitions, profile: ProviderProfile): boolean => {
  const names = new Set(definitions.used.keys())
  for (const name of names) {
    const definition = definitions.all[name]
    const part = isKeywords(definition) ? readUsual(definition, profile) : undefined
    const next = part === undefined ? undefined : referredName(definitions, part.schema)
    if (next !== undefined) names.add(next)
    else if (part === undefined || part.types.names.length === 0) return false
  }
  return true
}

/** Whether one contains itself by what can't be left out, though what comes between may be. */
export const hasNeededCycle = ({ needed, used }: UsualDefinitions): boolean => {
  const { componentOf } = makeComponents((name: string) => used.get(name) ?? [])
  return needed.some(([home, name]) => componentOf(home) === componentOf(name))
}

/** Whether one is no more than a reference that leads back to it. */
export const hasEndless = (definitions: UsualDefinitions): boolean => {
  const { isCyclic } = makeComponents((name: string) => directReferences(definitions, definitions.all[name]))
  return [...definitions.used.keys()].some(isCyclic)
}

const directReferences = (definitions: UsualDefinitions, schema: unknown): ReadonlyArray<string> => {
  if (!isKeywords(schema)) return []
  const { anyOf } = schema
  const name = referredName(definitions, schema)
  if (name !== undefined) return [name]
  return Array.isArray(anyOf) ? anyOf.flatMap((each) => directReferences(definitions, each)) : []
}

/**
 * Whether a definition is referred to by its name where little may stand beside a reference: one of a mere text or number
 * is written where it is used.
 */
export const isNamed = (definitions: UsualDefinitions, name: string): boolean => {
  let schema = definitions.all[name]
  if (isKeywords(schema) && schema["$ref"] === undefined) {
    return schema["type"] === "object" || schema["type"] === "array"
  }
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    if (!isKeywords(schema)) return false
    if (schema["$ref"] === undefined) return typeof schema["type"] === "string" && schema["type"] !== "null"
    const next = Object.keys(schema).length === 1 ? referredName(definitions, schema) : undefined
    if (next === undefined) return false
    schema = definitions.all[next]
  }
  return false
}

const MAX_HOPS = 10

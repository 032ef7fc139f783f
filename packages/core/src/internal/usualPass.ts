/** The short way of one schema to a provider. */
import { charge, type Notebook, SIZE_OF_PART } from "./renderPass.ts"
import { isKeywords, type Keywords } from "./schemaReferences.ts"
import type { UsualDefinitions } from "./usualDefinitions.ts"

export interface UsualPass extends Notebook {
  readonly definitions: UsualDefinitions
  /** `undefined` for what is not usual; the schema itself where the provider takes it, and null need not be added. */
  readonly render: (schema: unknown, orNull: boolean) => Keywords | undefined
  /** The root is at 0. */
  depth: number
  deepest: number
  /** Whether all properties on the way to what is written may be left out; `undefined` before the first. */
  isOptional: boolean | undefined
}

/** What is larger is for the reader of shapes to bound. */
export const MAX_PARTS = 5000
export const MAX_DEPTH = 50

/** Whether there is room for one more part; what is written where it is used is written again each time. */
export const pay = (pass: UsualPass, size: number): boolean => {
  charge(pass, SIZE_OF_PART + size)
  return pass.room >= 0
}

export const enter = (pass: UsualPass): void => {
  pass.depth++
  pass.deepest = Math.max(pass.deepest, pass.depth)
}

/** At a place of its own in the arguments. */
export const renderAt = (pass: UsualPass, segment: string, schema: unknown): Keywords | undefined => {
  pass.path.push(segment)
  const rendered = pass.render(schema, false)
  pass.path.pop()
  return rendered
}

/** Of all properties, those of definitions that are referred to as well. */
export const namesIn = (root: Keywords, definitions: Keywords = {}): ReadonlyArray<string> => {
  const names: Array<string> = []
  const parts = new Set<unknown>([root])
  for (const part of parts) {
    // a schema with more parts is none of the usual ones
    if (!isKeywords(part) || parts.size > 2 * MAX_PARTS) continue
    const { $ref, additionalProperties, anyOf, items, properties } = part
    if (typeof $ref === "string") parts.add(definitions[$ref.slice($ref.lastIndexOf("/") + 1)])
    for (const each of [additionalProperties, items, ...Array.isArray(anyOf) ? anyOf : []]) parts.add(each)
    if (!isKeywords(properties)) continue
    for (const name of Object.keys(properties)) {
      names.push(name)
      parts.add(properties[name])
    }
  }
  return names
}

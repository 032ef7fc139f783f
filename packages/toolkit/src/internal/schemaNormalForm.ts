/**
 * One form for every draft: a schema becomes draft 2020-12 in which every reference leads to a definition that is known
 * to exist. What can't be checked is left out in such a way that the rest refuses nothing that the schema allows.
 *
 * Left out under `not` or `oneOf` would mean refused, so each part also says whether it is *exact*: what isn't is never
 * negated and never counted. A dynamic reference depends on the way to it; there is one definition for each way.
 */
import type { Diagnostic } from "@effect-toolnexus/core"
import { makeDocument, type Resource, type SchemaDocument } from "@effect-toolnexus/core/SchemaDocument"
import type { SchemaObject } from "@effect-toolnexus/core/SchemaValue"
import { convert, type Frame, type Normal, type NormalObject, type Pass, type Place } from "./schemaParts.ts"
import type { Pattern } from "./schemaPattern.ts"

export interface NormalForm {
  readonly schema: NormalObject
  readonly patterns: ReadonlyMap<string, Pattern>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** Code is generated for each part, at some 30 µs, all in one go; the largest real schema has 1,000. */
const MAX_PARTS = 5_000

/**
 * How many parts may look at one and the same value, whatever the value: definitions that refer to each other twice
 * double it each time. Real schemas stay below 1,000.
 */
const MAX_COST = 50_000

/** Each pass knows more of what is left out; two or three are enough, but a schema may be made to need more. */
const MAX_PASSES = 8

/** A text is the reason why the schema can't be checked at all. */
export const normalize = (schema: SchemaObject): NormalForm | string => {
  const document = makeDocument(schema)
  const ids = new Map<SchemaObject, number>()
  let known: Known = { inexact: new Set(), endless: new Set() }
  for (let count = 0; count < MAX_PASSES; count++) {
    const pass = run(schema, document, ids, known)
    if (pass.parts > MAX_PARTS) return `it has more than ${MAX_PARTS} parts`
    const next = learn(pass, known)
    if (next === known) return costOf(pass) > MAX_COST ? "its definitions multiply without bound" : finish(pass)
    known = next
  }
  return "too much of it can't be checked"
}

interface Known {
  readonly inexact: ReadonlySet<string>
  readonly endless: ReadonlySet<string>
}

const ROOT = "root"

const run = (schema: SchemaObject, document: SchemaDocument, ids: Map<SchemaObject, number>, known: Known): Pass => {
  const idOf = (object: SchemaObject): number => {
    const id = ids.get(object) ?? ids.size
    ids.set(object, id)
    return id
  }
  const waiting: Array<readonly [string, SchemaObject, Place]> = []
  const pass: Pass = {
    ...known,
    document,
    frames: [],
    definitions: new Map(),
    patterns: new Map(),
    diagnostics: new Map(),
    parts: 0,
    define: (target, place) => {
      const scope = enter(place.scope, place.resource, idOf)
      const key = `${idOf(target)}${scope.key}`
      if (!pass.definitions.has(key)) {
        pass.definitions.set(key, {
          number: pass.definitions.size,
          schema: true,
          exact: true,
          uses: new Set(),
          frame: makeFrame()
        })
        waiting.push([key, target, { ...place, scope }])
      }
      return key
    },
    enter: (scope, resource) => enter(scope, resource, idOf)
  }
  const start: Place = { resource: document.root, scope: NO_SCOPE, path: "", owner: ROOT, frame: makeFrame() }
  pass.define(schema, start)
  for (let next = waiting.pop(); next !== undefined && pass.parts <= MAX_PARTS; next = waiting.pop()) {
    const [key, target, place] = next
    const definition = pass.definitions.get(key)
    if (definition === undefined) continue
    const { exact, schema: converted } = convert(pass, target, { ...place, owner: key, frame: definition.frame })
    definition.schema = converted
    definition.exact = exact
  }
  return pass
}

const makeFrame = (): Frame => ({ steps: 0, references: [] })

const NO_SCOPE: Place["scope"] = { bindings: new Map(), key: "" }

/** The first resource on the way that has a dynamic anchor is the one a dynamic reference means. */
const enter = (scope: Place["scope"], resource: Resource, idOf: (object: SchemaObject) => number): Place["scope"] => {
  const added = [...resource.dynamicAnchors].filter(([name]) => !scope.bindings.has(name))
  if (added.length === 0) return scope
  const bindings = new Map([...scope.bindings, ...added.map(([name, schema]) => [name, { schema, resource }] as const)])
  const names = [...bindings.keys()].toSorted()
  return {
    bindings,
    key: names.map((name) => `|${name}=${idOf(bindings.get(name)?.schema ?? resource.root)}`).join("")
  }
}

/** `known` itself, when the pass brought nothing new. */
const learn = (pass: Pass, known: Known): Known => {
  const inexact = inexactDefinitions(pass)
  const endless = new Set([...known.endless, ...endlessReferences(pass)])
  return inexact.size === known.inexact.size && endless.size === known.endless.size ? known : { inexact, endless }
}

/** A definition is as exact as everything it uses. */
const inexactDefinitions = (pass: Pass): ReadonlySet<string> => {
  const users = new Map<string, Array<string>>()
  for (const [key, { uses }] of pass.definitions) {
    for (const used of uses) users.set(used, [...(users.get(used) ?? []), key])
  }
  const inexact = new Set([...pass.definitions].filter(([, { exact }]) => !exact).map(([key]) => key))
  for (const key of inexact) for (const user of users.get(key) ?? []) inexact.add(user)
  return inexact
}

/** References that lead back to where they stand without going deeper into the value: checking would never end. */
const endlessReferences = (pass: Pass): ReadonlySet<string> => {
  const endless = new Set<string>()
  const state = new Map<string, "open" | "closed">()
  const visit = (key: string): void => {
    state.set(key, "open")
    for (const target of pass.definitions.get(key)?.frame.references ?? []) {
      if (state.get(target) === "open") endless.add(`${key}>${target}`)
      else if (!state.has(target)) visit(target)
    }
    state.set(key, "closed")
  }
  for (const key of pass.definitions.keys()) if (!state.has(key)) visit(key)
  return endless
}

/** The most parts that look at one value, counted through the references. */
const costOf = (pass: Pass): number => {
  const costs = new Map<string, number>()
  const cost = (frame: Frame): number => frame.references.reduce((sum, key) => sum + costOfDefinition(key), frame.steps)
  const costOfDefinition = (key: string): number => {
    const definition = pass.definitions.get(key)
    const found = costs.get(key) ?? (definition === undefined ? 0 : cost(definition.frame))
    costs.set(key, found)
    return found
  }
  const whole = [...pass.definitions.keys()].map(costOfDefinition)
  return [...whole, ...pass.frames.map(cost)].reduce((most, next) => Math.max(most, next), 0)
}

const finish = (pass: Pass): NormalForm => {
  const $defs: Record<string, Normal> = {}
  for (const { number, schema } of pass.definitions.values()) $defs[number] = schema
  return { schema: { $ref: "#/$defs/0", $defs }, patterns: pass.patterns, diagnostics: [...pass.diagnostics.values()] }
}

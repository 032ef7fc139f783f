/**
 * What is wrong with a value, written for a model: where, what was expected and what came. Of the alternatives of a union
 * only the one counts that the value is closest to.
 */
import { Suggestion, ToolError } from "@effect-toolnexus/core"
import type { ErrorObject } from "ajv/dist/2020.js"
import * as Predicate from "effect/Predicate"
import { describeValue, expectation } from "./schemaExpectation.ts"

type Issue = ToolError.ArgumentIssue

/** More of them than a model reads at once. */
const MAX_ALTERNATIVES = 10

export const toIssues = (errors: ReadonlyArray<ErrorObject>): ReadonlyArray<Issue> =>
  ToolError.limitIssues(distinct(explain(errors, errors.length).flatMap(describe)))

const distinct = (issues: ReadonlyArray<Issue>): ReadonlyArray<Issue> => [
  ...new Map(issues.map((issue) => [`${issue.path}\u0000${issue.message}`, issue])).values()
]

/** A single thing that is wrong, or the alternatives that a value fits none of. */
export interface Fault {
  readonly error: ErrorObject
  readonly path: ReadonlyArray<string>
  readonly alternatives?: ReadonlyArray<string>
}

/**
 * The errors of a check come in the order they were found, those of a union's branches before the union's own, which
 * says how many they are.
 */
const explain = (errors: ReadonlyArray<ErrorObject>, end: number): ReadonlyArray<Fault> => {
  const faults: Array<ReadonlyArray<Fault>> = []
  let at = end - 1
  while (at >= 0) {
    const error = errors[at]
    if (error === undefined) break
    const inside = Math.min(insideOf(error), at)
    const own = errors.slice(at - inside, at)
    faults.push(error.keyword === "contains" || isUnion(error) ? explainGroup(error, own) : faultOf(error))
    at -= 1 + inside
  }
  return faults.toReversed().flat()
}

const insideOf = ({ params }: ErrorObject): number => typeof params["inside"] === "number" ? params["inside"] : 0

const isUnion = ({ keyword }: ErrorObject): boolean => keyword === "anyOf" || keyword === "oneOf"

/** `if` and `propertyNames` only say that something else is wrong. */
const SUMMARIES: ReadonlySet<string> = new Set(["if", "propertyNames", "branch"])

const faultOf = (error: ErrorObject): ReadonlyArray<Fault> =>
  SUMMARIES.has(error.keyword) ? [] : [{ error, path: pathOf(error) }]

const explainGroup = (error: ErrorObject, inside: ReadonlyArray<ErrorObject>): ReadonlyArray<Fault> => {
  const branches = isUnion(error) ? branchesOf(inside) : []
  // an item that doesn't fit isn't wrong, only that none does; and what fits too many alternatives fits each
  if (branches.length === 0) return [{ error, path: pathOf(error) }]
  const shared = sharedChoice(branches)
  return shared === undefined ? branches.reduce(closer) : [shared]
}

const branchesOf = (errors: ReadonlyArray<ErrorObject>): ReadonlyArray<ReadonlyArray<Fault>> => {
  const branches: Array<ReadonlyArray<Fault>> = []
  let at = errors.length - 1
  while (at >= 0) {
    const error = errors[at]
    if (error?.keyword !== "branch") break
    const inside = Math.min(insideOf(error), at)
    branches.push(explain(errors.slice(at - inside, at), inside))
    at -= 1 + inside
  }
  return branches.toReversed().filter((branch) => branch.length > 0)
}

/** These tell what kind of thing a value is, so they tell which alternative was meant. */
const KINDS: ReadonlySet<string> = new Set(["const", "enum", "type"])

const isKind = ({ error }: Fault): boolean => KINDS.has(error.keyword)

/** Every alternative refuses the kind of the same value: that value is what must be chosen anew. */
const sharedChoice = (branches: ReadonlyArray<ReadonlyArray<Fault>>): Fault | undefined => {
  const candidates = branches[0]?.filter(isKind) ?? []
  for (const candidate of candidates) {
    const key = candidate.path.join("/")
    const choices = branches.map((branch) => branch.find((fault) => isKind(fault) && fault.path.join("/") === key))
    if (choices.every((choice) => choice !== undefined)) {
      const alternatives = choices.flatMap((choice) => choice.alternatives ?? [expectation(choice.error)])
      return { error: candidate.error, path: candidate.path, alternatives: [...new Set(alternatives)] }
    }
  }
  return undefined
}

const closer = (best: ReadonlyArray<Fault>, next: ReadonlyArray<Fault>): ReadonlyArray<Fault> =>
  distance(next) < distance(best) ? next : best

/** A value of another kind is far away; the deeper the fault, the more of the value fits. */
const distance = (faults: ReadonlyArray<Fault>): number => {
  const shallowest = Math.min(...faults.slice(0, 100).map(({ path }) => path.length))
  return faults.filter(isKind).length * 100 + faults.length * 10 - shallowest
}

const pathOf = ({ instancePath, keyword, params }: ErrorObject): ReadonlyArray<string> => {
  const path = instancePath.split("/").slice(1).map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
  const property = keyword === "required" ? params["missingProperty"] : unknownProperty({ keyword, params })
  return typeof property === "string" ? [...path, property] : path
}

const unknownProperty = ({ keyword, params }: Pick<ErrorObject, "keyword" | "params">): unknown =>
  keyword === "additionalProperties"
    ? params["additionalProperty"]
    : keyword === "unevaluatedProperties"
    ? params["unevaluatedProperty"]
    : undefined

const describe = ({ alternatives, error, path }: Fault): Issue => ({
  path: path.join("."),
  message: alternatives === undefined ? messageOf(error) : oneOf(alternatives, error)
})

const oneOf = (alternatives: ReadonlyArray<string>, error: ErrorObject): string =>
  `expected ${alternatives.slice(0, MAX_ALTERNATIVES).join(" or ")}, got ${describeValue(error.data)}`

const messageOf = (error: ErrorObject): string => {
  const name = typeof error.propertyName === "string" ? `the property name ${describeValue(error.propertyName)}: ` : ""
  if (error.keyword === "required") return "is required"
  const unknown = unknownProperty(error)
  return typeof unknown === "string" ? `unknown property${meant(unknown, error)}` : `${name}${messageOfValue(error)}`
}

/** The one that was meant, or those there are. What is there already can't be the one. */
const meant = (property: string, { data, parentSchema }: ErrorObject): string => {
  const declared = Predicate.isObject(parentSchema?.["properties"]) ? Object.keys(parentSchema["properties"]) : []
  const absent = declared.filter((name) => !Predicate.isObject(data) || !Object.hasOwn(data, name))
  const [closest] = Suggestion.closest(property, absent, 1)
  if (closest !== undefined) return `; did you mean ${JSON.stringify(closest)}?`
  const listed = absent.slice(0, MAX_ALTERNATIVES).map(describeValue).join(", ")
  return listed === "" ? "" : `; known: ${listed}${absent.length > MAX_ALTERNATIVES ? ", ..." : ""}`
}

const messageOfValue = (error: ErrorObject): string => {
  if (error.keyword === "false schema") return "is not allowed"
  if (error.keyword === "not") return `${describeValue(error.data)} is what the schema excludes`
  if (error.keyword === "oneOf") return "fits more than one of the alternatives, expected exactly one"
  return `expected ${expectation(error)}, got ${describeValue(error.data)}${hint(error)}`
}

/** Models send JSON as text where the value itself is asked for, and nearly the right word. */
const hint = ({ data, keyword, parentSchema, schema }: ErrorObject): string => {
  if (typeof data !== "string") return ""
  if (keyword === "type" && /^\s*[[{]/.test(data)) return "; pass the value itself, not JSON text"
  if (keyword !== "enum" || !Array.isArray(schema) || parentSchema === undefined) return ""
  const [closest] = Suggestion.closest(data, schema.filter(Predicate.isString).slice(0, 1000), 1)
  return closest === undefined ? "" : `; did you mean ${JSON.stringify(closest)}?`
}

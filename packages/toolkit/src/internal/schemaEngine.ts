/**
 * The library that checks: ajv, given schemas in normal form only. Its keywords that compare values are replaced by ones
 * that take linear time; others report where the errors of their branches begin; and every look at a value is paid for.
 */
import {
  _,
  Ajv2020,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  Name,
  type ValidateFunction
} from "ajv/dist/2020.js"
import * as Predicate from "effect/Predicate"
import type { NormalForm } from "./schemaNormalForm.ts"
import { identityOf, sizeOf } from "./schemaValues.ts"

/** What a check may cost. It is thrown out of when it is used up, for generated code can't be interrupted. */
export interface Budget {
  left: number
}

/** Thrown inside a check, and caught where the check was begun. */
export class BudgetExceeded extends Error {}

const spend = (budget: Budget, steps: number): void => {
  budget.left -= steps
  if (budget.left < 0) throw new BudgetExceeded("the check costs too much")
}

export interface Engine {
  /** Throws `BudgetExceeded`, or a `RangeError` where the value is nested deeper than the stack. */
  readonly check: (value: unknown, steps: number) => ReadonlyArray<ErrorObject>
}

export interface EngineOptions {
  /** All errors, not only the first: costs more, and memory for each. */
  readonly allErrors: boolean
}

/** Throws where ajv does; a normal form gives it no reason that is known. */
export const makeEngine = ({ patterns, schema }: NormalForm, { allErrors }: EngineOptions): Engine => {
  const budget: Budget = { left: 0 }
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    messages: false,
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    addUsedSchema: false,
    logger: false,
    // a definition is code once, however often it is referred to
    inlineRefs: false,
    // names of `Object.prototype` are properties like any
    ownProperties: true,
    // optimised code is hardly faster, and takes twice as long to make
    code: { optimize: false, regExp: Object.assign(regExpEngine(patterns, budget), { code: "linearRegExp" }) }
  })
  addKeywords(ajv, budget)
  const validate: ValidateFunction = ajv.compile(schema)
  return {
    check: (value, steps) => {
      budget.left = steps
      return validate(value) ? [] : validate.errors ?? []
    }
  }
}

/** `toString` is what the library tells patterns apart by. */
const regExpEngine = (patterns: NormalForm["patterns"], budget: Budget) => (source: string) => ({
  test: (text: string): boolean => {
    const pattern = patterns.get(source)
    if (pattern === undefined) return true
    spend(budget, 1 + ((text.length * pattern.size) >>> 7))
    return pattern.test(text)
  },
  toString: () => source
})

/** A few units in the last place: 19.99 is a multiple of 0.01, though its quotient in binary is not quite whole. */
const ROUNDING = 4 * Number.EPSILON

const isMultiple = (value: number, divisor: number): boolean => {
  const quotient = value / divisor
  if (!Number.isFinite(quotient)) return value % divisor === 0
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * ROUNDING
}

const addKeywords = (ajv: Ajv2020, budget: Budget): void => {
  for (const keyword of ["enum", "const", "multipleOf", "uniqueItems"]) ajv.removeKeyword(keyword)
  ajv.addKeyword({ keyword: "steps", schemaType: "number", code: (cxt) => pay(cxt, budget) })
  ajv.addKeyword({
    keyword: "enum",
    schemaType: "array",
    compile: (allowed: ReadonlyArray<unknown>) => oneOf(allowed, budget)
  })
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    compile: (divisor: number) => (value: number) => isMultiple(value, divisor)
  })
  ajv.addKeyword({ keyword: "const", compile: (allowed: unknown) => oneOf([allowed], budget) })
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    compile: (unique: boolean) => (items: ReadonlyArray<unknown>) => !unique || areDistinct(items, budget)
  })
  ajv.addKeyword({
    keyword: "branch",
    code: checkBranch,
    trackErrors: true,
    error: { message: "branch", params: countErrors }
  })
  for (const keyword of ["anyOf", "oneOf"]) countBranchErrors(ajv, keyword)
  countAllItems(ajv)
  countBranchErrors(ajv, "contains", "unevaluatedItems")
}

const pay = ({ data, gen, schema }: KeywordCxt, budget: Budget): void => {
  const look = gen.scopeValue("func", { ref: payFor, key: payFor })
  const account = gen.scopeValue("obj", { ref: budget, key: budget })
  gen.code(_`${look}(${account}, ${schema}, ${data})`)
}

/** Lengths of texts are counted in characters, and the names of an object may each be looked at. */
const payFor = (budget: Budget, steps: number, value: unknown): void => {
  let cost = steps
  if (typeof value === "string") cost += value.length >>> 8
  else if (typeof value === "object" && value !== null && !Array.isArray(value)) cost += Object.keys(value).length >>> 3
  spend(budget, cost)
}

const oneOf = (allowed: ReadonlyArray<unknown>, budget: Budget) => {
  const identities = new Set(allowed.map(identityOf))
  const hasObjects = allowed.some(Predicate.isObjectOrArray)
  return (value: unknown): boolean => {
    if (!Predicate.isObjectOrArray(value)) return identities.has(identityOf(value))
    if (!hasObjects) return false
    spend(budget, sizeOf(value, budget.left + 1))
    return identities.has(identityOf(value))
  }
}

const areDistinct = (items: ReadonlyArray<unknown>, budget: Budget): boolean => {
  spend(budget, sizeOf(items, budget.left + 1))
  return new Set(items.map(identityOf)).size === items.length
}

/** A branch of a union in normal form: its error says how many errors before it are the branch's own. */
const checkBranch = (cxt: KeywordCxt): void => {
  const valid = cxt.gen.name("valid")
  const checked = cxt.subschema({ keyword: "branch" }, valid)
  cxt.mergeEvaluated(checked)
  cxt.result(valid, undefined, () => cxt.error(true))
}

/** Errors so far, less those there were when the keyword began. */
const countErrors = ({ errsCount }: { readonly errsCount?: Name }) => _`{inside: ${ERRORS} - ${errsCount ?? ERRORS}}`

/** The library's own name of the counter. */
const ERRORS = new Name("errors")

const countBranchErrors = (ajv: Ajv2020, keyword: string, before?: string): void =>
  redefine(ajv, keyword, (definition) => ({
    ...definition,
    ...(before === undefined ? {} : { before }),
    error: { message: keyword, params: countErrors }
  }))

/** "All of them", found out while checking, is `true`, with which the library goes on to count. */
const countAllItems = (ajv: Ajv2020): void =>
  redefine(ajv, "unevaluatedItems", (definition) => ({
    ...definition,
    code: (cxt) => {
      const { gen, it: { items } } = cxt
      if (items instanceof Name) gen.if(_`${items} === true`, () => gen.assign(items, _`Infinity`))
      definition.code(cxt)
    }
  }))

const redefine = (
  ajv: Ajv2020,
  keyword: string,
  change: (definition: CodeKeywordDefinition) => CodeKeywordDefinition
): void => {
  const definition = ajv.getKeyword(keyword)
  if (typeof definition === "boolean" || !("code" in definition)) return
  ajv.removeKeyword(keyword)
  const { before: _before, ...unordered } = definition
  ajv.addKeyword(change({ ...unordered, code: definition.code }))
}

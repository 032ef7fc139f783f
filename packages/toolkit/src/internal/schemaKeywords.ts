/** Which keywords a draft knows, and which values of them mean something. */
import type { Draft } from "@effect-toolnexus/core/SchemaDocument"
import type { SchemaValue } from "@effect-toolnexus/core/SchemaValue"

/** Keywords that an older draft ignores, with the draft that brought them. */
const SINCE: ReadonlyMap<string, Draft> = new Map([
  ["const", 7],
  ["contains", 7],
  ["propertyNames", 7],
  ["if", 7],
  ["dependentRequired", 2019],
  ["dependentSchemas", 2019],
  ["maxContains", 2019],
  ["minContains", 2019],
  ["unevaluatedItems", 2019],
  ["unevaluatedProperties", 2019],
  ["$recursiveRef", 2019],
  ["$dynamicRef", 2020],
  ["prefixItems", 2020]
])

export const isKnown = (keyword: string, draft: Draft): boolean =>
  (SINCE.get(keyword) ?? 0) <= draft && (keyword !== "$recursiveRef" || draft === 2019)

type Check = (value: SchemaValue) => boolean

const isCount: Check = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0

const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value)

const isNames: Check = (value) => Array.isArray(value) && value.every((name) => typeof name === "string")

/** Keywords whose value goes into the normal form as it is, with what that value must be. */
const ASSERTIONS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["const", () => true],
  ["enum", Array.isArray],
  ["exclusiveMaximum", isNumber],
  ["exclusiveMinimum", isNumber],
  ["maxItems", isCount],
  ["maxLength", isCount],
  ["maxProperties", isCount],
  ["maximum", isNumber],
  ["minItems", isCount],
  ["minLength", isCount],
  ["minProperties", isCount],
  ["minimum", isNumber],
  ["multipleOf", (value) => isNumber(value) && Number(value) > 0],
  ["required", isNames],
  ["uniqueItems", (value) => typeof value === "boolean"]
])

export const isAssertion = (keyword: string): boolean => ASSERTIONS.has(keyword)

export const isMeaningful = (keyword: string, value: SchemaValue): boolean => ASSERTIONS.get(keyword)?.(value) ?? false

/**
 * Equality of JSON values by a text that equal values share: a set of such texts finds duplicates among many items at
 * once, and names such as `constructor` or `valueOf` in a value mean nothing special.
 */
import * as Predicate from "effect/Predicate"

/** Numbers, `true` and the like stand for themselves; texts and objects never meet, for only a text begins with a quote. */
export const identityOf = (value: unknown): unknown =>
  typeof value === "string" ? `"${value}` : Predicate.isObjectOrArray(value) ? textOf(value) : value

const textOf = (value: unknown): string => {
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`
  if (!Predicate.isObject(value)) return JSON.stringify(value) ?? "null"
  const entries = Object.keys(value).toSorted().map((key) => `${JSON.stringify(key)}:${textOf(value[key])}`)
  return `{${entries.join(",")}}`
}

/** How large a value is: one for each value in it, more for long texts; `limit` if it is that or more. */
export const sizeOf = (value: unknown, limit: number): number => {
  if (typeof value === "string") return 1 + (value.length >> 5)
  if (!Predicate.isObjectOrArray(value)) return 1
  let size = 1
  const parts = Array.isArray(value) ? value : Object.values(value)
  for (const part of parts) {
    if (size >= limit) return limit
    size += sizeOf(part, limit - size)
  }
  return size
}

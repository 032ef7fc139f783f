/** Bounds and lists of values: those the profile has keywords for, and those that are left. */
import type { Json } from "../Json.ts"
import { NOTHING } from "./describeSchema.ts"
import { type Body, has, type Pass, type Schema } from "./renderPass.ts"
import { OPEN, type ResolvedForm, type Statement } from "./shape.ts"

export const renderAsserts = (pass: Pass, form: ResolvedForm, schema: Schema, mayList = true): Body => {
  const { asserts, type, values } = form
  if (values === undefined && asserts === OPEN[type].asserts) return { schema, left: NOTHING }
  const left: Array<Statement> = []
  for (const keyword of Object.keys(asserts)) {
    const value = asserts[keyword] ?? null
    if (isTaken(pass, keyword, value)) schema[keyword] = value
    else left.push([keyword, value])
  }
  if (values !== undefined) {
    if (mayList && pass.profile.listable.has(type)) schema["enum"] = [...values]
    else if (type !== "null") left.push(["enum", values])
  }
  return { schema, left }
}

const isTaken = (pass: Pass, keyword: string, value: Json): boolean => {
  if (!has(pass, keyword)) return false
  const { formats, lookaround } = pass.profile
  if (typeof value !== "string") return true
  return keyword === "format"
    ? formats?.has(value) !== false
    : keyword !== "pattern" || lookaround || !LOOKAROUND.test(value)
}

const LOOKAROUND = /\(\?<?[=!]/

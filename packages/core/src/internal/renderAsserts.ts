/** Bounds and lists of values: those the profile has keywords for, and those that are left. */
import type { Json } from "../Json.ts"
import type { ProviderProfile } from "../ProviderProfile.ts"
import { NOTHING } from "./describeSchema.ts"
import { type Body, charge, type Pass, type Schema, sizeOf } from "./renderPass.ts"
import { OPEN, type ResolvedForm, type Statement } from "./shape.ts"

export const renderAsserts = (pass: Pass, form: ResolvedForm, schema: Schema, mayList = true): Body => {
  const { asserts, type, values } = form
  if (values === undefined && asserts === OPEN[type].asserts) return { schema, left: NOTHING }
  const left: Array<Statement> = []
  let size = sizeOf(values)
  for (const keyword of Object.keys(asserts)) {
    const value = asserts[keyword] ?? null
    if (isTakenAssert(pass.profile, type, keyword, value)) schema[keyword] = value
    else left.push([keyword, value])
    size += sizeOf(value)
  }
  if (values !== undefined) {
    if (mayList && pass.profile.listable.has(type)) schema["enum"] = [...values]
    else if (type !== "null") left.push(["enum", values])
  }
  charge(pass, size)
  return { schema, left }
}

/** Whether the keyword may stand in a schema of that type. */
export const isTakenAssert = (profile: ProviderProfile, type: string, keyword: string, value: Json): boolean => {
  if (!profile.keywords.has(keyword)) return false
  if (typeof value !== "string") return true
  return keyword === "format"
    ? takesFormat(profile, type, value)
    : keyword !== "pattern" || profile.lookaround || !LOOKAROUND.test(value)
}

const takesFormat = ({ formats }: ProviderProfile, type: string, format: string): boolean =>
  formats === undefined || formats[type]?.has(format) === true

const LOOKAROUND = /\(\?<?[=!]/

/** A usual schema anew: the keywords that the provider takes, and the rest in words. */
import type { ProviderProfile } from "../ProviderProfile.ts"
import { describe, NOTHING } from "./describeSchema.ts"
import { isTakenAssert } from "./renderAsserts.ts"
import type { Notebook } from "./renderPass.ts"
import type { Keywords } from "./schemaReferences.ts"
import { type About, SILENT, type Statement } from "./shape.ts"
import { isScalarName } from "./shapeKeywords.ts"
import type { UsualPart } from "./usualPart.ts"

type Writable = Record<string, unknown>

/** What a schema is made of, by the provider's rules. */
export interface UsualInner {
  readonly items?: Keywords
  readonly properties?: Keywords
  readonly required?: ReadonlyArray<string>
  /** As in `additionalProperties`. */
  readonly rest?: Keywords | boolean | undefined
}

/** Annotations may be those of what is around it. */
export const writeUsual = (
  pass: Notebook,
  part: UsualPart,
  inner: UsualInner,
  about: About,
  orNull: boolean
): Writable | undefined => {
  const { names } = part.types
  const { typeLists } = pass.profile
  const { left, schema } = writeBody(pass, part, inner)
  if (!orNull) return describe(pass, schema, about, left)
  if (typeLists === "none") return { ...describe(pass, schema, about, left), nullable: true }
  if (typeLists === "scalars" && !names.every(isScalarName)) {
    const [value, nothing] = [describe(pass, schema, SILENT, left), { type: "null" }]
    return describe(pass, { anyOf: [value, nothing] }, about, NOTHING)
  }
  schema["type"] = [...names, "null"]
  if (schema["enum"] !== undefined) schema["enum"] = [...part.values ?? [], null]
  return describe(pass, schema, about, left)
}

const writeBody = ({ profile }: Notebook, part: UsualPart, { items, properties, required = [], rest }: UsualInner) => {
  const { names, only: type = "object" } = part.types
  const schema: Writable = { type: names.length === 1 ? type : [...names] }
  let left: Array<Statement> | undefined
  for (const [keyword, value] of part.bounds ?? []) {
    if (isTakenAssert(profile, type, keyword, value)) schema[keyword] = value
    else left = [...left ?? [], [keyword, value]]
  }
  if (part.values !== undefined) schema["enum"] = part.values
  if (items !== undefined) schema["items"] = items
  if (properties !== undefined) {
    schema["properties"] = properties
    if (required.length > 0 || profile.strict !== undefined) schema["required"] = required
    if (rest !== undefined && (rest !== false || hasRest(profile))) schema["additionalProperties"] = rest
  }
  return { schema, left: left ?? NOTHING }
}

const hasRest = ({ keywords, strict }: ProviderProfile): boolean =>
  strict !== undefined || keywords.has("additionalProperties")

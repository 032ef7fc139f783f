/** What a schema can't describe: a value of any kind, an object of which nothing is known, what goes on without end. */
import type { Json, JsonObject } from "../Json.ts"
import { describe } from "./describeSchema.ts"
import { type Body, note, type Notebook, type Pass, refuse, type Schema } from "./renderPass.ts"
import { type About, OPEN } from "./shape.ts"

const TYPES_OF_ITEMS = ["string", "number", "boolean", "object", "null"]

/** A list needs to say what its items are: three deep is as far as it goes. OpenAI takes no object without properties. */
const anyType = (lists: number): Schema =>
  lists === 0
    ? { type: [...TYPES_OF_ITEMS], properties: {} }
    : { type: [...TYPES_OF_ITEMS, "array"], properties: {}, items: anyType(lists - 1) }

/** Any value. */
export const renderAnything = (pass: Pass, about: About): Schema => {
  switch (pass.profile.anything) {
    case "untyped":
      return describe(pass, {}, about, [])
    case "typed":
      return describe(pass, anyType(3), about, [])
    case "refused":
      refuse(pass, "may be of any type")
      return describe(pass, {}, about, [])
    default: {
      const scalars = pass.render({ forms: [OPEN.string, OPEN.number, OPEN.boolean], about })
      const [first, ...more] = Array.isArray(scalars["anyOf"]) ? scalars["anyOf"] : []
      return {
        anyOf: [
          ...isSchema(first) ? [{ ...first, nullable: true }] : [],
          ...more,
          jsonText(pass, "an object or a list")
        ]
      }
    }
  }
}

/** An object of which nothing is known, or no more can be said. */
export const renderFreeObject = (pass: Notebook, reason: string): Body => {
  switch (pass.profile.anything) {
    case "untyped":
      return { schema: { type: "object", properties: {} }, left: [] }
    case "typed":
      return { schema: { type: "object", properties: {}, additionalProperties: true }, left: [] }
    case "refused":
      refuse(pass, `is ${reason}`)
      return { schema: { type: "object", properties: {} }, left: [] }
    default:
      return { schema: jsonText(pass, reason), left: [] }
  }
}

const jsonText = (pass: Notebook, what: string): Schema => {
  const { jsonText: name } = pass.names()
  note(pass, "encoded", `${what} is sent as JSON text in an object with the one property "${name}"`)
  return {
    type: "object",
    properties: { [name]: { type: "string", description: `${what}, as JSON text` } },
    required: [name]
  }
}

/** What would go on without end, or too far. */
export const renderCut = (pass: Notebook, reason: string): Schema => {
  note(pass, "widened", `what stands here ${reason}: anything is taken`)
  switch (pass.profile.anything) {
    case "refused":
      refuse(pass, reason)
      return {}
    case "json-text":
      return jsonText(pass, "any value")
    case "typed":
      return anyType(3)
    default:
      return {}
  }
}

export const isSchema = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

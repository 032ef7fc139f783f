/** The input of a tool of one's own: an Effect Schema or a JSON Schema becomes an object schema and a decoder. */
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { JsonObject } from "../Json.ts"
import type { ObjectSchema } from "../Tool.ts"
import { type ArgumentIssue, InvalidArguments, limitIssues } from "../ToolError.ts"

export interface Input<A, R> {
  readonly schema: ObjectSchema
  readonly decode: (args: JsonObject, toolName: string) => Effect.Effect<A, InvalidArguments, R>
}

/** Arguments go to the handler as they came: the toolkit checks them against the schema before. */
export const fromJsonSchema = (toolName: string, schema: JsonSchema.JsonSchema = {}): Input<JsonObject, never> => {
  if (!isJsonSchema(schema)) {
    throw new TypeError(
      `The input of tool "${toolName}" must be an Effect Schema or a JSON Schema; a schema of another library gives one (Zod's by z.toJSONSchema)`
    )
  }
  return { schema: asObjectSchema(toolName, schema), decode: Effect.succeed }
}

/** Schemas of other libraries are functions or have some, which JSON hasn't. */
const isJsonSchema = (value: unknown): boolean =>
  Predicate.isObject(value) && !Object.values(value).some(Predicate.isFunction)

export const fromDecoder = <A, R>(toolName: string, decoder: Schema.Decoder<A, R>): Input<A, R> => {
  const decode = Schema.decodeUnknownEffect(decoder, { errors: "all", onExcessProperty: "error" })
  return {
    schema: toObjectSchema(toolName, decoder),
    decode: (args, name) =>
      Effect.mapError(
        decode(args),
        (error) => new InvalidArguments({ toolName: name, issues: limitIssues(toIssues(error.issue)) })
      )
  }
}

/** The rendered schema is closed, as the decoder is: an unknown property is refused, not dropped. */
const toObjectSchema = (toolName: string, input: Schema.Constraint): ObjectSchema => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(input, { onExcessProperty: "error" })
  const root = inlineRoot(schema, definitions)
  return asObjectSchema(toolName, Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions })
}

/** A `Schema.Class` comes out as a reference to a definition; the root of a tool must be the object itself. */
const inlineRoot = (schema: JsonSchema.JsonSchema, definitions: JsonSchema.Definitions): JsonSchema.JsonSchema => {
  const reference = schema["$ref"]
  if (typeof reference !== "string") return schema
  return definitions[reference.replace("#/$defs/", "").replaceAll("~1", "/").replaceAll("~0", "~")] ?? schema
}

const asObjectSchema = (toolName: string, schema: JsonSchema.JsonSchema): ObjectSchema => {
  const type = schema["type"]
  if (type !== undefined && type !== "object") {
    throw new TypeError(
      `The input of tool "${toolName}" must be an object schema, but its type is ${JSON.stringify(type)}`
    )
  }
  return { ...schema, type: "object" }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const toIssues = (issue: SchemaIssue.Issue): ReadonlyArray<ArgumentIssue> =>
  format(issue).issues.map(({ message, path }) => ({
    path: (path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment)).join("."),
    message
  }))

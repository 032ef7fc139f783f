/** The input of a tool of one's own: an Effect Schema or a JSON Schema becomes an object schema and a decoder. */
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
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
  // what can't be read is for whoever needs it to say
  const mistake = Result.getOrElse(Result.try(() => mistakeIn(schema)), () => undefined)
  if (mistake !== undefined) {
    throw new TypeError(`The input of tool "${toolName}" must be an Effect Schema or a JSON Schema${mistake}`)
  }
  return { schema: asObjectSchema(toolName, schema), decode: Effect.succeed }
}

/** Why it is no JSON Schema: as one it would say nothing, and any arguments would go to the handler. */
const mistakeIn = (schema: unknown): string | undefined => {
  const parts = partsOf(schema)
  if (parts.some(Schema.isSchema)) return "; what has fields that are Effect Schemas is one by Schema.Struct({ ... })"
  if (isForeign(schema) || Predicate.isObject(schema) && !isPlain(schema)) {
    return `; this one is of another library, which makes a JSON Schema of it: ${wayOf(schema)}`
  }
  if (!Predicate.isObject(schema)) return ""
  if (parts.some(isForeign)) {
    return `; this one has schemas of another library within, which makes a JSON Schema of them all: ${ZOD}`
  }
  if (!isBareShape(schema)) return undefined
  const [name = ""] = Object.keys(schema)
  return `; this one has no keyword at its root: is { type: "object", properties: { ${
    JSON.stringify(name)
  }: ... } } meant?`
}

/** Where the schemas of single arguments are, or were put by mistake. */
const partsOf = (schema: unknown): ReadonlyArray<unknown> => {
  if (!Predicate.isObject(schema)) return []
  const properties: unknown = Reflect.get(schema, "properties")
  return [...Object.values(schema), ...Predicate.isObject(properties) ? Object.values(properties) : []]
}

/** JSON has no functions. What marks a schema of a library may be kept from being listed. */
const isForeign = (value: unknown): boolean =>
  MARKS.some((mark) => Predicate.hasProperty(value, mark)) ||
  Predicate.isObject(value) && Object.values(value).some(Predicate.isFunction)

/** Standard Schema, which most implement; Zod 4, and 3. */
const MARKS = ["~standard", "_zod", "_def"]

/** One of another realm has another prototype, which has none. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const wayOf = (schema: unknown): string => {
  const standard = Predicate.hasProperty(schema, "~standard") ? schema["~standard"] : undefined
  const hasOwnWay = Predicate.hasProperty(standard, "jsonSchema") && Predicate.hasProperty(standard.jsonSchema, "input")
  return hasOwnWay ? "schema[\"~standard\"].jsonSchema.input({ target: \"draft-2020-12\" })" : ZOD
}

const ZOD = "Zod 4 by z.toJSONSchema(schema, { io: \"input\" })"

/** Properties without the object they belong to: only objects, and none of them where a keyword has one. */
const isBareShape = (schema: object): boolean => {
  const entries = Object.entries(schema).filter(([key]) => !key.startsWith("x-"))
  return entries.length > 0 && entries.every(([key, value]) => !OBJECT_KEYWORDS.has(key) && Predicate.isObject(value))
}

/** Keywords that may say something of an object by an object. */
const OBJECT_KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "$vocabulary",
  "additionalProperties",
  "const",
  "default",
  "definitions",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "patternProperties",
  "properties",
  "propertyNames",
  "then",
  "unevaluatedProperties"
])

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

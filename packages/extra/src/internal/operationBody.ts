/** The body of an operation: which of the media types it offers is used, and how its fields are written. */
import type { Json } from "@effect-toolnexus/core"
import { isHeaderValue } from "@effect-toolnexus/core/HeaderSyntax"
import * as Result from "effect/Result"
import { at, isList, isObject, objectAt, shown, textAt } from "./json.ts"
import { encodingOf } from "./operationParameters.ts"
import * as References from "./references.ts"
import type { BodyEncoding, BodyPlan, FieldPlan } from "./requestBody.ts"

export interface DeclaredBody {
  readonly plan: BodyPlan
  readonly schema: Json.Json
  readonly isRequired: boolean
}

/** Nothing where the operation takes none. */
export const bodyOf = (
  document: Json.JsonObject,
  operation: Json.JsonObject
): Result.Result<DeclaredBody | undefined, string> => {
  if (at(operation, "requestBody") === undefined) return Result.succeed(undefined)
  const resolved = References.resolve(document, at(operation, "requestBody"))
  if (Result.isFailure(resolved)) return Result.fail(`its body ${resolved.failure}`)
  const body = resolved.success
  const chosen = choose(Object.keys(objectAt(body, "content")))
  if (chosen === undefined) return Result.succeed(undefined)
  const media = References.resolve(document, at(objectAt(body, "content"), chosen.mediaType))
  if (Result.isFailure(media)) return Result.fail(`its body ${media.failure}`)
  const { encoding } = chosen
  const mediaType = sentAs(chosen)
  if (!isHeaderValue(mediaType)) {
    return Result.fail(`its body is of a type that makes no header: ${shown(mediaType)}`)
  }
  const schema = at(media.success, "schema") ?? {}
  return Result.succeed({
    plan: {
      encoding,
      mediaType,
      fields: encoding === "form" || encoding === "multipart" ? fieldsOf(document, media.success, schema) : new Map()
    },
    schema: withNotes(encoding === "raw" ? { type: "string", ...textNotes(schema) } : schema, body, encoding),
    isRequired: body["required"] === true
  })
}

interface Choice {
  readonly mediaType: string
  readonly encoding: BodyEncoding
}

/** The first that fits of the first kind that there is. */
const choose = (mediaTypes: ReadonlyArray<string>): Choice | undefined => {
  for (const [pattern, encoding] of PREFERENCE) {
    const mediaType = mediaTypes.find((each) => pattern.test(each.trim()))
    if (mediaType !== undefined) return { mediaType, encoding }
  }
  return undefined
}

const PREFERENCE: ReadonlyArray<readonly [RegExp, BodyEncoding]> = [
  [/^application\/json\s*(?:;|$)/i, "json"],
  [/^[\w.*-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i, "json"],
  [/^(?:application\/|\*\/)\*\s*(?:;|$)/, "json"],
  [/^application\/x-www-form-urlencoded\s*(?:;|$)/i, "form"],
  [/^multipart\/form-data\s*(?:;|$)/i, "multipart"],
  [/^/, "raw"]
]

const sentAs = ({ encoding, mediaType }: Choice): string => {
  const isRange = mediaType.includes("*")
  if (encoding === "json") return isRange ? "application/json" : mediaType
  if (encoding === "raw") return isRange ? "application/octet-stream" : mediaType
  // parameters of its own would make a boundary or a charset ambiguous
  return mediaType.split(";")[0]?.trim() ?? mediaType
}

const textNotes = (schema: Json.Json): Json.JsonObject =>
  isObject(schema) && typeof schema["description"] === "string" ? { description: schema["description"] } : {}

const FILE_NOTE = "A file is given as text, or as a data: URL in base64."

const withNotes = (schema: Json.Json, body: Json.JsonObject, encoding: BodyEncoding): Json.Json => {
  const own = isObject(schema) ? textAt(schema, "description") : undefined
  const description = [
    own ?? textAt(body, "description"),
    ...(encoding === "raw" || encoding === "multipart" ? [FILE_NOTE] : [])
  ].filter((text) => text !== undefined && text.trim() !== "").join("\n")
  if (description === "") return schema
  return isObject(schema) ? { ...schema, description } : { description }
}

/** Properties of a form, by the schema where it is plain, and by what is said of their encoding. */
const fieldsOf = (
  document: Json.JsonObject,
  media: Json.JsonObject,
  schema: Json.Json
): ReadonlyMap<string, FieldPlan> => {
  const properties = propertiesOf(document, schema)
  const encodings = objectAt(media, "encoding")
  const names = new Set([...Object.keys(properties), ...Object.keys(encodings)])
  return new Map(
    Array.from(names, (name) => [name, fieldOf(document, at(properties, name), objectAt(encodings, name))])
  )
}

const STYLE_KEYS = ["style", "explode", "allowReserved"]

const fieldOf = (
  document: Json.JsonObject,
  property: Json.Json | undefined,
  encoding: Json.JsonObject
): FieldPlan => {
  const mediaType = textAt(encoding, "contentType")?.split(",")[0]?.trim()
  const hasStyle = STYLE_KEYS.some((key) => Object.hasOwn(encoding, key))
  return {
    ...(hasStyle ? { style: encodingOf(encoding, "query") } : {}),
    ...(mediaType === undefined || mediaType.includes("*") ? {} : { mediaType }),
    ...(isBinary(document, property, 0) ? { isBinary: true } : {})
  }
}

const isBinary = (document: Json.JsonObject, property: Json.Json | undefined, level: number): boolean => {
  const resolved = Result.getOrElse(References.resolve(document, property), (): Json.JsonObject => ({}))
  const { contentEncoding, contentMediaType, format, items } = resolved
  if (items !== undefined && resolved["type"] !== "string") {
    return level < MAX_LEVELS && isBinary(document, items, level + 1)
  }
  const isBytes = typeof contentMediaType === "string" && contentEncoding === undefined
    && /octet-stream|^(?:image|audio|video)\//.test(contentMediaType)
  return format === "binary" || resolved["type"] === "file" || isBytes
}

/** Lists of lists of files are nobody's form. */
const MAX_LEVELS = 4

/** Schemas are put together of a few others, and may be so in a circle. */
const MAX_PARTS = 100

const propertiesOf = (document: Json.JsonObject, schema: Json.Json): Json.JsonObject => {
  const properties: Record<string, Json.Json> = Object.create(null)
  const waiting: Array<Json.Json> = [schema]
  for (let index = 0; index < waiting.length && index < MAX_PARTS; index++) {
    const resolved = Result.getOrElse(References.resolve(document, waiting[index]), (): Json.JsonObject => ({}))
    for (const [name, property] of Object.entries(objectAt(resolved, "properties"))) properties[name] ??= property
    for (const key of ["allOf", "anyOf", "oneOf"]) waiting.push(...listOf(resolved[key]))
  }
  return properties
}

const listOf = (value: Json.Json | undefined): ReadonlyArray<Json.Json> =>
  isList(value) ? value.slice(0, MAX_PARTS) : []

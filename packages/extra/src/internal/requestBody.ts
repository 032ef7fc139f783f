/** The body of a request: how a value becomes bytes, and under which media type. */
import type { Json } from "@effect-toolnexus/core"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { isList, isObject } from "./json.ts"
import * as ParameterStyle from "./parameterStyle.ts"

export type BodyEncoding = "json" | "form" | "multipart" | "raw"

export interface BodyPlan {
  readonly encoding: BodyEncoding
  /** The media type as it is declared, without a boundary. */
  readonly mediaType: string
  /** How single properties of a form are written, where that is declared. */
  readonly fields: ReadonlyMap<string, FieldPlan>
}

export interface FieldPlan {
  readonly style?: ParameterStyle.Encoding
  readonly mediaType?: string
  /** The value is a file. */
  readonly isBinary?: boolean
}

export interface Body {
  readonly content: string | Uint8Array
  readonly mediaType: string
}

/** The problem, in words that follow the argument's name. */
export const encode = (plan: BodyPlan, value: Json.Json, boundary: string): Result.Result<Body, string> => {
  const { encoding, mediaType } = plan
  if (encoding === "json") return Result.succeed({ content: JSON.stringify(value), mediaType })
  if (encoding === "raw") return Result.succeed({ content: bytesOf(ParameterStyle.textOf(value)), mediaType })
  if (!isObject(value)) return Result.fail(NO_FIELDS)
  return Result.succeed(
    encoding === "form"
      ? { content: toForm(plan, value), mediaType }
      : { content: toMultipart(plan, value, boundary), mediaType: `${mediaType}; boundary=${boundary}` }
  )
}

const NO_FIELDS = "must be an object: its properties are the fields of a form"

/** An absent field says null best: a form has no word for it. */
const fieldsOf = (value: Json.JsonObject) => Object.entries(value).filter(([, item]) => item !== null)

const toForm = ({ fields }: BodyPlan, value: Json.JsonObject): string =>
  fieldsOf(value)
    .flatMap(([name, item]) => ParameterStyle.toPairs(name, plainer(item, fields.get(name)), styleOf(fields.get(name))))
    .join("&")
    .replaceAll("%20", "+")

const styleOf = (field: FieldPlan | undefined): ParameterStyle.Encoding =>
  field?.style ?? { style: "form", explode: true }

/** Without a declared style a list is a field repeated, and an object JSON (OpenAPI 3.1.1, "Encoding Object"). */
const plainer = (value: Json.Json, field: FieldPlan | undefined): Json.Json => {
  if (field?.style !== undefined) return value
  if (isJsonType(field?.mediaType)) return JSON.stringify(value)
  return isObject(value) ? JSON.stringify(value) : value
}

const isJsonType = (mediaType: string | undefined): boolean =>
  mediaType !== undefined && /^[^;]*[/+]json\s*(?:;|$)/i.test(mediaType)

const toMultipart = ({ fields }: BodyPlan, value: Json.JsonObject, boundary: string): Uint8Array => {
  const parts = fieldsOf(value).flatMap(([name, item]) => {
    const field = fields.get(name)
    const items = isList(item) && !isJsonType(field?.mediaType) ? item : [item]
    return items.flatMap((each) => toPart(name, each, field, boundary))
  })
  return joined([...parts, encoder.encode(`--${boundary}--\r\n`)])
}

const toPart = (
  name: string,
  value: Json.Json,
  field: FieldPlan | undefined,
  boundary: string
): ReadonlyArray<Uint8Array> => {
  const isFile = field?.isBinary === true
  const isPlain = typeof value !== "object" || value === null
  const mediaType = field?.mediaType ?? (isFile ? "application/octet-stream" : isPlain ? undefined : "application/json")
  const head = [
    `--${boundary}`,
    `content-disposition: form-data; name="${quote(name)}"${isFile ? `; filename="${quote(name)}"` : ""}`,
    ...(mediaType === undefined ? [] : [`content-type: ${mediaType.replace(/[\r\n]+/g, " ")}`])
  ]
  return [encoder.encode(`${head.join("\r\n")}\r\n\r\n`), contentOf(value, isFile), encoder.encode("\r\n")]
}

const contentOf = (value: Json.Json, isFile: boolean): Uint8Array => {
  const text = ParameterStyle.textOf(value).toWellFormed()
  return isFile ? asBytes(bytesOf(text)) : encoder.encode(text)
}

/** As browsers write names of fields (WHATWG HTML, "multipart form data"). */
const quote = (name: string): string =>
  name.toWellFormed().replace(
    /["\r\n]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`
  )

const encoder = new TextEncoder()

const asBytes = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? encoder.encode(content) : content

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.length
  }
  return all
}

/** Arguments are text; a `data:` URL in base64 stands for bytes that are none. */
const bytesOf = (text: string): string | Uint8Array => {
  const data = /^data:[^,]{0,200};base64,/i.exec(text)
  if (data === null) return text.toWellFormed()
  return Result.getOrElse(Base64.decode(text.slice(data[0].length)), () => text.toWellFormed())
}

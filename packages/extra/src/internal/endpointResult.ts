/** What a server answered as the result of a tool. */
import { Json, ToolResult } from "@effect-toolnexus/core"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { EndpointAnswer } from "./endpoint.ts"

/** `auto`: text as it is, and what is JSON in `structured` too. */
export type ResultMode = "auto" | "text" | "json" | "status+text"

export const toResult = (answer: EndpointAnswer, mode: ResultMode): ToolResult.ToolResult => {
  const { bytes, isWhole, redact, status } = answer
  const mediaType = redact(answer.header("content-type") ?? "")
  const metadata = { status, ...(mediaType === "" ? {} : { contentType: mediaType }) }
  const isFailure = status < 200 || status > 299
  if (!isFailure && !isText(mediaType, bytes)) return binaryResult(answer, essence(mediaType), metadata)
  const text = redact(decode(bytes, mediaType))
  const shown = isWhole ? text : `${text}\n[... only the first ${bytes.length} bytes were read ...]`
  const structured = mode !== "text" && isWhole && (mode === "json" || isJson(mediaType)) ? parse(text) : Option.none()
  const extras = { metadata, ...(Option.isSome(structured) ? { structured: structured.value } : {}) }
  if (isFailure) return ToolResult.failure(withStatus(status, shown), extras)
  if (mode === "json" && Option.isNone(structured)) {
    return ToolResult.failure(`The response (HTTP ${status}) is not JSON: ${shown}`, { metadata })
  }
  return ToolResult.success(mode === "status+text" ? withStatus(status, shown) : shown, extras)
}

/** CONTRACT 9. */
const withStatus = (status: number, body: string): string => `HTTP ${status}: ${body}`

const essence = (mediaType: string): string => mediaType.split(";")[0]?.trim().toLowerCase() ?? ""

const isJson = (mediaType: string): boolean => /[/+]json$/.test(essence(mediaType))

const TEXT =
  /^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|x-yaml|x-javascript|x-ndjson|graphql|sql)$|^application\/(?:x-www-form-urlencoded|toml)$/

/** Without a type it is what it looks like: text has no NUL. */
const isText = (mediaType: string, bytes: Uint8Array): boolean => {
  const type = essence(mediaType)
  return bytes.length === 0 || TEXT.test(type) ||
    ((type === "" || !/^[\w.+-]+\/[\w.+-]+$/.test(type)) && !bytes.includes(0))
}

const decode = (bytes: Uint8Array, mediaType: string): string => {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(mediaType)?.[1] ?? "utf-8"
  const decoder = Result.getOrElse(Result.try(() => new TextDecoder(charset)), () => new TextDecoder())
  return decoder.decode(bytes)
}

/** Deeper values end the stack of whatever works on them. */
const BOUNDS: Json.Bounds = { levels: 200, values: 1_000_000 }

const parseAny = Option.liftThrowable((text: string): Json.Json => JSON.parse(text))

const parse = (text: string): Option.Option<Json.Json> =>
  Option.filter(parseAny(text), (value) => Json.isWithin(value, BOUNDS))

const binaryResult = (
  { bytes, isWhole, redact, url }: EndpointAnswer,
  type: string,
  metadata: Json.JsonObject
): ToolResult.ToolResult => {
  const kind = /^(image|audio)\//.exec(type)?.[1]
  const size = `${bytes.length} bytes${isWhole ? "" : " or more"}`
  const uri = redact(`${url.origin}${url.pathname}`)
  const output = kind === undefined ? `[resource ${uri}, ${type}, ${size}]` : `[${kind} ${type}, ${size}]`
  // half a picture is none
  if (!isWhole) return ToolResult.failure(`${output}\nThe response is too large to be kept.`, { metadata })
  const data = Base64.encode(bytes)
  const part: ToolResult.ContentPart = kind === "image" || kind === "audio"
    ? { type: kind, data, mimeType: type }
    : { type: "resource", uri, mimeType: type, blob: data }
  return ToolResult.success(output, { metadata, content: [part] })
}

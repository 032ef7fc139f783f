/** The text of a document as JSON: JSON itself, or YAML, whose parser is loaded for it; Swagger 2.0 is converted. */
import type { Json } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { copyOf } from "../OpenApiDefinition.ts"
import { at, isObject } from "./json.ts"

/** The largest in use have 14 MB. */
export const MAX_BYTES = 32 * 1024 * 1024

/** Fails with words for a person. */
export const parse = Effect.fnUntraced(function*(text: string) {
  const trimmed = text.replace(/^\uFEFF/, "").trimStart()
  if (trimmed.startsWith("<")) return yield* Effect.fail("it is HTML or XML; a document is JSON or YAML")
  const parsed = yield* trimmed.startsWith("{") ? Effect.fromResult(parseJson(trimmed)) : parseYaml(trimmed)
  return yield* fromValue(parsed)
})

const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: (): unknown => JSON.parse(text), catch: () => "it begins as JSON does, but is no valid JSON" })

/** A second of work for each two megabytes, during which nothing else goes on. */
const MAX_YAML = 16 * 1024 * 1024

const parseYaml = Effect.fnUntraced(function*(text: string) {
  if (text.length > MAX_YAML) {
    return yield* Effect.fail(`as YAML it is longer than ${MAX_YAML} characters; give it as JSON`)
  }
  const { parseYamlText } = yield* Effect.promise(() => import("./yamlText.ts"))
  return yield* Effect.fromResult(parseYamlText(text))
})

/** From a value that may be anything to a document of OpenAPI 3. */
export const fromValue = Effect.fnUntraced(function*(value: unknown) {
  const copied = Result.try({ try: () => copyOf(value), catch: () => "it breaks whoever reads it" })
  const document = yield* Effect.fromResult(copied)
  if (document === undefined) return yield* Effect.fail("it is no object, or deeper or larger than any document")
  const version = at(document, "openapi")
  if (typeof version === "string" && /^3\.\d/.test(version)) return document
  const swagger = at(document, "swagger")
  if (swagger === "2.0" || swagger === 2) return yield* convert({ ...document, swagger: "2.0" })
  const found = version ?? swagger
  return yield* Effect.fail(
    found === undefined
      ? "it is no OpenAPI document: it has neither \"openapi\" nor \"swagger\""
      : `its version is ${JSON.stringify(found)}; 2.0 and 3.x can be read`
  )
})

const convert = Effect.fnUntraced(function*(document: Json.JsonObject) {
  const { upgradeFromTwoToThree } = yield* Effect.promise(() => import("@scalar/openapi-upgrader/2.0-to-3.0"))
  const converted = Result.try({
    try: () => copyOf(upgradeFromTwoToThree({ ...document })),
    catch: () => undefined
  })
  const result = Result.isSuccess(converted) ? converted.success : undefined
  return result !== undefined && isObject(result) && typeof at(result, "openapi") === "string"
    ? result
    : yield* Effect.fail(
      "it is a document of Swagger 2.0 that can't be converted; convert it to OpenAPI 3 by other means"
    )
})

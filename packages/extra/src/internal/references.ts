/** References within one document (RFC 6901): nothing is fetched, and no chain is followed without end. */
import type { Json } from "@effect-toolnexus/core"
import * as Result from "effect/Result"
import { at, isList, isObject, shown } from "./json.ts"

/** No document chains more than a few. */
const MAX_HOPS = 32

/** What a place means: itself, or what its `$ref` leads to in the end. */
export const resolve = (
  document: Json.JsonObject,
  place: Json.Json | undefined
): Result.Result<Json.JsonObject, string> => {
  let current = place
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    if (!isObject(current)) return Result.fail(hops === 0 ? "is no object" : "refers to what is no object")
    const reference = at(current, "$ref")
    if (typeof reference !== "string") return Result.succeed(current)
    const target = find(document, reference)
    if (Result.isFailure(target)) return Result.fail(target.failure)
    current = target.success
  }
  return Result.fail("refers to itself")
}

export const find = (document: Json.JsonObject, reference: string): Result.Result<Json.Json, string> => {
  if (!reference.startsWith("#")) {
    return Result.fail(`refers to ${shown(reference)}, which is another document; put all into one`)
  }
  let current: Json.Json | undefined = document
  for (const segment of segmentsOf(reference)) {
    if (isList(current)) current = /^\d+$/.test(segment) ? current[Number(segment)] : undefined
    else current = isObject(current) ? at(current, segment) : undefined
  }
  return current === undefined
    ? Result.fail(`refers to ${shown(reference)}, which is not in the document`)
    : Result.succeed(current)
}

/** The names along the way. A plain name (`#anchor`) leads nowhere: there is no such key with a slash before it. */
export const segmentsOf = (reference: string): ReadonlyArray<string> => {
  const fragment = Result.getOrElse(Result.try(() => decodeURIComponent(reference.slice(1))), () => reference.slice(1))
  if (fragment === "") return []
  if (!fragment.startsWith("/")) return [fragment]
  return fragment.slice(1).split("/").map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"))
}

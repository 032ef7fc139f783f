/** Where an operation is called: the host's own word, else the document's, relative to where the document came from. */
import { type Json, Text } from "@effect-toolnexus/core"
import * as Result from "effect/Result"
import { at, isList, isObject, listAt, objectAt, shown, textAt } from "./json.ts"

export interface Place {
  /** What the host says instead of all servers. */
  readonly baseUrl: URL | undefined
  readonly documentUrl: URL | undefined
}

/** The base of all paths, without a slash at its end; or why there is none. */
export const baseOf = (
  { baseUrl, documentUrl }: Place,
  levels: ReadonlyArray<Json.JsonObject>
): Result.Result<string, string> => {
  if (baseUrl !== undefined) return Result.succeed(withoutSlash(baseUrl))
  // an operation's own servers replace its path's, and those the document's (OpenAPI 3.1.1, "Path Item Object")
  const servers = levels.map((level) => listAt(level, "servers")).find((each) => each.length > 0) ?? [{ url: "/" }]
  const [server] = servers
  if (!isObject(server)) return Result.fail("its server is no object")
  return Result.flatMap(filled(server), (text) => toBase(text, documentUrl))
}

const toBase = (text: string, documentUrl: URL | undefined): Result.Result<string, string> => {
  const url = URL.parse(text, documentUrl)
  if (url === null) {
    return Result.fail(
      documentUrl === undefined && !/^[a-z][a-z0-9+.-]*:/i.test(text)
        ? `its server is ${shown(text)}, relative to a document that came from no URL; give "baseUrl"`
        : `its server ${shown(text)} is no URL`
    )
  }
  return /^https?:$/.test(url.protocol)
    ? Result.succeed(withoutSlash(url))
    : Result.fail(`its server ${shown(text)} is no http or https URL`)
}

/** By hand: an expression would try each slash of a path that has nothing else. */
const withoutSlash = ({ origin, pathname }: URL): string => {
  let end = pathname.length
  while (pathname[end - 1] === "/") end--
  return origin + pathname.slice(0, end)
}

/** In characters; each operation has its own copy. */
const MAX_URL = 2000

/** Variables stand for their defaults; a host that wants others gives `baseUrl`. */
const filled = (server: Json.JsonObject): Result.Result<string, string> => {
  const url = textAt(server, "url")
  if (url === undefined) return Result.fail("its server has no url")
  const variables = objectAt(server, "variables")
  const missing: Array<string> = []
  let size = url.length
  const text = url.slice(0, MAX_URL).replace(/\{([^{}]+)\}/g, (_all, name: string) => {
    const value = defaultOf(at(variables, name))
    if (value === undefined) missing.push(name)
    size += value?.length ?? 0
    return size > MAX_URL ? "" : value ?? ""
  })
  if (size > MAX_URL) return Result.fail(`its server ${shown(url)} is longer than ${MAX_URL} characters`)
  return missing.length === 0
    ? Result.succeed(text.trim())
    : Result.fail(
      `its server ${shown(url)} has no default for ${Text.cut(missing.join(", "), 120, "…")}; give "baseUrl"`
    )
}

const defaultOf = (variable: Json.Json | undefined): string | undefined => {
  if (!isObject(variable)) return undefined
  const { default: value, enum: values } = variable
  const chosen = value ?? (isList(values) ? values[0] : undefined)
  return typeof chosen === "string" || typeof chosen === "number" ? String(chosen) : undefined
}

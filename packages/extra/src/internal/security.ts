/** What the host gives for a document's security schemes, and where the document wants it. */
import type { Json } from "@effect-toolnexus/core"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { isList, isObject, listAt, objectAt, textAt } from "./json.ts"
import { escape } from "./parameterStyle.ts"
import * as References from "./references.ts"

/** What goes along with a request; all of it is secret. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  /** Pairs `name=value`, encoded. */
  readonly query: ReadonlyArray<string>
  readonly cookies: ReadonlyArray<string>
}

export const NONE: Credentials = { headers: {}, query: [], cookies: [] }

/** The parameters that credentials take, as `place:name`: nobody else is asked for them. */
export interface Applied {
  readonly credentials: Credentials
  readonly taken: ReadonlySet<string>
}

/** Of the alternatives that the operation names, the first that the host can meet. */
export const apply = (
  document: Json.JsonObject,
  operation: Json.JsonObject,
  given: Readonly<Record<string, string>>
): Applied => {
  const chosen = alternatives(document, operation).find((names) =>
    names.length > 0 && names.every((name) => Object.hasOwn(given, name))
  )
  const parts = (chosen ?? []).flatMap((name) => place(schemeOf(document, name), given[name] ?? ""))
  return {
    credentials: {
      headers: Object.fromEntries(
        parts.flatMap((part) => part.in === "header" ? [[part.name.toLowerCase(), part.value]] : [])
      ),
      query: parts.flatMap((part) => part.in === "query" ? [`${escape(part.name)}=${escape(part.value)}`] : []),
      cookies: parts.flatMap((part) => part.in === "cookie" ? [`${escape(part.name)}=${escape(part.value)}`] : [])
    },
    taken: new Set(parts.map((part) => `${part.in}:${part.in === "header" ? part.name.toLowerCase() : part.name}`))
  }
}

/** The names of all schemes that a document declares. */
export const schemeNames = (document: Json.JsonObject): ReadonlyArray<string> =>
  Object.keys(objectAt(objectAt(document, "components"), "securitySchemes"))

/** What is secret of the values, also as they are sent. */
export const secretsOf = (given: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.values(given).flatMap((value) => [value, basic(value)])

/** Whether some operation can't do without a scheme. */
export const isDemanded = (document: Json.JsonObject, operation: Json.JsonObject): boolean => {
  const all = alternatives(document, operation)
  return all.length > 0 && all.every((names) => names.length > 0)
}

const alternatives = (
  document: Json.JsonObject,
  operation: Json.JsonObject
): ReadonlyArray<ReadonlyArray<string>> =>
  listAt(isList(operation["security"]) ? operation : document, "security").slice(0, MAX_ALTERNATIVES)
    .filter(isObject).map(Object.keys)

/** More are no offer that anybody reads, and each operation has them. */
const MAX_ALTERNATIVES = 100

const schemeOf = (document: Json.JsonObject, name: string): Json.JsonObject => {
  const schemes = objectAt(objectAt(document, "components"), "securitySchemes")
  return Result.getOrElse(
    References.resolve(document, Object.hasOwn(schemes, name) ? schemes[name] : undefined),
    (): Json.JsonObject => ({})
  )
}

interface Part {
  readonly in: "header" | "query" | "cookie"
  readonly name: string
  readonly value: string
}

const place = (scheme: Json.JsonObject, value: string): ReadonlyArray<Part> => {
  const authorization = (text: string): ReadonlyArray<Part> => [{ in: "header", name: "authorization", value: text }]
  switch (textAt(scheme, "type")) {
    case "apiKey": {
      const [where, name] = [textAt(scheme, "in"), textAt(scheme, "name")]
      return (where === "header" || where === "query" || where === "cookie") && name !== undefined
        ? [{ in: where, name, value }]
        : []
    }
    case "http": {
      const kind = textAt(scheme, "scheme")?.toLowerCase() ?? "bearer"
      if (kind === "basic") return authorization(/^basic /i.test(value) ? value : `Basic ${basic(value)}`)
      return authorization(kind === "bearer" ? bearer(value) : value)
    }
    case "oauth2":
    case "openIdConnect":
      return authorization(bearer(value))
    default:
      return []
  }
}

const bearer = (value: string): string => /^bearer /i.test(value) ? value : `Bearer ${value}`

const basic = (value: string): string => Base64.encode(value)

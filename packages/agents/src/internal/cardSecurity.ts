/**
 * What a card says of who may come in, in the shapes of both protocol versions: where a token goes, and what to tell a
 * person who has configured none.
 */
import { isHeaderName, isOfConnection } from "@effect-toolnexus/core/HeaderSyntax"
import type { TokenPlace } from "@effect-toolnexus/core/RemoteRequests"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { field } from "./wireField.ts"

/** Of OAuth and OpenID Connect only the token counts, which a host gets by itself. */
export type Scheme =
  | { readonly _tag: "Authorization"; readonly scheme: string }
  | { readonly _tag: "ApiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }

/** Each alternative is a list of schemes that are needed together. Empty where nothing is asked for. */
export interface CardSecurity {
  readonly alternatives: ReadonlyArray<ReadonlyArray<Scheme>>
}

export const NONE: CardSecurity = { alternatives: [] }

const WireApiKey = Schema.Struct({ in: field(Schema.String), location: field(Schema.String), name: Schema.String })
const WireHttp = Schema.Struct({ scheme: Schema.String })

const WireScheme = Schema.Struct({
  type: field(Schema.String),
  in: field(Schema.String),
  name: field(Schema.String),
  scheme: field(Schema.String),
  apiKeySecurityScheme: field(WireApiKey),
  httpAuthSecurityScheme: field(WireHttp),
  oauth2SecurityScheme: field(Schema.Unknown),
  openIdConnectSecurityScheme: field(Schema.Unknown)
})

const decodeScheme = Schema.decodeUnknownOption(WireScheme)
const decodeMap = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Unknown))
const decodeRequirement = Schema.decodeUnknownOption(
  Schema.Struct({ schemes: Schema.Record(Schema.String, Schema.Unknown) })
)

/** More are no offer that anybody reads. */
const MAX_SCHEMES = 50

/** Without a requirement that makes sense each scheme by itself will do. */
export const readSecurity = (schemes: unknown, requirements: ReadonlyArray<unknown>): CardSecurity => {
  const known = new Map<string, Scheme>()
  for (const [name, raw] of Object.entries(mapOf(schemes)).slice(0, MAX_SCHEMES)) {
    const scheme = Option.flatMap(decodeScheme(raw), toScheme)
    if (Option.isSome(scheme)) known.set(name, scheme.value)
  }
  const named = requirements.slice(0, MAX_SCHEMES).flatMap((raw) => {
    const names = Object.keys(Option.match(decodeRequirement(raw), {
      onNone: () => mapOf(raw),
      onSome: (requirement) => requirement.schemes
    }))
    const needed = names.flatMap((name) => known.get(name) ?? [])
    return names.length > 0 && needed.length === names.length ? [needed] : []
  })
  return { alternatives: named.length > 0 ? named : [...known.values()].map((scheme) => [scheme]) }
}

const mapOf = (raw: unknown): Readonly<Record<string, unknown>> => Option.getOrElse(decodeMap(raw), () => ({}))

const toScheme = (raw: typeof WireScheme.Type): Option.Option<Scheme> => {
  const apiKey = raw.apiKeySecurityScheme ?? (raw.type === "apiKey" ? { ...raw, name: raw.name ?? "" } : undefined)
  if (apiKey) return toApiKey(apiKey.in ?? ("location" in apiKey ? apiKey.location : undefined), apiKey.name)
  const scheme = raw.httpAuthSecurityScheme?.scheme ?? (raw.type === "http" ? raw.scheme : undefined)
  if (typeof scheme === "string") return Option.some({ _tag: "Authorization", scheme })
  const isToken = raw.oauth2SecurityScheme ?? raw.openIdConnectSecurityScheme ??
    (raw.type === "oauth2" || raw.type === "openIdConnect" ? true : undefined)
  return isToken === undefined || isToken === null
    ? Option.none()
    : Option.some({ _tag: "Authorization", scheme: "Bearer" })
}

const toApiKey = (place: string | null | undefined, name: string): Option.Option<Scheme> => {
  if (name === "" || name.length > MAX_NAME) return Option.none()
  if (place === "query") return Option.some({ _tag: "ApiKey", in: place, name })
  if (place !== "header" && place !== "cookie") return Option.none()
  // the name of a cookie is a token of HTTP as well (RFC 9110, 5.6.2)
  return isHeaderName(name) && !isOfConnection(name)
    ? Option.some({ _tag: "ApiKey", in: place, name: place === "header" ? name.toLowerCase() : name })
    : Option.none()
}

/** Longer ones are in use nowhere. */
const MAX_NAME = 100

/** A token goes where the first alternative wants one. */
export const placeToken = ({ alternatives }: CardSecurity, token: string): TokenPlace => {
  const scheme = alternatives[0]?.[0]
  if (scheme?._tag !== "ApiKey") return { headers: { authorization: `Bearer ${token}` } }
  if (scheme.in === "query") return { query: { [scheme.name]: token } }
  return { headers: scheme.in === "header" ? { [scheme.name]: token } : { cookie: `${scheme.name}=${token}` } }
}

/** Whether the configured headers are enough for one alternative; what goes into the query only a token does. */
export const isMetBy = ({ alternatives }: CardSecurity, headers: Readonly<Record<string, string>>): boolean =>
  alternatives.length === 0 || alternatives.some((schemes) =>
    schemes.every((scheme) => {
      if (scheme._tag === "Authorization") return "authorization" in headers
      return scheme.in === "header" ? scheme.name in headers : scheme.in === "cookie" && "cookie" in headers
    })
  )

/** In words; empty where nothing is asked for. */
export const describeSecurity = ({ alternatives }: CardSecurity): string =>
  alternatives.slice(0, 3).map((schemes) => schemes.map(describe).join(" and ")).join(", or ")

const describe = (scheme: Scheme): string =>
  scheme._tag === "Authorization"
    ? `"Authorization: ${scheme.scheme.slice(0, 40)} ..."`
    : `an API key, ${scheme.in} "${scheme.name}"`

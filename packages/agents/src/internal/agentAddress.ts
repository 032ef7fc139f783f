/**
 * From a definition to where its card is and what goes there: variables expanded, and checked before they are used.
 *
 * The configured headers are sent to the card's own origin and to those that the definition allows, and kept out of what the
 * source says in its own name, also where that repeats the agent: names, descriptions and origins of tools, diagnostics,
 * errors, logs, and what a person is asked. Results of calls (output, content, structured, ids in the metadata) are exempt by
 * decision: they are data, and blotting would corrupt them.
 */
import { Environment } from "@effect-toolnexus/core/Environment"
import * as Expansion from "@effect-toolnexus/core/Expansion"
import { isHeaderName, isHeaderValue } from "@effect-toolnexus/core/HeaderSyntax"
import * as NetworkPolicy from "@effect-toolnexus/core/NetworkPolicy"
import { proxyVariables, type Remote } from "@effect-toolnexus/core/RemoteRequests"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import type { AgentDefinition } from "../AgentDefinition.ts"
import { withoutUserInfo } from "./address.ts"

export interface AgentAddress {
  /** Without user info, which is sent as a header. */
  readonly url: URL
  readonly remote: Remote & Required<Pick<Remote, "isTrusted">>
}

export const resolve = Effect.fnUntraced(function*(entry: string, definition: AgentDefinition) {
  const invalid = (field: string, fault: string) =>
    new SourceEntry.EntryError({ kind: "agent", entry, phase: "config", detail: `${field}: ${fault}` })
  const inserted: Array<string> = []
  const expand = (field: string, text: string) =>
    Expansion.expand(text, definition).pipe(
      Effect.mapError((error) => invalid(field, error.message)),
      Effect.map((expanded) => {
        for (const secret of expanded.secrets) inserted.push(secret)
        return expanded.text
      })
    )

  const given = URL.parse(yield* expand("card", definition.card))
  if (given === null || !/^https?:$/.test(given.protocol)) {
    return yield* invalid("card", "must be an http or https URL")
  }
  const headers: Record<string, string> = basicOf(given)
  for (const [name, text] of Object.entries(definition.headers ?? {})) {
    if (!isHeaderName(name)) return yield* invalid("headers", `${JSON.stringify(name)} can't be a header's name`)
    const value = yield* expand(`headers.${name}`, text)
    if (!isHeaderValue(value)) {
      return yield* invalid(`headers.${name}`, "has a character that a header can't hold, such as a line break")
    }
    headers[name.toLowerCase()] = value
  }
  const allowed = new Set([given.origin])
  for (const text of definition.allowOrigins ?? []) {
    const origin = URL.parse(text)?.origin
    if (origin === undefined || origin === "null") {
      return yield* invalid("allowOrigins", "must hold origins, e.g. \"https://agents.example\"")
    }
    allowed.add(origin)
  }
  const address: AgentAddress = {
    url: withoutUserInfo(given),
    remote: {
      kind: "agent",
      name: entry,
      headers,
      secrets: secretsOf(given, Object.values(headers), inserted),
      tls: {},
      proxy: proxyVariables(yield* Environment),
      // a card, or a redirect, may name whatever it likes
      refusal: NetworkPolicy.refusalUnlessNamed(Array.from(allowed, (origin) => URL.parse(origin))),
      isTrusted: (url) => allowed.has(url.origin),
      // a card is for everybody; what a person wrote goes nowhere that nobody named
      mayLeave: ({ method, url }, target) =>
        allowed.has(target.origin) || (method === "GET" && !isDowngrade(url, target))
    }
  }
  return address
})

const isDowngrade = (from: URL, to: URL): boolean => from.protocol === "https:" && to.protocol !== "https:"

/** User info goes out as basic authentication, unless a header says otherwise. */
const basicOf = ({ password, username }: URL): Record<string, string> =>
  username === "" && password === ""
    ? {}
    : { authorization: `Basic ${Base64.encode(`${decode(username)}:${decode(password)}`)}` }

/** `Bearer TOKEN` is a secret as a whole and without its scheme; an address has what is inserted percent-encoded. */
const secretsOf = (
  address: URL,
  values: ReadonlyArray<string>,
  inserted: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...values.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]),
  ...address.searchParams.values(),
  address.password,
  decode(address.password),
  ...inserted.flatMap((text) => [text, encodeURI(text.toWellFormed())])
]

/** User info may hold a `%` that stands for itself. */
const decode = (text: string): string =>
  text.replace(
    /(?:%[0-9a-f]{2})+/gi,
    (escaped) =>
      new TextDecoder().decode(Uint8Array.from(escaped.slice(1).split("%"), (digits) => Number.parseInt(digits, 16)))
  )

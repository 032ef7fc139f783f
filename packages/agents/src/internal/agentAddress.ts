/** From a definition to where its card is and what goes there: variables expanded, and checked before they are used. */
import { Expansion, SourceEntry } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type { AgentDefinition } from "../AgentDefinition.ts"
import { withoutUserInfo } from "./address.ts"
import * as Credentials from "./credentials.ts"

export interface AgentAddress {
  /** Without user info, which fetch refuses; it is among the credentials. */
  readonly url: URL
  readonly credentials: Credentials.Credentials
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
  const headers: Record<string, string> = {}
  for (const [name, text] of Object.entries(definition.headers ?? {})) {
    if (!HEADER_NAME.test(name)) return yield* invalid("headers", `${JSON.stringify(name)} can't be a header's name`)
    const value = yield* expand(`headers.${name}`, text)
    if (!HEADER_VALUE.test(value)) {
      return yield* invalid(`headers.${name}`, "has a character that a header can't hold, such as a line break")
    }
    headers[name.toLowerCase()] = value
  }
  const address: AgentAddress = { url: withoutUserInfo(given), credentials: Credentials.make(given, headers, inserted) }
  return address
})

/** RFC 9110, 5.1 and 5.5. The platform's own refusal would show the value. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

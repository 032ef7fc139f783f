/**
 * The configured headers of an agent: sent to the card's own origin and nowhere else, and kept out of what the source
 * says in its own name, also where that repeats the agent: names, descriptions and origins of tools, diagnostics, errors,
 * logs, and what a person is asked. Results of calls (output, content, structured, ids in the metadata) are exempt by
 * decision: they are data, and blotting would corrupt them.
 */
import { Redaction } from "@effect-toolnexus/core"
import * as Base64 from "effect/encoding/Base64"

export interface Credentials {
  /** What goes along with a request to this address: everything, or nothing on another origin. */
  readonly headersFor: (url: URL) => Readonly<Record<string, string>>
  /** Takes the credentials out of a text of the agent's that isn't a result: it may well repeat what it was sent. */
  readonly redact: Redaction.Redaction
}

/**
 * `address` may hold user info, which goes out as basic authentication unless a header says otherwise. `inserted` is what
 * variables and files put into the configuration.
 */
export const make = (
  address: URL,
  configured: Readonly<Record<string, string>>,
  inserted: ReadonlyArray<string> = []
): Credentials => {
  const headers = new Map(basicOf(address))
  for (const [name, value] of Object.entries(configured)) headers.set(name.toLowerCase(), value)
  return {
    headersFor: (url) => url.origin === address.origin ? Object.fromEntries(headers) : {},
    redact: Redaction.make([
      ...secretsOf(address, [...headers.values()]),
      // an address has them percent-encoded
      ...inserted.flatMap((text) => [text, encodeURI(text.toWellFormed()), encodeURIComponent(text.toWellFormed())])
    ])
  }
}

const basicOf = ({ password, username }: URL): ReadonlyArray<readonly [string, string]> =>
  username === "" && password === ""
    ? []
    : [["authorization", `Basic ${Base64.encode(`${decode(username)}:${decode(password)}`)}`]]

/** `Bearer TOKEN` is a secret as a whole and without its scheme. */
const secretsOf = (address: URL, values: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...values.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]),
  ...address.searchParams.values(),
  address.password,
  decode(address.password)
]

/** User info may hold a `%` that stands for itself. */
const decode = (text: string): string =>
  text.replace(
    /(?:%[0-9a-f]{2})+/gi,
    (escaped) =>
      new TextDecoder().decode(Uint8Array.from(escaped.slice(1).split("%"), (digits) => Number.parseInt(digits, 16)))
  )

/**
 * The configured headers of an agent: sent to the card's own origin and nowhere else, and kept out of every text that
 * leaves the source, whoever wrote it.
 */
import * as Base64 from "effect/encoding/Base64"

export interface Credentials {
  /** What goes along with a request to this address: everything, or nothing on another origin. */
  readonly headersFor: (url: URL) => Readonly<Record<string, string>>
  /** Takes the credentials out of a text of the agent's, which may well repeat what it was sent. */
  readonly redact: (text: string) => string
}

/** Shorter values occur in ordinary text, which would become unreadable. */
const MIN_SECRET = 8

const REDACTED = "<redacted>"

/** `address` may hold user info, which goes out as basic authentication unless a header says otherwise. */
export const make = (address: URL, configured: Readonly<Record<string, string>>): Credentials => {
  const headers = new Map(basicOf(address))
  for (const [name, value] of Object.entries(configured)) headers.set(name.toLowerCase(), value)
  const secrets = secretsOf(address, [...headers.values()])
  return {
    headersFor: (url) => url.origin === address.origin ? Object.fromEntries(headers) : {},
    redact: (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text)
  }
}

const basicOf = ({ password, username }: URL): ReadonlyArray<readonly [string, string]> =>
  username === "" && password === ""
    ? []
    : [["authorization", `Basic ${Base64.encode(`${decode(username)}:${decode(password)}`)}`]]

/** `Bearer TOKEN` is a secret as a whole and without its scheme. The longest first, so that no rest of it stays. */
const secretsOf = (address: URL, values: ReadonlyArray<string>): ReadonlyArray<string> =>
  [
    ...values.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]),
    ...address.searchParams.values(),
    address.password,
    decode(address.password)
  ].filter((secret) => secret.length >= MIN_SECRET).toSorted((left, right) => right.length - left.length)

/** User info may hold a `%` that stands for itself. */
const decode = (text: string): string =>
  text.replace(
    /(?:%[0-9a-f]{2})+/gi,
    (escaped) =>
      new TextDecoder().decode(Uint8Array.from(escaped.slice(1).split("%"), (digits) => Number.parseInt(digits, 16)))
  )

/** An agent's address as a text that somebody wrote, and what of it may be shown. */
import * as HttpAddress from "@effect-toolnexus/core/HttpAddress"
import * as Hash from "effect/Hash"

/**
 * Without user info, query and fragment, read as whoever fetches it reads it: for WHATWG URL ` http:me:secret@h` is an
 * address as good as any. Of what can't be read nothing is shown, for a password may be anywhere in it.
 */
export const bareUrl = (text: string): string => {
  const trimmed = text.trim()
  if (VARIABLE_URL.test(trimmed)) return trimmed
  const address = HttpAddress.parse(trimmed)
  if (address === undefined) return text === "" ? INVALID : `${INVALID}-${shortHash(text)}`
  const { origin, pathname } = address.url
  return pathname === "/" && !ENDS_IN_SLASH.test(trimmed) ? origin : HttpAddress.bareHref(address.url)
}

const INVALID = "invalid-card-url"

/** Nothing but variables that are still to be filled in, and a path: names, and nothing that they stand for. */
const VARIABLE_URL = /^(?:\$\{(?:env:)?\w+\}|\{env:\w+\})[\w./-]*$/

/** A root is called `http://h` or `http://h/`, as it was written. */
const ENDS_IN_SLASH = /[/\\](?:[?#].*)?$/s

/** So many bits as tell a few texts apart, and too few to find out what was hashed. */
const shortHash = (text: string): string => (Hash.string(text) & 0xff_ffff).toString(16).padStart(6, "0")

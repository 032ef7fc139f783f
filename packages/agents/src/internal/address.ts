/** Addresses: how they may be shown, and which of them can be asked. */
import * as Hash from "effect/Hash"

/** An address as it may be shown: without user info, query and fragment. */
export const bareHref = (url: URL): string => url.origin + url.pathname

/**
 * The same of a text that somebody wrote, read as whoever fetches it reads it: for WHATWG URL ` http:me:secret@h` is an
 * address as good as any. Of what can't be read nothing is shown, for a password may be anywhere in it.
 */
export const bareUrl = (text: string): string => {
  const trimmed = text.trim()
  if (VARIABLE_URL.test(trimmed)) return trimmed
  const url = URL.parse(trimmed)
  if (!isHttp(url)) return text === "" ? INVALID : `${INVALID}-${shortHash(text)}`
  return url.pathname === "/" && !ENDS_IN_SLASH.test(trimmed) ? url.origin : bareHref(url)
}

const INVALID = "invalid-card-url"

/** Nothing but variables that are still to be filled in, and a path: names, and nothing that they stand for. */
const VARIABLE_URL = /^(?:\$\{(?:env:)?\w+\}|\{env:\w+\})[\w./-]*$/

/** A root is called `http://h` or `http://h/`, as it was written. */
const ENDS_IN_SLASH = /[/\\](?:[?#].*)?$/s

/** So many bits as tell a few texts apart, and too few to find out what was hashed. */
const shortHash = (text: string): string => (Hash.string(text) & 0xff_ffff).toString(16).padStart(6, "0")

const isHttp = (url: URL | null): url is URL => url !== null && /^https?:$/.test(url.protocol)

/** An http or https address that somebody else wrote, without the user info that fetch refuses. */
export const parseAddress = (text: string, base?: URL): URL | undefined => {
  const url = URL.parse(text, base)
  return isHttp(url) ? withoutUserInfo(url) : undefined
}

export const withoutUserInfo = (url: URL): URL => {
  const bare = new URL(url)
  bare.username = ""
  bare.password = ""
  return bare
}

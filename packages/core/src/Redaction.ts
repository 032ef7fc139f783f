/**
 * Takes secrets out of texts that others wrote: a server's stderr, the message of an error, a span. What is known to be
 * secret is what variables and files put into a configuration, and what it says in `env` and `headers`.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"

/**
 * From a text to the same text without the secrets.
 *
 * @category models
 * @since 0.1.0
 */
export type Redaction = (text: string) => string

/** Shorter values are flags and numbers: they occur everywhere, and a text without them would be unreadable. */
const MIN_LENGTH = 6

/**
 * What stands in a secret's place.
 *
 * @category constants
 * @since 0.1.0
 */
export const REDACTED = "<redacted>"

/**
 * **Example**
 *
 * ```ts
 * Redaction.make(["s3cret-token"])("denied: s3cret-token") // => "denied: <redacted>"
 * ```
 *
 * **Details**
 *
 * Takes out every one of {@link patterns}.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (secrets: Iterable<string>): Redaction => {
  const sorted = patterns(secrets)
  return (text) => sorted.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text)
}

/**
 * All that is to be taken out of a text: every variant of every secret that is long enough to be told from other text
 * (6 characters), the longest first, so that no part of one is left beside a shorter one.
 *
 * @category operations
 * @since 0.1.0
 */
export const patterns = (secrets: Iterable<string>): ReadonlyArray<string> => {
  const distinct = new Set([...new Set(secrets)].flatMap(variants))
  return [...distinct].filter(isTelling).toSorted((left, right) => right.length - left.length)
}

const isTelling = (text: string): boolean => text.trim().length >= MIN_LENGTH

/**
 * The forms in which others repeat a secret, itself among them.
 *
 * **Details**
 *
 * - the lines of a value that has several
 * - the token of a header's value `Bearer TOKEN` or `Basic TOKEN`
 * - the password of a URL, as it is written and decoded, and with its user
 * - each of these as it stands in JSON text and in a URL
 *
 * **Example**
 *
 * ```ts
 * Redaction.variants("Bearer a/b") // => ["Bearer a/b", "Bearer%20a%2Fb", "Bearer+a%2Fb", "Bearer%20a/b", "a/b", "a%2Fb"]
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const variants = (secret: string): ReadonlyArray<string> => {
  const parts = [secret, ...linesOf(secret), ...tokenOf(secret), ...passwordsOf(secret)]
  return [...new Set(parts.flatMap(escaped))].filter((part) => part !== "")
}

const linesOf = (secret: string): ReadonlyArray<string> => {
  const lines = secret.split(/[\r\n]+/)
  return lines.length === 1 ? [] : lines.map((line) => line.trim()).filter(isTelling)
}

const tokenOf = (secret: string): ReadonlyArray<string> => {
  const token = /^\s*(?:Bearer|Basic)\s+(.*\S)\s*$/is.exec(secret)?.[1]
  return token === undefined ? [] : [token]
}

/** By hand: what is in use as a connection string is often no URL that a parser takes. */
const passwordsOf = (secret: string): ReadonlyArray<string> => {
  const credentials = /^\s*[a-z][a-z0-9+.:-]*:\/\/([^\s/?#]*)@/i.exec(secret)?.[1]
  if (credentials === undefined) return []
  // without a colon the user is the token
  const password = credentials.slice(credentials.indexOf(":") + 1)
  return [credentials, password].flatMap((text) => [text, decoded(text)])
}

/** Text that is percent-encoded wrongly stands for itself. */
const decoded = (text: string): string => Result.getOrElse(Result.try(() => decodeURIComponent(text)), () => text)

const escaped = (text: string): ReadonlyArray<string> => {
  const inUrl = encodeURIComponent(text.toWellFormed())
  return [text, JSON.stringify(text).slice(1, -1), inUrl, inUrl.replaceAll("%20", "+"), inPath(text)]
}

/** As it stands in a URL that it was put into as it is. */
const inPath = (text: string): string => {
  const url = new URL("http://host/")
  url.pathname = `/${text}`
  return url.pathname.slice(1)
}

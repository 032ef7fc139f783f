/** A configuration as it may be shown: what is secret in it, or could be, is masked. */
import { Json, Redaction } from "@effect-toolnexus/core"
import { isMap, type JsonMap } from "./configDocument.ts"

/** Deeper than any entry that makes sense. */
const MAX_DEPTH = 20

/** Longer texts are no addresses and no flags; they may hold anything. */
const MAX_TEXT = 4096

/** Whatever stands below these keys may be a secret, in all the spellings in use. */
const SECRET_KEY = /^(?:envs?|environment.*|.*headers?|security|key)$/i

/** Names by which people call what must not be seen, of keys, flags and variables alike. */
const SECRET_NAME =
  /token|secret|passw|credential|authori[sz]ation|(?:^|[-_.])auth(?:$|[-_.])|api[-_]?key|(?:^|[-_.])key$/i

/** Keys whose text is an address, with a scheme or without. */
const ADDRESS_KEY = /^(?:card|document|.*url)$/i

/** Flags whose value is `NAME=VALUE` or `Name: value`. */
const PAIR_FLAG = /^(?:-e|-H|--env|--header)$/

/** A variable by itself, or behind the name of a scheme: it says where the secret is, and not what it is. */
const VARIABLE = /^(?:(?:Bearer|Basic|Token) )?(?:\$\{(?:env:)?[A-Za-z_]\w*\}|\{env:[A-Za-z_]\w*\}|\{file:[^}]+\})$/

type Mask = (text: string) => string

export const maskEntry = (entry: unknown): Json.Json => maskValue(entry, 0, maskWords)

const maskValue = (entry: unknown, depth: number, mask: Mask): Json.Json => {
  if (depth > MAX_DEPTH) return "<too deep>"
  if (typeof entry === "string") return entry.length > MAX_TEXT ? Redaction.REDACTED : mask(entry)
  if (Array.isArray(entry)) return maskList(entry, depth, mask)
  if (isMap(entry)) return maskMap(entry, depth, mask)
  if (typeof entry === "function") return "<function>"
  return mask === maskSecret ? Redaction.REDACTED : Json.isJson(entry) ? entry : null
}

const maskMap = (map: JsonMap, depth: number, mask: Mask): Json.JsonObject =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, maskValue(value, depth + 1, maskOf(key, mask))]))

const maskOf = (key: string, outer: Mask): Mask => {
  if (outer === maskSecret || SECRET_KEY.test(key) || SECRET_NAME.test(key)) return maskSecret
  return ADDRESS_KEY.test(key) ? maskAddress : outer
}

/** Arguments of a command: what follows `--token` is as secret as what stands in `--token=...`. */
const maskList = (items: ReadonlyArray<unknown>, depth: number, mask: Mask): Json.Json =>
  items.map((item, index) => maskValue(item, depth + 1, maskAfter(items[index - 1], item, mask)))

const maskAfter = (before: unknown, item: unknown, mask: Mask): Mask => {
  if (typeof before !== "string" || typeof item !== "string" || item.startsWith("-")) return mask
  if (PAIR_FLAG.test(before)) return maskPair
  return before.startsWith("-") && !before.includes("=") && SECRET_NAME.test(before) ? maskSecret : mask
}

const maskSecret: Mask = (text) => VARIABLE.test(text) ? text : Redaction.REDACTED

/** `NAME=VALUE` or `Name: value`: the name stays. */
const maskPair: Mask = (text) => {
  const [, name = "", value = ""] = /^([^=:]*[=:]\s*)(.*)$/s.exec(text) ?? []
  return value === "" ? text : name + maskSecret(value)
}

/** A text of several words, e.g. a whole command line. */
const maskWords: Mask = (text) => text.split(/(\s+)/).map(maskWord).join("")

const maskWord: Mask = (word) => {
  const end = word.indexOf("=")
  if (end > 0 && !word.slice(0, end).includes("://")) {
    const [name, value] = [word.slice(0, end), word.slice(end + 1)]
    return `${name}=${SECRET_NAME.test(name) ? maskSecret(value) : maskWord(value)}`
  }
  return word.includes("://") ? maskAddress(word) : word
}

/** User info, query and fragment of an address are where tokens are put. */
const maskAddress: Mask = (text) => {
  const [, scheme = "", rest = ""] = /^(\s*(?:[a-z][a-z0-9+.-]*:[\\/]+|(?:https?|wss?|ftp):)?)(.*)$/is.exec(text) ?? []
  const authorityEnd = rest.search(/[/\\?#]/)
  const authority = authorityEnd === -1 ? rest : rest.slice(0, authorityEnd)
  const at = authority.lastIndexOf("@")
  const host = at === -1 ? rest : `${Redaction.REDACTED}${rest.slice(at)}`
  const tail = host.search(/[?#]/)
  return scheme + (tail === -1 ? host : `${host.slice(0, tail + 1)}${Redaction.REDACTED}`)
}

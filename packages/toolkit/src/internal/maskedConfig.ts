/** A configuration as it may be shown: what is secret in it, or could be, is masked. */
import { Json } from "@effect-toolnexus/core"
import { isMap, type JsonMap } from "./configDocument.ts"

const MASK = "<redacted>"

/** Deeper than any entry that makes sense. */
const MAX_DEPTH = 20

/** Whatever stands below these keys may be a secret. */
const SECRET_KEYS: ReadonlySet<string> = new Set(["env", "environment", "headers"])

/** A variable by itself, or behind the name of a scheme: it says where the secret is, and not what it is. */
const VARIABLE = /^(?:(?:Bearer|Basic|Token) )?(?:\$\{(?:env:)?[A-Za-z_]\w*\}|\{env:[A-Za-z_]\w*\}|\{file:[^}]+\})$/

export const maskEntry = (entry: unknown, depth = 0, isSecret = false): Json.Json => {
  if (depth > MAX_DEPTH) return "<too deep>"
  if (typeof entry === "string") return isSecret ? maskSecret(entry) : maskUrl(entry)
  if (Array.isArray(entry)) return entry.map((item: unknown) => maskEntry(item, depth + 1, isSecret))
  if (isMap(entry)) return maskMap(entry, depth, isSecret)
  if (typeof entry === "function") return "<function>"
  return isSecret ? MASK : Json.isJson(entry) ? entry : null
}

const maskMap = (map: JsonMap, depth: number, isSecret: boolean): Json.JsonObject =>
  Object.fromEntries(
    Object.entries(map).map(([key, value]) => [key, maskEntry(value, depth + 1, isSecret || SECRET_KEYS.has(key))])
  )

const maskSecret = (text: string): string => VARIABLE.test(text) ? text : MASK

/** User info and query of a URL are where tokens are put. */
const maskUrl = (text: string): string => {
  const url = /^[a-z][a-z+.-]*:\/\//i.test(text) ? URL.parse(text) : null
  if (url === null || (url.username === "" && url.password === "" && url.search === "")) return text
  return `${url.protocol}//${url.host}${url.pathname}${url.search === "" ? "" : `?${MASK}`}`
}

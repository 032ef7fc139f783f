/**
 * A URL with `{placeholders}`. What fills them is the model's; which server it goes to, and how deep in a path a value
 * ends up, stays the author's: a value is part of one segment, never a step up, and never absent.
 */
import type { ToolError } from "@effect-toolnexus/core"
import * as Result from "effect/Result"

export interface UrlTemplate {
  /** `https://host`, without user info. */
  readonly origin: string
  readonly path: string
  /** Without the question mark; empty if there is none. */
  readonly query: string
  /** In the order in which they first stand there. */
  readonly names: ReadonlyArray<string>
}

const PLACEHOLDER = /\{([^{}/?#]+)\}/g

const PARTS = /^(https?:\/\/[^/?#\\\s]+)([^?#]*)(?:\?([^#]*))?/i

export const namesIn = (text: string): ReadonlyArray<string> => [
  ...new Set(Array.from(text.matchAll(PLACEHOLDER), ([, name = ""]) => name))
]

/** `undefined` for what is no http or https URL. */
export const parse = (text: string): UrlTemplate | undefined => {
  const [, origin, path = "", query = ""] = PARTS.exec(text.trim()) ?? []
  // placeholders are filled with a word that may stand anywhere, to see whether the rest is an address
  if (origin === undefined || URL.parse(origin.replace(PLACEHOLDER, "0")) === null) return undefined
  return { origin, path, query, names: namesIn(origin + path + query) }
}

/** Values as they are to stand there: `path` encoded by their style, the others plain. */
export interface Values {
  readonly path: ReadonlyMap<string, string>
  readonly plain: ReadonlyMap<string, string>
  readonly escape: (text: string) => string
}

/** The filled URL with its fixed query and `pairs` behind it, or what is wrong with which argument. */
export const fill = (
  { origin, path, query }: UrlTemplate,
  { escape, path: inPath, plain }: Values,
  pairs: ReadonlyArray<string>
): Result.Result<URL, ToolError.ArgumentIssue> => {
  const issues: Array<ToolError.ArgumentIssue> = []
  const replace = (
    text: string,
    valueOf: (name: string) => string | undefined,
    fault: (value: string) => string | undefined
  ) =>
    text.replace(PLACEHOLDER, (_all, name: string) => {
      const value = valueOf(name)
      const problem = value === undefined ? MISSING : fault(value)
      if (problem !== undefined) issues.push({ path: name, message: problem })
      return value ?? ""
    })
  const segments = path.split("/").map((segment) => {
    const filled = replace(segment, (name) => inPath.get(name), (value) => value === "" ? EMPTY : undefined)
    const [name] = namesIn(segment)
    if (name !== undefined && climbs(filled)) issues.push({ path: name, message: CLIMBS })
    return filled
  })
  const host = replace(origin, (name) => plain.get(name), (value) => LABEL.test(value) ? undefined : NO_LABEL)
  const fixed = replace(query, (name) => plain.has(name) ? escape(plain.get(name) ?? "") : undefined, () => undefined)
  const [issue] = issues
  if (issue !== undefined) return Result.fail(issue)
  const search = [...(fixed === "" ? [] : [fixed]), ...pairs].join("&")
  const url = URL.parse(`${host}${segments.join("/")}${search === "" ? "" : `?${search}`}`)
  return url === null ? Result.fail({ path: "", message: "they make no URL" }) : Result.succeed(url)
}

const MISSING = "is part of the address and must be given"
const EMPTY = "is part of the address and must not be empty"
const CLIMBS = "must not lead to another place in the path: it stands for one segment, and is . or .. there"
const NO_LABEL = "is part of a host name and may hold letters, digits and hyphens only"

/** One label of a host name (RFC 1123), or a port. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** As often as servers, proxies and frameworks between them are known to decode. */
const DECODINGS = 4

/** Whoever decodes before taking a path apart must not find a step in it. */
const climbs = (segment: string): boolean => {
  let text = segment
  for (let round = 0; round < DECODINGS; round++) {
    if (text.split(/[/\\]/).some((part) => /^\.{1,2}(?:;.*)?$/s.test(part.replace(BLANK, "")))) return true
    const next = decode(text)
    if (next === text) return false
    text = next
  }
  return false
}

// oxlint-disable-next-line no-control-regex -- some servers end or trim a name there
const BLANK = /[\s\0]+/g

const decode = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => {
    const code = Number.parseInt(hex, 16)
    return code < 0x80 ? String.fromCharCode(code) : "_"
  })

/** Texts that a host wrote, expanded (CONTRACT 3): an error names the field and the variable, never a value. */
import { Expansion, SourceEntry } from "@effect-toolnexus/core"
import { isHeaderName, isHeaderValue } from "@effect-toolnexus/core/HeaderSyntax"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"

export const fail = (entry: string, phase: SourceEntry.Phase, detail: string): SourceEntry.EntryError =>
  new SourceEntry.EntryError({ kind: "extra", entry, phase, detail })

export interface Fields {
  readonly expand: (
    field: string,
    text: string
  ) => Effect.Effect<string, SourceEntry.EntryError, FileSystem.FileSystem | Path.Path>
  /** What variables and files put into the texts so far. */
  readonly secrets: Array<string>
}

export const make = (entry: string, folder: string): Fields => {
  const secrets: Array<string> = []
  return {
    secrets,
    expand: (field, text) =>
      Expansion.expand(text, { folder }).pipe(
        Effect.mapError((error) => fail(entry, "config", `${field}: ${error.message}`)),
        Effect.map((expanded) => {
          secrets.push(...expanded.secrets)
          return expanded.text
        })
      )
  }
}

/** Names in lower case. */
export const expandHeaders = Effect.fnUntraced(
  function*(entry: string, fields: Fields, headers: Readonly<Record<string, string>>) {
    const expanded: Record<string, string> = Object.create(null)
    for (const [name, text] of Object.entries(headers)) {
      if (!isHeaderName(name)) {
        return yield* fail(entry, "config", `headers: ${JSON.stringify(name)} is no header's name`)
      }
      const value = yield* fields.expand(`headers.${name}`, text)
      if (!isHeaderValue(value)) return yield* fail(entry, "config", `headers.${name} ${NO_VALUE}`)
      expanded[name.toLowerCase()] = value
    }
    return expanded
  }
)

const NO_VALUE = "has a character that a header can't hold, such as a line break"

/** An address without its user info, which goes out as basic authentication, and what of it is secret. */
export interface Address {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: ReadonlyArray<string>
}

export const parseAddress = (text: string): Address | undefined => {
  const url = URL.parse(text.trim())
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  const { password, username } = url
  url.username = ""
  url.password = ""
  const query = [...url.searchParams.values()]
  if (username === "" && password === "") return { url, headers: {}, secrets: query }
  const pair = `${decoded(username)}:${decoded(password)}`
  const basic = Base64.encode(pair)
  return {
    url,
    headers: { authorization: `Basic ${basic}` },
    secrets: [...query, basic, pair, password, decoded(password)]
  }
}

/** User info may hold a `%` that stands for itself. */
const decoded = (text: string): string => Result.getOrElse(Result.try(() => decodeURIComponent(text)), () => text)

/** An address as it may be shown. */
export const bareHref = (url: URL): string => url.origin + url.pathname

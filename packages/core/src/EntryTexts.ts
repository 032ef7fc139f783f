/**
 * The texts of one entry's configuration, expanded (CONTRACT 3): an error names the entry, the field and the variable, and
 * never a value; what variables and files put there is remembered, so that it can be blotted out.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Expansion from "./Expansion.ts"
import { isHeaderName, isHeaderValue } from "./HeaderSyntax.ts"
import { EntryError, type SourceKind } from "./SourceEntry.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options extends Expansion.Options {
  readonly kind: SourceKind
  readonly entry: string
}

type Reading<A> = Effect.Effect<A, EntryError, FileSystem.FileSystem | Path.Path>

/**
 * **Details**
 *
 * - `expand`: one text; `field` is where it stands, e.g. `headers.Authorization`
 * - `expandHeader`: a header's value; a name or a value that HTTP doesn't allow is a failure
 * - `expandHeaders`: the values of all, by their names in lower case
 * - `secrets`: what variables and files have put into the texts so far
 * - `fail`: a failure of the entry's configuration
 *
 * @category models
 * @since 0.1.0
 */
export interface EntryTexts {
  readonly expand: (field: string, text: string) => Reading<Expansion.Expanded>
  readonly expandHeader: (name: string, text: string) => Reading<Expansion.Expanded>
  readonly expandHeaders: (headers: Readonly<Record<string, string>>) => Reading<Record<string, string>>
  readonly secrets: ReadonlyArray<string>
  readonly fail: (detail: string) => EntryError
}

/**
 * **Example**
 *
 * ```ts
 * const texts = EntryTexts.make({ kind: "agent", entry: "weather", folder: "/project" })
 * const headers = yield* texts.expandHeaders({ Authorization: "Bearer ${WEATHER_TOKEN}" })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ entry, folder, kind }: Options): EntryTexts => {
  const secrets: Array<string> = []
  const fail = (detail: string) => new EntryError({ kind, entry, phase: "config", detail })
  const expand: EntryTexts["expand"] = (field, text) =>
    Expansion.expand(text, { folder }).pipe(
      Effect.mapError((error) => fail(`${field}: ${error.message}`)),
      Effect.tap((expanded) =>
        Effect.sync(() => {
          for (const secret of expanded.secrets) secrets.push(secret)
        })
      )
    )
  const expandHeader: EntryTexts["expandHeader"] = Effect.fnUntraced(function*(name, text) {
    if (!isHeaderName(name)) return yield* fail(`headers: ${shownName(name)} is no header's name`)
    const value = yield* expand(`headers.${name}`, text)
    return isHeaderValue(value.text) ? value : yield* fail(`headers.${name}: ${NO_VALUE}`)
  })
  return {
    expand,
    expandHeader,
    expandHeaders: Effect.fnUntraced(function*(headers) {
      const expanded = new Map<string, string>()
      for (const [name, text] of Object.entries(headers)) {
        expanded.set(name.toLowerCase(), (yield* expandHeader(name, text)).text)
      }
      return Object.fromEntries(expanded)
    }),
    secrets,
    fail
  }
}

/** Some write the whole header, its value too, where its name belongs. */
const shownName = (name: string): string => {
  const known = /^[^:=\s]*/.exec(name)?.[0] ?? ""
  return known === name ? JSON.stringify(name) : `what begins with ${JSON.stringify(known)}`
}

const NO_VALUE = "its value has a character that a header can't hold, such as a line break"

/** A list that a server gives in pages: all of them, within bounds, and each item by itself, so that a broken one costs no other. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import { type Bounds, isWithin } from "@effect-toolnexus/core/Json"
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import * as Text from "@effect-toolnexus/core/Text"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { type McpCallError, McpRejected } from "../McpError.ts"
import type { Listing } from "../McpSession.ts"
import { diagnostic } from "./entryError.ts"
import { METHOD_NOT_FOUND } from "./jsonRpc.ts"
import type { Peer } from "./peer.ts"

/** A server that pages for ever must end somewhere; no honest one comes near. */
const MAX_PAGES = 1000
const MAX_ITEMS = 10_000
/** Of all pages together, in characters: each page by itself is bounded by the length of a line. */
const MAX_TEXT = 64 * 1024 * 1024

interface Page {
  readonly items: ReadonlyArray<unknown>
  readonly cursor: string | undefined
}

/** One kind of list. */
export interface Paged {
  readonly method: string
  /** Where an answer has its items. */
  readonly key: string
  /** What an item is called, e.g. `tool`. */
  readonly noun: string
  /** Which field of an item tells it from others. */
  readonly id: string
}

/** How an item is read; what it finds nothing in is left out, and has its diagnostic. */
export interface ListKind<A> extends Paged {
  readonly read: (reading: Reading, raw: unknown) => A | undefined
}

/** What is wrong with an item is told in the server's own words, less the secrets it was given. */
export interface Reading {
  readonly server: string
  readonly redact: Redaction
  readonly paged: Paged
  readonly diagnostics: Array<Diagnostic>
}

export const readAllPages = Effect.fnUntraced(function*<A>(
  kind: ListKind<A>,
  server: string,
  redact: Redaction,
  peer: Pick<Peer, "request">
): Effect.fn.Return<Listing<A>, McpCallError> {
  const items: Array<A> = []
  const diagnostics: Array<Diagnostic> = []
  const reading: Reading = { server, redact, paged: kind, diagnostics }
  const take = (raw: unknown) => {
    const item = kind.read(reading, raw)
    if (item !== undefined) items.push(item)
  }
  const seen = new Set<string>()
  const extent = { listed: 0, text: 0 }
  let cursor: string | undefined
  for (let pages = 1;; pages++) {
    const page = yield* requestPage(server, peer, kind, cursor)
    for (const raw of page.items.slice(0, MAX_ITEMS - extent.listed)) {
      extent.text += lengthOf(raw, MAX_TEXT - extent.text)
      if (extent.text > MAX_TEXT) break
      if (isWithin(raw, BOUNDS)) take(raw)
      else diagnostics.push(malformed(reading, raw, TOO_MUCH))
    }
    extent.listed += page.items.length
    cursor = page.cursor
    extent.text += cursor?.length ?? 0
    const cut = whyEnd(kind, cursor, seen, pages, extent)
    if (cut !== undefined) diagnostics.push(diagnostic(server, "warning", cut.code, cut.message))
    if (cut !== undefined || cursor === undefined) return { items, diagnostics }
    seen.add(cursor)
  }
})

const requestPage = (
  server: string,
  peer: Pick<Peer, "request">,
  { key, method }: Paged,
  cursor: string | undefined
): Effect.Effect<Page, McpCallError> =>
  peer.request(method, cursor === undefined ? {} : { cursor }).pipe(
    Effect.flatMap(({ [key]: items, nextCursor }) =>
      items === undefined || items === null || Array.isArray(items)
        ? Effect.succeed<Page>({ items: items ?? [], cursor: isCursor(nextCursor) ? nextCursor : undefined })
        : Effect.fail(new McpRejected({ server, detail: `its answer is not what the protocol asks for at ${key}` }))
    ),
    // a server that has none of them need not know the method
    Effect.catchIf(
      (error) => error._tag === "McpRejected" && error.code === METHOD_NOT_FOUND && cursor === undefined,
      () => Effect.succeed<Page>({ items: [], cursor: undefined })
    )
  )

const isCursor = (value: unknown): value is string => typeof value === "string" && value !== ""

/** What was read so far: items, and characters. */
interface Extent {
  readonly listed: number
  readonly text: number
}

const whyEnd = (
  { noun }: Paged,
  cursor: string | undefined,
  seen: ReadonlySet<string>,
  pages: number,
  { listed, text }: Extent
) => {
  const cutAfter = (bound: string) => ({ code: "list-cut", message: `its list of ${noun}s is cut after ${bound}` })
  if (text > MAX_TEXT) return cutAfter(`${MAX_TEXT} characters`)
  if (listed > MAX_ITEMS || (listed === MAX_ITEMS && cursor !== undefined)) return cutAfter(`${MAX_ITEMS} ${noun}s`)
  if (cursor === undefined) return undefined
  if (seen.has(cursor)) {
    return { code: "repeated-cursor", message: `its list of ${noun}s repeats a page; what came until then is taken` }
  }
  return pages < MAX_PAGES ? undefined : cutAfter(`${MAX_PAGES} pages`)
}

/** What a number, a comma or a pair of quotes comes to: much of it is much as well. */
const VALUE_LENGTH = 4

/** About how many characters a value is long, as far as it matters. Not recursive, for it may be of any depth. */
const lengthOf = (value: unknown, limit: number): number => {
  const waiting: Array<unknown> = [value]
  let length = 0
  while (waiting.length > 0 && length <= limit) {
    const current = waiting.pop()
    length += VALUE_LENGTH + (typeof current === "string" ? current.length : 0)
    if (!Predicate.isObjectOrArray(current)) continue
    const isList = Array.isArray(current)
    // counted before they are looked at one by one: there may be millions
    if (isList && current.length * VALUE_LENGTH > limit - length) return limit + 1
    if (!isList) { for (const key of Object.keys(current)) length += key.length }
    for (const inner of isList ? current : Object.values(current)) waiting.push(inner)
  }
  return length
}

/** Whatever compiles or lowers a schema recurses: one as deep as this would exhaust the stack long after it was listed. */
const BOUNDS: Bounds = { levels: 200, values: 100_000 }

const TOO_MUCH = `it is deeper than ${BOUNDS.levels} levels, or has more than ${BOUNDS.values} values`

/** Longer names are no names: they are in every request to a model, and in every message about the item. */
export const MAX_NAME = 1000
export const LONG_NAME = `its name is longer than ${MAX_NAME} characters`

/** More than any model is told about one item. */
const MAX_DESCRIPTION = 100_000

/** As much of a description as is kept; a cut is a diagnostic. */
export const readDescription = (
  { diagnostics, paged, redact, server }: Reading,
  name: string,
  text: string
): string => {
  if (text.length <= MAX_DESCRIPTION) return text
  const message =
    `the description of the ${paged.noun} "${shorten(name, redact)}" is cut after ${MAX_DESCRIPTION} of its `
    + `${text.length} characters`
  diagnostics.push(diagnostic(server, "warning", "description-cut", message))
  return Text.cut(text, MAX_DESCRIPTION)
}

const SHOWN_NAME = 200

/** Cut only when secrets are out of it: what is left of one that was cut would be recognised by nobody. */
const shorten = (name: string, redact: Redaction): string => Text.cut(redact(name), SHOWN_NAME, "...")

const SHOWN_PROBLEM = 300

/** An item that is left out, and why. */
export const malformed = (
  { paged: { id, noun }, redact, server }: Omit<Reading, "diagnostics">,
  raw: unknown,
  problem: string
): Diagnostic => {
  const name = Predicate.hasProperty(raw, id) ? raw[id] : undefined
  const label = typeof name === "string" && name !== ""
    ? `the ${noun} "${shorten(name, redact)}"`
    : `a ${noun} without a ${id}`
  const code = `malformed-${noun.replaceAll(" ", "-")}`
  return diagnostic(server, "warning", code, `${label} is left out: ${Text.cut(redact(problem), SHOWN_PROBLEM, "...")}`)
}

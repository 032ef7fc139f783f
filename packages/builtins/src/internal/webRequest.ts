/** One address of the web asked for, redirects followed by hand, each target held against the same rules. */
import type { Connections, HttpFailure, HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { ACCEPTED } from "./contentEncoding.ts"

/** `detail` follows the address it is about. */
export class RequestRefused extends Data.TaggedError("RequestRefused")<{ readonly detail: string }> {}

export interface Answered {
  readonly url: URL
  readonly response: HttpResponse
  readonly redirects: number
}

const MAX_REDIRECTS = 10
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Longer than any that a browser sends. */
const MAX_URL = 8192

export const parseUrl = (text: string, base?: URL): Effect.Effect<URL, RequestRefused> => {
  const refuse = (detail: string) => Effect.fail(new RequestRefused({ detail }))
  if (text.length > MAX_URL) return refuse(`is longer than ${MAX_URL} characters`)
  const url = URL.parse(text, base)
  if (url === null) return refuse("is no address: write it out, like https://example.com/page")
  if (url.protocol !== "http:" && url.protocol !== "https:") return refuse("is neither http nor https")
  if (url.username !== "" || url.password !== "") return refuse("holds a user name or a password, which aren't sent")
  return Effect.succeed(url)
}

export const request = Effect.fnUntraced(function*(
  { exchange }: Connections,
  start: URL,
  accept: string,
  watch: (url: URL) => void
) {
  let url = start
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    watch(url)
    const response = yield* exchange({ method: "GET", url, headers: { ...HEADERS, accept } })
    const location = REDIRECTS.has(response.status) ? response.header("location") : undefined
    if (location === undefined) return { url, response, redirects } satisfies Answered
    response.discard()
    url = yield* Effect.mapError(
      parseUrl(location, url),
      ({ detail }) => new RequestRefused({ detail: `answers with a redirect whose target ${detail}` })
    )
  }
  return yield* new RequestRefused({
    detail: `was the last of ${MAX_REDIRECTS} redirects, which are all that are followed`
  })
}) satisfies (...args: ReadonlyArray<never>) => Effect.Effect<Answered, RequestRefused | HttpFailure>

/** A name that a server's log can be asked about, and no more: there are servers that turn nameless programs away. */
const HEADERS = { "user-agent": "effect-toolnexus (webfetch)", "accept-encoding": ACCEPTED }

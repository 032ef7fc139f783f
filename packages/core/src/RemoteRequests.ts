/**
 * Requests to one remote server, be it one of MCP or an agent: which headers go where, which redirects are followed, and
 * who is asked for a token.
 *
 * **Details**
 *
 * Headers of the configuration, those a host makes for each request (`RequestHeaders`) and tokens (`TokenProvider`) go where
 * the server is trusted, and nowhere else. Whatever is secret in them is known to `redact`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Variables } from "./Environment.ts"
import {
  type ConnectionOptions,
  type Connections,
  HttpConnections,
  type HttpFailure,
  type HttpRequest,
  type HttpResponse
} from "./HttpConnections.ts"
import * as Redaction from "./Redaction.ts"
import { RequestHeaders, type RequestHeadersService } from "./RequestHeaders.ts"
import type { SourceKind } from "./SourceEntry.ts"
import * as Text from "./Text.ts"
import { type Challenge, TokenProvider, type TokenProviderService } from "./TokenProvider.ts"

/**
 * A server that requests are sent to.
 *
 * **Details**
 *
 * - `name`: its entry in the configuration
 * - `headers`: sent with every request; the protocol's own win
 * - `secrets`: what is not to be shown where somebody repeats it
 * - `isTrusted`: which addresses get headers and tokens. Default: all that are asked, since no redirect leaves their origin
 * - `mayLeave`: whether a redirect to another origin is followed. Default: none is
 * - `placeToken`: how a token is sent. Default: `Authorization: Bearer`
 *
 * @category models
 * @since 0.1.0
 */
export interface Remote extends ConnectionOptions {
  readonly kind: SourceKind
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: ReadonlyArray<string>
  readonly isTrusted?: (url: URL) => boolean
  readonly mayLeave?: (request: RemoteRequest, target: URL) => boolean
  readonly placeToken?: (token: string) => TokenPlace
}

/**
 * Where a token goes: headers by their names in lower case, and parameters of the query.
 *
 * @category models
 * @since 0.1.0
 */
export interface TokenPlace {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

/**
 * A redirect that isn't followed: what was sent would be lost, or go to somebody else.
 *
 * @category models
 * @since 0.1.0
 */
export interface Redirected {
  readonly _tag: "Redirected"
  readonly reason: string
}

/**
 * A request as the protocol makes it; `headers` beside those of the server and its host, `context` what the caller attached
 * to its call.
 *
 * @category models
 * @since 0.1.0
 */
export interface RemoteRequest extends Pick<HttpRequest, "body" | "method"> {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly context: unknown
}

/**
 * `movedTo`: where a redirect led.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = (HttpResponse & { readonly movedTo?: URL }) | Redirected

const MAX_HOPS = 5

/**
 * **Example**
 *
 * ```ts
 * const requests = yield* RemoteRequests.make({ kind: "agent", name: "weather", headers: {}, secrets: [], tls: {}, proxy: {} })
 * const answer = yield* requests.send({ method: "GET", url, headers: {}, context: undefined })
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export class RemoteRequests {
  readonly #server: Remote
  readonly #headers: Readonly<Record<string, string>>
  readonly #secrets: RecentSecrets
  readonly #connections: Connections
  readonly #makeHeaders: RequestHeadersService | undefined
  readonly #tokens: TokenProviderService | undefined
  readonly #asking = Semaphore.makeUnsafe(1)
  /** Given for one caller's context, and for no other's. */
  readonly #given = new Map<unknown, string>()

  constructor(
    server: Remote,
    connections: Connections,
    makeHeaders: RequestHeadersService | undefined,
    tokens: TokenProviderService | undefined
  ) {
    this.#server = server
    this.#headers = lowerCased(server.headers)
    this.#secrets = new RecentSecrets(server.secrets)
    this.#connections = connections
    this.#makeHeaders = makeHeaders
    this.#tokens = tokens
  }

  /** The scope closes its connections. */
  static readonly make: (server: Remote) => Effect.Effect<RemoteRequests, never, HttpConnections | Scope.Scope> = Effect
    .fnUntraced(function*(server) {
      const { proxy, refusal, tls } = server
      const options = { tls, proxy, ...(refusal === undefined ? {} : { refusal }) }
      const connections = yield* HttpConnections.use((http) => http.open(options))
      return new RemoteRequests(server, connections, yield* RequestHeaders, yield* TokenProvider)
    })

  /** Blots out what is secret in the configuration, and what the host has made for requests. */
  readonly redact: Redaction.Redaction = (text) => this.#secrets.redact(text)

  /** Sends it, once more where a token is asked for and given. */
  readonly send = (request: RemoteRequest): Effect.Effect<Answer, HttpFailure> =>
    Effect.suspend(() => {
      const before = this.#tokenFor(request.context)
      return Effect.flatMap(this.#sendOnce(request), (answer) => {
        const challenge = this.challengeOf(request, answer)
        // nobody is bothered for the sake of a goodbye, nor for a server that would not be sent the token
        const isAsked = challenge !== undefined && request.method !== "DELETE"
        if (!isAsked || this.#tokens === undefined || isRedirected(answer)) return Effect.succeed(answer)
        if (!this.#isTrusted(placeOf(request, answer))) return Effect.succeed(answer)
        return Effect.flatMap(
          // whoever gives up while it is asked for lets go of the answer as well
          Effect.onExit(
            this.#askForToken(this.#tokens, challenge, request.context, before),
            (exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(answer.discard)
          ),
          (isGiven) => {
            if (!isGiven) return Effect.succeed<Answer>(answer)
            answer.discard()
            return this.#sendOnce(request)
          }
        )
      })
    })

  /** One at a time: who was challenged together with others finds the token that was given to them. */
  #askForToken(
    provider: TokenProviderService,
    challenge: Challenge,
    context: unknown,
    before: string | undefined
  ): Effect.Effect<boolean> {
    return this.#asking.withPermit(Effect.suspend(() => {
      const now = this.#tokenFor(context)
      if (now !== undefined && now !== before) return Effect.succeed(true)
      return Effect.map(provider(challenge), (given) => {
        if (Option.isNone(given)) return false
        this.#secrets.add(given.value)
        this.#remember(context, given.value)
        return true
      })
    }))
  }

  #tokenFor(context: unknown): string | undefined {
    return this.#given.get(context)
  }

  /** Of many callers the latest. */
  #remember(context: unknown, token: string) {
    this.#given.delete(context)
    this.#given.set(context, token)
    if (this.#given.size > MAX_SECRETS) this.#given.delete(this.#given.keys().next().value)
  }

  #sendOnce(request: RemoteRequest): Effect.Effect<Answer, HttpFailure> {
    if (this.#makeHeaders === undefined) return this.#follow(request, {}, 0)
    const own = this.#makeHeaders({ kind: this.#server.kind, entry: this.#server.name, context: request.context })
    return Effect.flatMap(own, (made) => {
      for (const value of Object.values(made)) this.#secrets.add(value)
      return this.#follow(request, lowerCased(made), 0)
    })
  }

  #follow(request: RemoteRequest, made: Made, hops: number): Effect.Effect<Answer, HttpFailure> {
    return Effect.flatMap(this.#connections.exchange(this.#toHttp(request, made)), (response) => {
      const target = response.status >= 300 && response.status < 400 ? response.header("location") : undefined
      if (target === undefined) return Effect.succeed(hops === 0 ? response : { ...response, movedTo: request.url })
      response.discard()
      const next = nextUrl(request, response.status, target, hops, this.#server.mayLeave)
      return next instanceof URL
        ? this.#follow({ ...request, url: next }, made, hops + 1)
        : Effect.succeed<Answer>({ _tag: "Redirected", reason: next })
    })
  }

  /** The protocol's own headers can't be replaced, and who isn't trusted gets no others. */
  #toHttp(request: RemoteRequest, made: Made): HttpRequest {
    if (!this.#isTrusted(request.url)) return request
    const token = this.#tokenFor(request.context)
    const place = token === undefined ? {} : this.#place(token)
    return {
      ...request,
      url: place.query === undefined ? request.url : withQuery(request.url, place.query),
      headers: { ...this.#headers, ...made, ...place.headers, ...request.headers }
    }
  }

  #place(token: string): TokenPlace {
    return this.#server.placeToken?.(token) ?? { headers: { authorization: `Bearer ${token}` } }
  }

  #isTrusted(url: URL): boolean {
    return this.#server.isTrusted?.(url) !== false
  }

  /** What a server asks of who comes to it. */
  readonly challengeOf = (request: RemoteRequest, answer: Answer): Challenge | undefined => {
    if (isRedirected(answer) || (answer.status !== 401 && answer.status !== 403)) return undefined
    const { origin, pathname } = placeOf(request, answer)
    return {
      kind: this.#server.kind,
      entry: this.#server.name,
      status: answer.status,
      url: `${origin}${pathname}`,
      header: answer.header("www-authenticate") ?? "",
      ...(request.context === undefined ? {} : { context: request.context })
    }
  }
}

const placeOf = (request: RemoteRequest, { movedTo }: HttpResponse & { readonly movedTo?: URL }): URL =>
  movedTo ?? request.url

type Made = Readonly<Record<string, string>>

const withQuery = (url: URL, query: Readonly<Record<string, string>>): URL => {
  const target = new URL(url)
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
  return target
}

/** What a host makes for each request is as secret as what is configured; of many users the latest are known. */
const MAX_SECRETS = 1000

class RecentSecrets {
  readonly #configured: Redaction.Redaction
  readonly #made = new Set<string>()
  #redaction: Redaction.Redaction | undefined

  constructor(configured: Iterable<string>) {
    this.#configured = Redaction.make(configured)
  }

  readonly redact: Redaction.Redaction = (text) => {
    this.#redaction ??= Redaction.make(this.#made)
    return this.#configured(this.#redaction(text))
  }

  add(secret: string) {
    if (this.#made.has(secret)) return
    this.#redaction = undefined
    this.#made.add(secret)
    for (const oldest of this.#made) {
      if (this.#made.size <= MAX_SECRETS) break
      this.#made.delete(oldest)
    }
  }
}

/** Names of headers in one spelling, so that one replaces the other. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * @category guards
 * @since 0.1.0
 */
export const isRedirected = (answer: Answer): answer is Redirected => "_tag" in answer && answer._tag === "Redirected"

/** Where to go on, or why not. Addresses are shown without what may be secret in them. */
const nextUrl = (
  request: RemoteRequest,
  status: number,
  target: string,
  hops: number,
  mayLeave: Remote["mayLeave"]
): URL | string => {
  const next = URL.parse(target, request.url)
  if (next === null) return `it redirects (${status}) to what is no address`
  const place = `${next.origin}${next.pathname}`
  if (hops >= MAX_HOPS) return `it redirects more than ${MAX_HOPS} times, at last to ${place}`
  if (next.origin !== request.url.origin && mayLeave?.(request, next) !== true) {
    return `it redirects (${status}) to ${place}, which is another server and is not sent what is meant for this one; `
      + "if that is the right one, configure its address"
  }
  if (request.method === "GET" || status === 307 || status === 308) return next
  return `it redirects (${status}) to ${place} in a way that loses what was sent; configure that address`
}

/**
 * A challenge as a person reads it, cut when its secrets are out of it.
 *
 * @category operations
 * @since 0.1.0
 */
export const wordsOf = ({ header, status }: Challenge, redact: Redaction.Redaction): string =>
  `it asks who we are (HTTP ${status})${header === "" ? "" : `: ${Text.cut(redact(header), SHOWN_HEADER, "...")}`}`

const SHOWN_HEADER = 2000

/**
 * Whether a response that worked is a stream of events.
 *
 * @category guards
 * @since 0.1.0
 */
export const isStream = (answer: Answer): answer is HttpResponse =>
  !isRedirected(answer) && answer.status === 200 && hasEvents(answer)

/**
 * Names of media types are written in any case (RFC 9110, 8.3.1).
 *
 * @category guards
 * @since 0.1.0
 */
export const hasEvents = (response: HttpResponse): boolean =>
  /^\s*text\/event-stream\s*(?:;|$)/i.test(response.header("content-type") ?? "")

const PROXY_NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]

/**
 * The variables by which a proxy is chosen, in lower case where both are there, as other programs have it.
 *
 * @category getters
 * @since 0.1.0
 */
export const proxyVariables = (variables: Variables): Record<string, string> =>
  Object.fromEntries(PROXY_NAMES.flatMap((name) => {
    const value = variables[name.toLowerCase()] ?? variables[name]
    return value === undefined || value === "" ? [] : [[name, value]]
  }))

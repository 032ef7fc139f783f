/**
 * Requests to one remote server, be it one of MCP, an agent or an HTTP API: which headers go where, which redirects are
 * followed, and who is asked for a token.
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
  HttpFailure,
  type HttpRequest,
  type HttpResponse
} from "./HttpConnections.ts"
import { AddressGuard } from "./internal/addressGuard.ts"
import { proxyAddresses } from "./internal/proxyAddresses.ts"
import { MAX_SECRETS, RecentSecrets } from "./internal/recentSecrets.ts"
import { nextRequest } from "./internal/redirects.ts"
import { farther, type Reach } from "./NetworkPolicy.ts"
import type * as Redaction from "./Redaction.ts"
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
 * - `secrets`: what is not to be shown where somebody repeats it; a proxy's password is known already
 * - `isTrusted`: which addresses get headers and tokens. Default: the origin that was asked, wherever a redirect leads
 * - `mayLeave`: whether a redirect to another origin is followed, with what would be sent there. Default: none is
 * - `followsSeeOther`: whether the answer to what was sent may be elsewhere: a 303 is followed by a GET (RFC 9110,
 *   15.4.4). Default: no
 * - `placeToken`: how a token is sent. Default: `Authorization: Bearer`
 * - `named`: which places the configuration names, where something else names some as well. Default: it names them all
 *
 * @category models
 * @since 0.1.0
 */
export interface Remote extends Omit<ConnectionOptions, "refusal"> {
  readonly kind: SourceKind
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: ReadonlyArray<string>
  readonly isTrusted?: (url: URL) => boolean
  readonly mayLeave?: (request: RemoteRequest, target: URL) => boolean
  readonly followsSeeOther?: boolean
  readonly placeToken?: (token: string) => TokenPlace
  readonly named?: NamedPlaces
}

/**
 * The places that a configuration names itself. Others are named by what is read (a document, a card) or by a redirect, and
 * those may not be nearer to this machine than who names them: what the internet names is no private address and no loopback
 * one. Link-local addresses and clouds' metadata services are asked only where they are written out here.
 *
 * **Details**
 *
 * - `asked`: where the document is read. It may be anywhere when it is, but its owner may let its name lead elsewhere
 *   afterwards: that name is one of those that the document names
 * - `urls`: all others; their hosts may be at any address
 * - `advice`: how a person lets a further one in, in words that follow "to allow it,"
 *
 * @category models
 * @since 0.1.0
 */
export interface NamedPlaces {
  readonly asked?: URL
  readonly urls: ReadonlyArray<URL>
  readonly advice: string
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
 * A request as the protocol makes it. Names of headers are in lower case.
 *
 * **Details**
 *
 * - `headers`: of the protocol; they win over those of the server and its host. Who isn't trusted, and was come to by a
 *   redirect, gets `accept` alone.
 * - `defaults`: headers over which those of the server and its host win; a cookie among them stands behind theirs
 * - `context`: what the caller attached to its call
 * - `isAnonymous`: nothing that is meant for the server goes along, and nobody is asked for a token
 * - `asksNobody`: it is not worth asking for a token
 * - `namedFrom`: who can reach the place where `url` was named; see {@link NamedPlaces}. Default: the configuration names it
 *
 * @category models
 * @since 0.1.0
 */
export interface RemoteRequest extends Pick<HttpRequest, "body" | "method"> {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly defaults?: Readonly<Record<string, string>>
  readonly context: unknown
  readonly isAnonymous?: boolean
  readonly asksNobody?: boolean
  readonly namedFrom?: Reach
}

/**
 * `movedTo`: where a redirect led, and `ledFrom` who can reach the places on the way. `made`: what the host made for this
 * request, a token too, all of it secret.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = Answered | Redirected

/**
 * @category models
 * @since 0.1.0
 */
export interface Answered extends HttpResponse {
  readonly movedTo?: URL
  readonly ledFrom?: Reach
  readonly made?: ReadonlyArray<string>
}

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
  readonly #connections: Readonly<Record<Reach, Connections>>
  readonly #guard: AddressGuard | undefined
  readonly #makeHeaders: RequestHeadersService | undefined
  readonly #tokens: TokenProviderService | undefined
  /** Those for whom a token is asked for, by what their caller attached. */
  readonly #turns = new Map<unknown, Turn>()
  /** Given for one caller's context, and for no other's. */
  readonly #given = new Map<unknown, string>()

  constructor(
    server: Remote,
    connections: Readonly<Record<Reach, Connections>>,
    guard: AddressGuard | undefined,
    makeHeaders: RequestHeadersService | undefined,
    tokens: TokenProviderService | undefined
  ) {
    this.#server = server
    this.#headers = lowerCased(server.headers)
    this.#secrets = new RecentSecrets([
      ...server.secrets,
      ...proxyAddresses(server.proxy).flatMap(({ secrets }) => secrets)
    ])
    this.#connections = connections
    this.#guard = guard
    this.#makeHeaders = makeHeaders
    this.#tokens = tokens
  }

  /** The scope closes its connections. */
  static readonly make: (server: Remote) => Effect.Effect<RemoteRequests, never, HttpConnections | Scope.Scope> = Effect
    .fnUntraced(function*(server) {
      const { named, proxy, tls } = server
      const guard = named === undefined ? undefined : new AddressGuard(named, proxy)
      const open = (limit: Reach) =>
        HttpConnections.use((http) =>
          http.open({ tls, proxy, ...(guard === undefined ? {} : { refusal: guard.refusal(limit) }) })
        )
      const machine = yield* open("machine")
      // a connection that is there already serves only who may make it
      const connections = guard === undefined
        ? { machine, network: machine, public: machine }
        : { machine, network: yield* open("network"), public: yield* open("public") }
      return new RemoteRequests(server, connections, guard, yield* RequestHeaders, yield* TokenProvider)
    })

  /** Blots out what is secret in the configuration, and what the host has made for requests. */
  readonly redact: Redaction.Redaction = (text) => this.#secrets.redact(text)

  /**
   * The same for one answer, without what was made for others: of many callers' secrets some may stand in a body by
   * chance, and to look for all of them takes long.
   */
  readonly redactionOf = ({ made = [] }: Answered): Redaction.Redaction => this.#secrets.with(made)

  /** Sends it, once more where a token is asked for and given. */
  readonly send = (request: RemoteRequest): Effect.Effect<Answer, HttpFailure> =>
    Effect.suspend(() => {
      const before = this.#tokenFor(request.context)
      return Effect.flatMap(this.#sendOnce(request), (answer) => {
        const challenge = this.challengeOf(request, answer)
        const isAsked = challenge !== undefined && request.asksNobody !== true
        if (!isAsked || this.#tokens === undefined || isRedirected(answer)) return Effect.succeed(answer)
        // nobody is bothered for a server that would not be sent the token
        if (!this.#isTrusted(request, placeOf(request, answer))) return Effect.succeed(answer)
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

  /** One at a time for each caller: who was challenged together with others finds the token that was given to them. */
  #askForToken(
    provider: TokenProviderService,
    challenge: Challenge,
    context: unknown,
    before: string | undefined
  ): Effect.Effect<boolean> {
    return this.#inTurn(
      context,
      Effect.suspend(() => {
        const now = this.#tokenFor(context)
        if (now !== undefined && now !== before) return Effect.succeed(true)
        return Effect.map(provider(challenge), (given) => {
          if (Option.isNone(given)) return false
          this.#secrets.add(given.value)
          this.#remember(context, given.value)
          return true
        })
      })
    )
  }

  #inTurn<A>(context: unknown, work: Effect.Effect<A>): Effect.Effect<A> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const turn = this.#turns.get(context) ?? { lock: Semaphore.makeUnsafe(1), takers: 0 }
        turn.takers++
        this.#turns.set(context, turn)
        return turn
      }),
      (turn) => turn.lock.withPermit(work),
      (turn) =>
        Effect.sync(() => {
          if (--turn.takers === 0) this.#turns.delete(context)
        })
    )
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
    if (this.#makeHeaders === undefined || request.isAnonymous === true) {
      return this.#follow(request, request, {}, 0, limitOf(request))
    }
    const own = this.#makeHeaders({ kind: this.#server.kind, entry: this.#server.name, context: request.context })
    return Effect.flatMap(own, (made) => {
      for (const value of Object.values(made)) this.#secrets.add(value)
      return this.#follow(request, request, lowerCased(made), 0, limitOf(request))
    })
  }

  /** `asked` is the request before any redirect; `limit`: who can reach what led to this one. */
  #follow(
    asked: RemoteRequest,
    request: RemoteRequest,
    made: Made,
    hops: number,
    limit: Reach
  ): Effect.Effect<Answer, HttpFailure> {
    const refused = this.#guard?.refusalOfProxy(limit, request.url)
    if (refused !== undefined) {
      return Effect.fail(new HttpFailure({ code: REFUSED, detail: `${REFUSED}: ${refused}`, wasSent: false }))
    }
    const token = asked.isAnonymous === true ? undefined : this.#tokenFor(asked.context)
    return Effect.flatMap(this.#connections[limit].exchange(this.#toHttp(asked, request, made, token)), (response) => {
      const { status } = response
      const target = status >= 300 && status < 400 && status !== 304 ? response.header("location") : undefined
      if (target === undefined) {
        const secrets = token === undefined ? Object.values(made) : [...Object.values(made), token]
        if (hops === 0 && secrets.length === 0) return Effect.succeed<Answer>(response)
        const moved = hops === 0 ? {} : { movedTo: request.url, ledFrom: limit }
        return Effect.succeed<Answer>({ ...response, made: secrets, ...moved })
      }
      response.discard()
      const next = nextRequest(this.#server, request, status, target, hops)
      return typeof next === "string"
        ? Effect.succeed<Answer>({ _tag: "Redirected", reason: next })
        : this.#follow(asked, next, made, hops + 1, this.#past(limit, request.url))
    })
  }

  /**
   * Who can reach the place that an answer came from, and all on the way there: what it names is to be asked for with that
   * as `namedFrom`.
   */
  readonly reachOf = (request: RemoteRequest, answer: Answered): Reach =>
    this.#past(answer.ledFrom ?? limitOf(request), placeOf(request, answer))

  #past(limit: Reach, url: URL): Reach {
    return this.#guard === undefined ? limit : farther(limit, this.#guard.reachOf(url))
  }

  #toHttp(asked: RemoteRequest, request: RemoteRequest, made: Made, token: string | undefined): HttpRequest {
    const { body, defaults, headers, method, url } = request
    const rest = { method, ...(body === undefined ? {} : { body }) }
    if (!this.#isTrusted(asked, url)) {
      const isHome = url.origin === asked.url.origin
      return { ...rest, url, headers: isHome ? { ...defaults, ...headers } : acceptOf(request) }
    }
    const place = token === undefined ? {} : this.#place(token)
    return {
      ...rest,
      url: place.query === undefined ? url : withQuery(url, place.query),
      headers: withCookie(
        { ...defaults, ...this.#headers, ...made, ...place.headers, ...headers },
        defaults?.["cookie"]
      )
    }
  }

  #place(token: string): TokenPlace {
    return this.#server.placeToken?.(token) ?? { headers: { authorization: `Bearer ${token}` } }
  }

  #isTrusted({ isAnonymous, url: asked }: RemoteRequest, url: URL): boolean {
    if (isAnonymous === true) return false
    return this.#server.isTrusted === undefined ? url.origin === asked.origin : this.#server.isTrusted(url)
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

const REFUSED = "ERR_ADDRESS_REFUSED"

interface Turn {
  readonly lock: Semaphore.Semaphore
  takers: number
}

const limitOf = ({ namedFrom = "machine" }: RemoteRequest): Reach => namedFrom

const placeOf = (request: RemoteRequest, { movedTo }: Answered): URL => movedTo ?? request.url

const acceptOf = ({ defaults, headers }: RemoteRequest): Record<string, string> => {
  const accept = headers["accept"] ?? defaults?.["accept"]
  return accept === undefined ? {} : { accept }
}

/** There may be many cookies, and only one header for all of them (RFC 6265, 5.4). */
const withCookie = (headers: Record<string, string>, cookie: string | undefined): Record<string, string> => {
  const other = headers["cookie"]
  return cookie === undefined || other === undefined || other === cookie
    ? headers
    : { ...headers, cookie: `${other}; ${cookie}` }
}

type Made = Readonly<Record<string, string>>

const withQuery = (url: URL, query: Readonly<Record<string, string>>): URL => {
  const target = new URL(url)
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
  return target
}

/** Names of headers in one spelling, so that one replaces the other. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * @category guards
 * @since 0.1.0
 */
export const isRedirected = (answer: Answer): answer is Redirected => "_tag" in answer && answer._tag === "Redirected"

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

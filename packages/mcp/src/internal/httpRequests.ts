/** Requests to one remote server: which headers go where, which redirects are followed, and who is asked for a token. */
import {
  type Connections,
  HttpConnections,
  type HttpFailure,
  type HttpRequest,
  type HttpResponse
} from "@effect-toolnexus/core/HttpConnections"
import * as Redaction from "@effect-toolnexus/core/Redaction"
import { RequestHeaders, type RequestHeadersService } from "@effect-toolnexus/core/RequestHeaders"
import { type Challenge, TokenProvider, type TokenProviderService } from "@effect-toolnexus/core/TokenProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { ResolvedRemote } from "../McpConfig.ts"
import type { Refusal } from "./channel.ts"
import { cutText } from "./cutText.ts"

/** A redirect that isn't followed: what was sent would be lost, or go to somebody else. */
export interface Redirected {
  readonly _tag: "Redirected"
  readonly reason: string
}

/** A request as the protocol makes it; `headers` beside those of the server and its host. */
export interface RemoteRequest extends Pick<HttpRequest, "body" | "method"> {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly context: unknown
}

export type Answer = HttpResponse | Redirected

const MAX_HOPS = 5

export class HttpRequests {
  readonly #server: ResolvedRemote
  readonly #headers: Readonly<Record<string, string>>
  readonly #secrets: RecentSecrets
  readonly #connections: Connections
  readonly #makeHeaders: RequestHeadersService | undefined
  readonly #tokens: TokenProviderService | undefined
  readonly #asking = Semaphore.makeUnsafe(1)
  /** Given for one caller's context, and for no other's. */
  readonly #given = new Map<unknown, string>()

  constructor(
    server: ResolvedRemote,
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

  static readonly make = Effect.fnUntraced(function*(server: ResolvedRemote) {
    const connections = yield* HttpConnections.use((http) => http.open({ tls: server.tls, proxy: server.proxy }))
    return new HttpRequests(server, connections, yield* RequestHeaders, yield* TokenProvider)
  })

  /** Blots out what is secret in the configuration, and what the host has made for requests. */
  readonly redact: Redaction.Redaction = (text) => this.#secrets.redact(text)

  /** Sends it, once more where a token is asked for and given. */
  readonly send = (request: RemoteRequest): Effect.Effect<Answer, HttpFailure> =>
    Effect.suspend(() => {
      const before = this.#tokenFor(request.context)
      return Effect.flatMap(this.#sendOnce(request), (answer) => {
        const challenge = challengeOf(this.#server.name, request, answer)
        // nobody is bothered for the sake of a goodbye
        const isAsked = challenge !== undefined && request.method !== "DELETE"
        if (!isAsked || this.#tokens === undefined || isRedirected(answer)) return Effect.succeed(answer)
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
    if (this.#makeHeaders === undefined) return this.#follow({ ...request, headers: this.#headersOf(request, {}) }, 0)
    const own = this.#makeHeaders({ kind: "mcp", entry: this.#server.name, context: request.context })
    return Effect.flatMap(own, (made) => {
      for (const value of Object.values(made)) this.#secrets.add(value)
      return this.#follow({ ...request, headers: this.#headersOf(request, lowerCased(made)) }, 0)
    })
  }

  /** The protocol's own headers can't be replaced. */
  #headersOf({ context, headers }: RemoteRequest, made: Readonly<Record<string, string>>): Record<string, string> {
    const token = this.#tokenFor(context)
    return {
      ...this.#headers,
      ...made,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers
    }
  }

  #follow(request: RemoteRequest, hops: number): Effect.Effect<Answer, HttpFailure> {
    return Effect.flatMap(this.#connections.exchange(request), (response) => {
      const target = response.status >= 300 && response.status < 400 ? response.header("location") : undefined
      if (target === undefined) return Effect.succeed<Answer>(response)
      response.discard()
      const next = nextUrl(request, response.status, target, hops)
      return next instanceof URL
        ? this.#follow({ ...request, url: next }, hops + 1)
        : Effect.succeed<Answer>({ _tag: "Redirected", reason: next })
    })
  }
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

export const isRedirected = (answer: Answer): answer is Redirected => "_tag" in answer && answer._tag === "Redirected"

/** Where to go on, or why not. Addresses are shown without what may be secret in them. */
const nextUrl = (request: RemoteRequest, status: number, target: string, hops: number): URL | string => {
  const next = Result.getOrElse(Result.try(() => new URL(target, request.url)), () => undefined)
  if (next === undefined) return `it redirects (${status}) to what is no address`
  const place = `${next.origin}${next.pathname}`
  if (hops >= MAX_HOPS) return `it redirects more than ${MAX_HOPS} times, at last to ${place}`
  if (next.origin !== request.url.origin) {
    return `it redirects (${status}) to ${place}, which is another server and is not sent what is meant for this one; `
      + "if that is the right one, configure its address"
  }
  if (request.method === "GET" || status === 307 || status === 308) return next
  return `it redirects (${status}) to ${place} in a way that loses what was sent; configure that address`
}

/** What a server asks of who comes to it. */
export const challengeOf = (entry: string, { context, url }: RemoteRequest, answer: Answer): Challenge | undefined =>
  !isRedirected(answer) && (answer.status === 401 || answer.status === 403)
    ? {
      kind: "mcp",
      entry,
      status: answer.status,
      url: `${url.origin}${url.pathname}`,
      header: answer.header("www-authenticate") ?? "",
      ...(context === undefined ? {} : { context })
    }
    : undefined

/** A challenge as a person reads it, cut when its secrets are out of it. */
export const wordsOf = ({ header, status }: Challenge, redact: Redaction.Redaction): string =>
  `it asks who we are (HTTP ${status})${header === "" ? "" : `: ${cutText(redact(header), SHOWN_HEADER, "...")}`}`

/** Of a refusal nothing secret is shown. */
export const redacted = (refusal: Refusal, redact: Redaction.Redaction): Refusal => {
  const { challenge, detail } = refusal
  const shown = challenge === undefined ? {} : { challenge: { ...challenge, header: redact(challenge.header) } }
  return { ...refusal, ...shown, detail: redact(detail) }
}

const SHOWN_HEADER = 2000

export const isStream = (answer: Answer): answer is HttpResponse =>
  !isRedirected(answer) && answer.status === 200 && hasEvents(answer)

/** Names of media types are written in any case (RFC 9110, 8.3.1). */
export const hasEvents = (response: HttpResponse): boolean =>
  /^\s*text\/event-stream\s*(?:;|$)/i.test(response.header("content-type") ?? "")

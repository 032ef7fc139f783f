/**
 * Requests to the server of one endpoint or document: which headers go where, which redirects are followed, what is sent
 * again, and who is asked for a token. Nothing secret leaves its origin or is shown.
 */
import {
  type Connections,
  HttpConnections,
  HttpFailure,
  type HttpResponse,
  Redaction,
  RequestHeaders,
  type RequestHeadersService,
  TokenProvider,
  type TokenProviderService
} from "@effect-toolnexus/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { isSafe, pauseBefore } from "./repeating.ts"
import type { PlannedRequest } from "./requestPlan.ts"

/** Whether a request is sent again when the server was too busy for it, or didn't answer. */
export type Retry = "never" | "safe" | "always"

export interface EndpointOptions {
  /** Whose requests they are, for whoever makes headers and tokens. */
  readonly entry: string
  readonly headers: Readonly<Record<string, string>>
  /** What is not to be shown beside the values of headers. */
  readonly secrets: ReadonlyArray<string>
  readonly proxy: Readonly<Record<string, string>>
  readonly refusal: (address: string) => string | undefined
  readonly retry: Retry
}

export interface EndpointRequest extends PlannedRequest {
  /** What the caller attached to its call. */
  readonly context: unknown
  /** The most bytes of the body that are read. */
  readonly limit: number
  /** Headers for this request alone that are as secret as the host's own, which go before them. */
  readonly credentials?: Readonly<Record<string, string>>
  /** The host's own headers stay away: they are meant for another server. */
  readonly isForeign?: boolean
}

export interface EndpointAnswer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly bytes: Uint8Array
  readonly isWhole: boolean
  /** Where it came from in the end. */
  readonly url: URL
  /** Takes out what is secret in this request: the configuration's, and what the host made for it. */
  readonly redact: Redaction.Redaction
}

const MAX_HOPS = 5

/** Tokens are given for one caller's context each; of many callers the latest are known. */
const MAX_TOKENS = 1000

export class Endpoint {
  readonly #options: EndpointOptions
  readonly #connections: Connections
  readonly #makeHeaders: RequestHeadersService | undefined
  readonly #tokens: TokenProviderService | undefined
  readonly #redact: Redaction.Redaction
  readonly #asking = Semaphore.makeUnsafe(1)
  readonly #given = new Map<unknown, string>()

  constructor(
    options: EndpointOptions,
    connections: Connections,
    makeHeaders: RequestHeadersService | undefined,
    tokens: TokenProviderService | undefined
  ) {
    this.#options = { ...options, headers: lowerCased(options.headers) }
    this.#connections = connections
    this.#makeHeaders = makeHeaders
    this.#tokens = tokens
    this.#redact = Redaction.make([...options.secrets, ...Object.values(options.headers)])
  }

  static readonly make = Effect.fnUntraced(
    function*(options: EndpointOptions): Effect.fn.Return<Endpoint, never, HttpConnections | Scope.Scope> {
      const { proxy, refusal } = options
      const connections = yield* HttpConnections.use((http) => http.open({ tls: {}, proxy, refusal }))
      return new Endpoint(options, connections, yield* RequestHeaders, yield* TokenProvider)
    }
  )

  /** Blots out what is secret in the configuration. */
  get redact(): Redaction.Redaction {
    return this.#redact
  }

  /** Once more where the method is safe, or the host says that it may, after a while. */
  send(request: EndpointRequest): Effect.Effect<EndpointAnswer, HttpFailure> {
    const mayRepeat = this.#options.retry === "always" || (this.#options.retry === "safe" && isSafe(request.method))
    const attempt = (number: number): Effect.Effect<EndpointAnswer, HttpFailure> =>
      Effect.flatMap(Effect.result(this.#sendAuthorized(request)), (result) => {
        const pause = mayRepeat ? pauseBefore(number, result) : undefined
        return pause === undefined
          ? Effect.fromResult(result)
          : Effect.andThen(Effect.sleep(Duration.millis(pause)), Effect.suspend(() => attempt(number + 1)))
      })
    return Effect.suspend(() => attempt(1))
  }

  /** A second time with a token, where one is asked for and given. */
  #sendAuthorized(request: EndpointRequest): Effect.Effect<EndpointAnswer, HttpFailure> {
    const before = this.#given.get(request.context)
    const tokens = this.#tokens
    return Effect.flatMap(this.#sendOnce(request), (answer) => {
      const isAsked = (answer.status === 401 || answer.status === 403) && answer.url.origin === request.url.origin
      if (!isAsked || tokens === undefined || request.isForeign === true) return Effect.succeed(answer)
      return Effect.flatMap(
        this.#askForToken(tokens, request, answer, before),
        (isGiven) => isGiven ? this.#sendOnce(request) : Effect.succeed(answer)
      )
    })
  }

  /** One at a time: who was challenged together with others finds the token that was given to them. */
  #askForToken(
    provider: TokenProviderService,
    { context }: EndpointRequest,
    answer: EndpointAnswer,
    before: string | undefined
  ): Effect.Effect<boolean> {
    return this.#asking.withPermit(Effect.suspend(() => {
      const now = this.#given.get(context)
      if (now !== undefined && now !== before) return Effect.succeed(true)
      const challenge = {
        kind: "extra" as const,
        entry: this.#options.entry,
        status: answer.status,
        url: `${answer.url.origin}${answer.url.pathname}`,
        header: answer.header("www-authenticate") ?? "",
        ...(context === undefined ? {} : { context })
      }
      return Effect.map(provider(challenge), (given) => {
        if (Option.isNone(given)) return false
        this.#remember(context, given.value)
        return true
      })
    }))
  }

  #remember(context: unknown, token: string) {
    this.#given.delete(context)
    this.#given.set(context, token)
    if (this.#given.size > MAX_TOKENS) this.#given.delete(this.#given.keys().next().value)
  }

  #sendOnce(request: EndpointRequest): Effect.Effect<EndpointAnswer, HttpFailure> {
    const { context, isForeign } = request
    if (isForeign === true) return this.#follow(request, {}, this.#redact)
    const token = this.#given.get(context)
    const withToken = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const made = this.#makeHeaders === undefined
      ? Effect.succeed({})
      : this.#makeHeaders({ kind: "extra", entry: this.#options.entry, context })
    return Effect.flatMap(made, (own) => {
      const extra = { ...lowerCased(own), ...withToken }
      const secrets = Object.values(extra)
      const redact = secrets.length === 0 ? this.#redact : both(Redaction.make(secrets), this.#redact)
      const all: Readonly<Record<string, string>> = {
        ...request.credentials,
        ...this.#options.headers,
        ...extra
      }
      const { cookie: ownCookie, ...headers } = all
      const cookie = [ownCookie, request.headers["cookie"]].filter((each) => each !== undefined).join("; ")
      return this.#follow(request, cookie === "" ? headers : { ...headers, cookie }, redact)
    })
  }

  /** What the host adds goes to the origin that was asked for, however it is come to. */
  #follow(
    request: EndpointRequest,
    added: Readonly<Record<string, string>>,
    redact: Redaction.Redaction
  ): Effect.Effect<EndpointAnswer, HttpFailure> {
    const { origin } = request.url
    const step = (current: EndpointRequest, hops: number): Effect.Effect<EndpointAnswer, HttpFailure> => {
      const isHome = current.url.origin === origin
      const headers = isHome ? { ...ACCEPT, ...current.headers, ...added } : ACCEPT
      const { body, method, url } = current
      return Effect.flatMap(
        this.#connections.exchange({ method, url, headers, ...(body === undefined ? {} : { body }) }),
        (response) => {
          const target = response.status >= 300 && response.status < 400 ? response.header("location") : undefined
          if (target === undefined || response.status === 304) {
            return toAnswer(response, current, isHome ? redact : both(redact, this.#redact))
          }
          response.discard()
          const next = nextRequest(current, response.status, target, hops)
          return typeof next === "string" ? Effect.fail(lost(redact(next))) : step(next, hops + 1)
        }
      )
    }
    return step(request, 0)
  }
}

const ACCEPT = { accept: "application/json, */*;q=0.8" }

const both = (first: Redaction.Redaction, second: Redaction.Redaction): Redaction.Redaction => (text) =>
  second(first(text))

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const toAnswer = (
  response: HttpResponse,
  { limit, url }: EndpointRequest,
  redact: Redaction.Redaction
): Effect.Effect<EndpointAnswer, HttpFailure> =>
  Effect.map(
    // whoever is interrupted before the body is read must not leave a connection behind
    Effect.onExit(response.bytes(limit), (exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(response.discard)),
    ({ bytes, isWhole }) => ({ status: response.status, header: response.header, bytes, isWhole, url, redact })
  )

/** Where to go on, and with what; or why not. */
const nextRequest = (
  request: EndpointRequest,
  status: number,
  target: string,
  hops: number
): EndpointRequest | string => {
  const next = Result.getOrElse(Result.try(() => new URL(target, request.url)), () => undefined)
  if (next === undefined || !/^https?:$/.test(next.protocol)) {
    return `it redirects (${status}) to what is no web address`
  }
  next.username = ""
  next.password = ""
  const place = `${next.origin}${next.pathname}`
  if (hops >= MAX_HOPS) return `it redirects more than ${MAX_HOPS} times, at last to ${place}`
  const isSame = next.origin === request.url.origin
  const isRead = request.method === "GET" || request.method === "HEAD"
  if (isRead || (isSame && (status === 307 || status === 308))) return { ...request, url: next }
  // the answer to what was sent is to be seen elsewhere (RFC 9110, 15.4.4)
  if (status === 303) {
    return { ...request, method: "GET", url: next, body: undefined, headers: withoutBody(request.headers) }
  }
  return isSame
    ? `it redirects (${status}) to ${place} in a way that loses what was sent; use that address`
    : `it redirects (${status}) to ${place}, which is another server and is not sent what is meant for this one; `
      + "if that is the right one, use its address"
}

const withoutBody = ({ "content-type": _type, ...headers }: Readonly<Record<string, string>>) => headers

const lost = (detail: string): HttpFailure => new HttpFailure({ code: "ERR_REDIRECT", detail, wasSent: true })

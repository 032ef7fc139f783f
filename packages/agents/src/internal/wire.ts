/**
 * One HTTP exchange with an agent: bounded, redirects followed by hand so that credentials stay on their origin, and
 * every failure told without them.
 */
import type { Json } from "@effect-toolnexus/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { A2aError, type Reason } from "../A2aError.ts"
import { bareHref, parseAddress } from "./address.ts"
import type { Credentials } from "./credentials.ts"

export interface WireRequest {
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Json.Json
  /** The most the answer may measure, in bytes. */
  readonly limit: number
  /** Run as soon as there is any HTTP answer. */
  readonly onAnswer?: Effect.Effect<void>
}

export interface WireAnswer {
  readonly status: number
  readonly text: string
  /** Where the answer came from in the end. */
  readonly url: URL
}

export type Wire = (request: WireRequest) => Effect.Effect<WireAnswer, A2aError>

/** As many as a browser of caution would follow; a loop ends here. */
const MAX_REDIRECTS = 5

export const make = Effect.fnUntraced(function*(credentials: Credentials) {
  const client = HttpClient.withScope(yield* HttpClient.HttpClient)
  const context = redirectsByHand(yield* Effect.context())
  const exchange = (request: WireRequest, redirects: number): Effect.Effect<WireAnswer, A2aError> =>
    Effect.gen(function*() {
      const { answer, target } = yield* once(client, request, credentials)
      if (target === undefined) return answer
      if (redirects === MAX_REDIRECTS) {
        return yield* failure(request.url, { _tag: "Malformed", detail: `more than ${MAX_REDIRECTS} redirects` })
      }
      return yield* exchange({ ...request, url: target }, redirects + 1)
    })
  const wire: Wire = (request) => Effect.provideContext(exchange(request, 0), context)
  return wire
})

/** Fetch follows redirects by itself, and takes all headers but a few along to whatever origin. */
const redirectsByHand = (context: Context.Context<never>) =>
  Context.make(FetchHttpClient.RequestInit, {
    ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
    redirect: "manual"
  }).pipe(
    // a key may stand in any query parameter of the card's address, so none is shown in a span
    Context.add(UrlParams.CurrentRedactedNames, [/^/])
  )

interface Step {
  readonly answer: WireAnswer
  readonly target: URL | undefined
}

const once = (
  client: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>,
  request: WireRequest,
  credentials: Credentials
): Effect.Effect<Step, A2aError> =>
  Effect.scoped(Effect.gen(function*() {
    const response = yield* Effect.mapError(
      client.execute(toHttp(request, credentials)),
      (error) => makeError(request.url, unreachable(error))
    )
    if (request.onAnswer !== undefined) yield* request.onAnswer
    const target = redirectOf(request, response)
    const text = target === undefined ? yield* readText(response, request) : ""
    return { answer: { status: response.status, text, url: request.url }, target }
  }))

const toHttp = ({ body, headers, method, url }: WireRequest, credentials: Credentials) => {
  const request = HttpClientRequest.make(method)(url, {
    // what the protocol says of a request isn't the host's to change
    headers: { ...credentials.headersFor(url), accept: "application/json", ...headers }
  })
  return body === undefined ? request : HttpClientRequest.bodyJsonUnsafe(request, body)
}

/** A POST is only sent again where the status says that it stays one (RFC 9110, 15.4). */
const redirectOf = ({ method, url }: WireRequest, { headers, status }: HttpClientResponse.HttpClientResponse) => {
  const keepsMethod = status === 307 || status === 308
  if (!keepsMethod && (method === "POST" || ![301, 302, 303].includes(status))) return undefined
  return headers["location"] === undefined ? undefined : parseAddress(headers["location"], url)
}

const readText = (response: HttpClientResponse.HttpClientResponse, { limit, url }: WireRequest) =>
  response.stream.pipe(
    Stream.catch(({ reason }) =>
      reason._tag === "EmptyBodyError" ? Stream.empty : Stream.fail(makeError(url, { _tag: "Cut" }))
    ),
    Stream.limitBytes(limit, () => Stream.fail(makeError(url, { _tag: "TooLarge", limit }))),
    Stream.decodeText,
    Stream.mkString
  )

const makeError = (url: URL, reason: Reason): A2aError => new A2aError({ url: bareHref(url), reason })

export const failure = (url: URL, reason: Reason): Effect.Effect<never, A2aError> => Effect.fail(makeError(url, reason))

/** The system's code for it, where there is one: the messages beside it may repeat headers. */
const unreachable = (error: HttpClientError.HttpClientError): Reason => ({
  _tag: "Unreachable",
  detail: codeOf(error.cause) ?? "the connection failed"
})

const codeOf = (cause: unknown): string | undefined => {
  if (Predicate.hasProperty(cause, "code") && typeof cause.code === "string" && /^[A-Z0-9_]+$/.test(cause.code)) {
    return cause.code
  }
  return Predicate.hasProperty(cause, "cause") ? codeOf(cause.cause) : undefined
}

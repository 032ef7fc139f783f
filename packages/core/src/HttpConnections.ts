/**
 * Connections to one HTTP server: with certificates and a proxy of its own, kept between requests. Redirects are not
 * followed and nothing is buffered, so that whoever speaks a protocol over it decides what is sent where.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/**
 * @category models
 * @since 0.1.0
 */
export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/**
 * A response whose body has not been read. Whoever gets it reads it once, in one of four ways.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpResponse {
  readonly status: number
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** The first so many bytes of the body, as text of UTF-8. */
  readonly text: (limit: number) => Effect.Effect<BodyText, HttpFailure>
  /** The first so many bytes of the body. */
  readonly bytes: (limit: number) => Effect.Effect<BodyBytes, HttpFailure>
  /** Hands over each piece of the body as text; done at its end, whether that was meant or a cut. */
  readonly pieces: (take: (text: string) => Wanted) => Effect.Effect<void>
  /** Lets go of the body, so that its connection is free for the next request. */
  readonly discard: () => void
}

/**
 * What a reader wants after a piece: `more`; or no more than what comes `soon`, within a second, so that the connection
 * is free for the next request; or `nothing`, which cuts the rest off.
 *
 * @category models
 * @since 0.1.0
 */
export type Wanted = "more" | "soon" | "nothing"

/**
 * `isWhole` is false where there was more than was wanted.
 *
 * @category models
 * @since 0.1.0
 */
export interface BodyText {
  readonly text: string
  readonly isWhole: boolean
}

/**
 * `isWhole` is false where there was more than was wanted.
 *
 * @category models
 * @since 0.1.0
 */
export interface BodyBytes {
  readonly bytes: Uint8Array
  readonly isWhole: boolean
}

/**
 * No answer, or half of one. `wasSent` is false where it is certain that the server has seen nothing of the request.
 *
 * @category errors
 * @since 0.1.0
 */
export class HttpFailure extends Schema.TaggedError<HttpFailure>("@effect-toolnexus/core/HttpConnections/HttpFailure")(
  "HttpFailure",
  { code: Schema.String, detail: Schema.String, wasSent: Schema.Boolean }
) {
  override get message(): string {
    return this.detail
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export interface ConnectionOptions {
  /** Certificates as PEM. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, as far as they are to count. */
  readonly proxy: Readonly<Record<string, string>>
  /**
   * Why no connection is made to an IP address; by default there is one to each. It is asked for the very address that is
   * then connected to, so a host whose look-up changes its answer gains nothing. `host` is the name that was looked up, or
   * the address itself where that is what the URL has. A host all of whose addresses are refused is a failure with the code
   * `ERR_ADDRESS_REFUSED`. Through a proxy it is asked for the proxy, as it is the proxy that looks the host up, and for
   * hosts that are addresses, or `localhost`.
   */
  readonly refusal?: (address: string, host: string) => string | undefined
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Connections {
  /** Done with the head of the response. Interrupting it, or the reading of the body, cuts the request off. */
  readonly exchange: (request: HttpRequest) => Effect.Effect<HttpResponse, HttpFailure>
}

/**
 * **Example**
 *
 * ```ts
 * const { exchange } = yield* HttpConnections.use((http) => http.open({ tls: {}, proxy: {} }))
 * const response = yield* exchange({ method: "GET", url: new URL("http://127.0.0.1:8080/"), headers: {} })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class HttpConnections extends Context.Service<HttpConnections, {
  /** The scope closes all connections. */
  readonly open: (options: ConnectionOptions) => Effect.Effect<Connections, never, Scope.Scope>
}>()("@effect-toolnexus/core/HttpConnections") {}

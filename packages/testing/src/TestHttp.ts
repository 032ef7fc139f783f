/**
 * The web in this process: requests of HTTP endpoints, OpenAPI operations, agents, remote MCP servers and `webfetch` are
 * answered by a function, and nothing leaves the machine.
 *
 * @since 0.1.0
 */
import {
  type BodyBytes,
  HttpConnections,
  HttpFailure,
  type HttpRequest,
  type HttpResponse,
  type Json
} from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * What comes back: 200 by default. A body that is neither text nor bytes is sent as JSON.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Json.Json | Uint8Array
}

/**
 * Answers a request, or gives `undefined` where nothing listens at its address. To be slow, sleep; to be cut off, fail.
 *
 * @category models
 * @since 0.1.0
 */
export type Handler = (request: HttpRequest) => Reply | undefined | Effect.Effect<Reply | undefined, HttpFailure>

/**
 * `addresses`: where hosts are, by name: who leads where is then judged as on a network, and a refused place fails with
 * `ERR_ADDRESS_REFUSED`. By default nothing is refused.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly addresses?: Readonly<Record<string, string>>
}

/**
 * Connections that end in a function.
 *
 * **Details**
 *
 * Certificates and proxies play no part: there is no connection.
 *
 * **Example** (An endpoint without its server)
 *
 * ```ts
 * const Http = TestHttp.layer(({ url }) => url.pathname === "/weather" ? { body: { celsius: 21 } } : { status: 404 })
 * const Platform = Http.pipe(Layer.provideMerge(NodePlatform.layer))
 * const TestToolkit = ToolkitOptions.layer({ tools: [weather] }).pipe(Layer.provide(Platform))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (handler: Handler, { addresses }: Options = {}): Layer.Layer<HttpConnections> =>
  Layer.succeed(HttpConnections, {
    open: ({ refusal }) =>
      Effect.succeed({
        exchange: (request) => {
          const reason = addresses === undefined ? undefined : refusal?.(...placeOf(request.url, addresses))
          return reason === undefined
            ? Effect.flatMap(answer(handler, request), toResponse)
            : Effect.fail(refused(reason))
        }
      })
  })

/** A host that isn't listed is an address. */
const placeOf = ({ hostname }: URL, addresses: NonNullable<Options["addresses"]>): [address: string, host: string] => {
  const host = hostname.replace(/^\[|\]$/g, "")
  return [addresses[host] ?? host, host]
}

const refused = (reason: string): HttpFailure =>
  new HttpFailure({ code: "ERR_ADDRESS_REFUSED", detail: `ERR_ADDRESS_REFUSED: ${reason}`, wasSent: false })

const answer = (handler: Handler, request: HttpRequest): Effect.Effect<Reply | undefined, HttpFailure> =>
  Effect.suspend(() => {
    const answered = handler(request)
    return Effect.isEffect(answered) ? answered : Effect.succeed(answered)
  })

const NOBODY = new HttpFailure({ code: "ECONNREFUSED", detail: "ECONNREFUSED: nothing listens there", wasSent: false })

const toResponse = (reply: Reply | undefined): Effect.Effect<HttpResponse, HttpFailure> => {
  if (reply === undefined) return Effect.fail(NOBODY)
  const { body = "", headers = {}, status = 200 } = reply
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const isJson = typeof body !== "string" && !(body instanceof Uint8Array)
  if (isJson && !given.has("content-type")) given.set("content-type", "application/json")
  const bytes = body instanceof Uint8Array
    ? body
    : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))
  return Effect.succeed({
    status,
    header: (name) => given.get(name),
    bytes: (limit) => Effect.succeed(start(bytes, limit)),
    text: (limit) => {
      const { bytes: first, isWhole } = start(bytes, limit)
      return Effect.succeed({ text: new TextDecoder().decode(first, { stream: !isWhole }), isWhole })
    },
    pieces: (take) => Effect.sync(() => void take(new TextDecoder().decode(bytes))),
    discard: () => {}
  })
}

const start = (bytes: Uint8Array, limit: number): BodyBytes => ({
  bytes: bytes.subarray(0, limit),
  isWhole: bytes.length <= limit
})

/** Connections by Node's own client of HTTP. Loaded with the first of them: it takes as long as half of a toolkit. */
import type { ConnectionOptions, Connections, HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { urlToHttpOptions } from "node:url"
import { checkedLookup, refusalOfLiteral } from "./addressCheck.ts"
import { letGo, readBytes, readPieces, readText } from "./httpBody.ts"
import { ENDED, isUnsent, NO_PROXY, toFailure } from "./networkFailure.ts"

export const open = (options: ConnectionOptions): Effect.Effect<Connections, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.try({ try: () => makeAgents(options), catch: () => NO_PROXY }), closeAgents).pipe(
    Effect.match({ onFailure: (failure): Exchange => () => Effect.fail(failure), onSuccess: exchangeOver }),
    Effect.map((exchange) => ({ exchange: checkedExchange(options, exchange) }))
  )

/**
 * A connection that was idle for longer isn't used again, in milliseconds: a server that ends it at that moment, as Node's
 * do after five seconds, would cost a request that may not be repeated. Node's agent takes less where `Keep-Alive` says so.
 */
const MAX_IDLE = 4000

/** The agent's limit would count while a proxy opens a tunnel, too: those of requests are their callers'. */
const NO_LIMIT = 2 ** 31 - 1

const makeAgents = ({ proxy, refusal, tls }: ConnectionOptions) => {
  const options = {
    keepAlive: true,
    timeout: MAX_IDLE,
    proxyEnv: { ...proxy },
    ...(refusal === undefined ? {} : { lookup: checkedLookup(refusal) })
  }
  return { http: new HttpAgent(options), https: new HttpsAgent({ ...options, ...tls }) }
}

type Agents = ReturnType<typeof makeAgents>

const closeAgents = ({ http, https }: Agents) =>
  Effect.sync(() => {
    http.destroy()
    https.destroy()
  })

const checkedExchange = ({ refusal }: ConnectionOptions, exchange: Exchange): Exchange =>
  refusal === undefined ? exchange : (request) => refusalOfLiteral(refusal, request.url) ?? exchange(request)

type Exchange = Connections["exchange"]

const exchangeOver = ({ http, https }: Agents): Exchange => ({ body, headers, method, url }) =>
  Effect.callback((resume) => {
    const size = body === undefined ? undefined : Buffer.byteLength(body)
    const length = size === undefined ? undefined : { "content-length": String(size) }
    const options = { ...targetOf(url), method, headers: { ...headers, ...length }, timeout: NO_LIMIT }
    const request = url.protocol === "https:"
      ? httpsRequest({ ...options, agent: https })
      : httpRequest({ ...options, agent: http })
    request.on("response", (message) => resume(Effect.succeed(toResponse(message))))
    request.on("error", (error) => resume(toFailure(error, isUnsent(error))))
    // a server that changes to another protocol is neither a response nor an error
    request.on("close", () => resume(ENDED))
    // the head is written together with the body, and encoded as it is: in UTF-8 it would be another one
    if (typeof body === "string" && size === body.length) request.end(body, "latin1")
    else request.end(typeof body === "string" ? Buffer.from(body) : body)
    return Effect.sync(() => request.destroy())
  })

const targets = new WeakMap<URL, RequestOptions>()

/** Most requests go where the one before went, and to take a URL apart costs as much as to write a head. */
const targetOf = (url: URL): RequestOptions => {
  const known = targets.get(url)
  if (known !== undefined) return known
  const target = { ...urlToHttpOptions(url) }
  targets.set(url, target)
  return target
}

const toResponse = (message: IncomingMessage): HttpResponse => ({
  status: message.statusCode ?? 0,
  header: (name) => {
    const value = message.headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  },
  text: (limit) => readText(message, limit),
  bytes: (limit) => readBytes(message, limit),
  pieces: (take) => readPieces(message, take),
  discard: () => letGo(message)
})

/**
 * HTTP connections over Node's own client, which is several times as fast as its `fetch`.
 *
 * @since 0.1.0
 */
import {
  type Connections,
  HttpConnections,
  HttpFailure,
  type HttpResponse
} from "@effect-toolnexus/core/HttpConnections"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"

/**
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpConnections> = Layer.succeed(HttpConnections, {
  open: ({ proxy, tls }) =>
    Effect.map(Effect.acquireRelease(Effect.sync(() => makeAgents(proxy, tls)), closeAgents), connect)
})

const makeAgents = (proxy: Readonly<Record<string, string>>, tls: object) => {
  const options = { keepAlive: true, proxyEnv: { ...proxy } }
  return { http: new HttpAgent(options), https: new HttpsAgent({ ...options, ...tls }) }
}

type Agents = ReturnType<typeof makeAgents>

const closeAgents = ({ http, https }: Agents) =>
  Effect.sync(() => {
    http.destroy()
    https.destroy()
  })

const connect = ({ http, https }: Agents): Connections => ({
  exchange: ({ body, headers, method, url }) =>
    Effect.callback((resume) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
      const options = { method, headers: { ...headers, ...length } }
      const request = url.protocol === "https:"
        ? httpsRequest(url, { ...options, agent: https })
        : httpRequest(url, { ...options, agent: http })
      request.on("response", (message) => resume(Effect.succeed(toResponse(message))))
      request.on("error", (error) => resume(toFailure(error)))
      request.end(body)
      return Effect.sync(() => request.destroy())
    })
})

const toResponse = (message: IncomingMessage): HttpResponse => ({
  status: message.statusCode ?? 0,
  header: (name) => {
    const value = message.headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  },
  text: (limit) => readText(message, limit),
  pieces: (take) => readPieces(message, take),
  discard: () => {
    const length = Number(message.headers["content-length"] ?? Infinity)
    // what may be long isn't read for the sake of a connection
    if (length <= SMALL_BODY) message.resume()
    else message.destroy()
  }
})

const SMALL_BODY = 64 * 1024

const readText = (message: IncomingMessage, limit: number): ReturnType<HttpResponse["text"]> =>
  Effect.callback((resume) => {
    const decoder = new TextDecoder()
    let text = ""
    let size = 0
    const end = (isWhole: boolean) => resume(Effect.succeed({ text: text + decoder.decode(), isWhole }))
    message.on("data", (chunk: Uint8Array) => {
      size += chunk.length
      text += decoder.decode(chunk, { stream: true })
      if (size <= limit) return
      message.destroy()
      end(false)
    })
    message.on("end", () => end(true))
    message.on("error", (error) => resume(toFailure(error)))
    return Effect.sync(() => message.destroy())
  })

const readPieces = (message: IncomingMessage, take: (text: string) => void): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const decoder = new TextDecoder()
    message.on("data", (chunk: Uint8Array) => take(decoder.decode(chunk, { stream: true })))
    for (const event of ["end", "error", "close"]) message.on(event, () => resume(Effect.void))
    return Effect.sync(() => message.destroy())
  })

/** With these there was no connection that anything could have been sent over. */
const UNSENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ERR_PROXY_TUNNEL",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "EPROTO"
])

const UNTRUSTED = "its certificate is signed by nobody that is trusted; \"ca\" names one to trust"

const HINTS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing listens there"],
  ["ENOTFOUND", "its host is not known"],
  ["EAI_AGAIN", "its host can't be looked up now"],
  ["ECONNRESET", "the connection was cut"],
  ["ETIMEDOUT", "the network doesn't answer"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", UNTRUSTED],
  ["SELF_SIGNED_CERT_IN_CHAIN", UNTRUSTED],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", UNTRUSTED],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", UNTRUSTED],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another host"],
  ["EPROTO", "it doesn't speak TLS"]
])

const toFailure = (error: Error & { readonly code?: unknown }): HttpFailure => {
  const code = typeof error.code === "string" ? error.code : "EUNKNOWN"
  return new HttpFailure({
    code,
    detail: `${code}: ${HINTS.get(code) ?? error.message}`,
    wasSent: !UNSENT.has(code)
  })
}

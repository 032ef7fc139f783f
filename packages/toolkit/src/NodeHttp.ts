/**
 * HTTP connections over Node's own client, which is several times as fast as its `fetch`.
 *
 * @since 0.1.0
 */
import {
  type Connections,
  HttpConnections,
  HttpFailure,
  type HttpResponse,
  type Wanted
} from "@effect-toolnexus/core/HttpConnections"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { urlToHttpOptions } from "node:url"

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
      const size = body === undefined ? undefined : Buffer.byteLength(body)
      const length = size === undefined ? undefined : { "content-length": String(size) }
      const options = { ...targetOf(url), method, headers: { ...headers, ...length } }
      const request = url.protocol === "https:"
        ? httpsRequest({ ...options, agent: https })
        : httpRequest({ ...options, agent: http })
      request.on("response", (message) => resume(Effect.succeed(toResponse(message))))
      request.on("error", (error) => resume(toFailure(error, isUnsent(error))))
      // a server that changes to another protocol is neither a response nor an error
      request.on("close", () => resume(ENDED))
      // the head is written together with the body, and encoded as it is: in UTF-8 it would be another one
      if (size === body?.length) request.end(body, "latin1")
      else request.end(Buffer.from(body ?? ""))
      return Effect.sync(() => request.destroy())
    })
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
  pieces: (take) => readPieces(message, take),
  discard: () => letGo(message)
})

const SMALL_BODY = 64 * 1024

/** A connection is worth so much waiting for the end of a body that nobody wants, in milliseconds. */
const SOON = 1000

/** What is long, or takes long, isn't read for the sake of a connection. */
const letGo = (message: IncomingMessage) => {
  let rest = SMALL_BODY
  if (Number(message.headers["content-length"] ?? 0) > rest) return message.destroy()
  cutSoon(message)
  return message.on("data", (chunk: Uint8Array) => {
    rest -= chunk.length
    if (rest < 0) message.destroy()
  })
}

const cutSoon = (message: IncomingMessage) => {
  if (message.destroyed) return
  const timer = setTimeout(() => message.destroy(), SOON)
  message.on("close", () => clearTimeout(timer))
}

const readText = (message: IncomingMessage, limit: number): ReturnType<HttpResponse["text"]> =>
  Effect.callback((resume) => {
    if (message.destroyed) return resume(ENDED)
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
    message.on("error", (error) => resume(toFailure(error, false)))
    return Effect.sync(() => message.destroy())
  })

const readPieces = (message: IncomingMessage, take: (text: string) => Wanted): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (message.destroyed) return resume(Effect.void)
    const decoder = new TextDecoder()
    let isEnding = false
    message.on("data", (chunk: Uint8Array) => {
      const wanted = take(decoder.decode(chunk, { stream: true }))
      if (wanted === "more") return
      if (wanted === "nothing") message.destroy()
      else if (!isEnding) cutSoon(message)
      isEnding = true
    })
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

interface NetworkError extends Error {
  readonly code?: unknown
  /** What the operating system was asked to do. */
  readonly syscall?: unknown
}

/** Some of them can also befall a connection over which a request has gone. */
const isUnsent = ({ code, syscall }: NetworkError): boolean =>
  syscall === "connect" || (syscall !== "read" && UNSENT.has(String(code)))

const toFailure = ({ code: given, message }: NetworkError, neverSent: boolean): HttpFailure => {
  const code = typeof given === "string" ? given : "EUNKNOWN"
  return new HttpFailure({ code, detail: `${code}: ${HINTS.get(code) ?? message}`, wasSent: !neverSent })
}

const ENDED = new HttpFailure({ code: "ECONNRESET", detail: "ECONNRESET: the connection was cut", wasSent: true })

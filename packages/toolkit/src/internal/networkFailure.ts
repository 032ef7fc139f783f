/** What Node's network errors mean: in words, and whether anything can have reached the server. */
import { HttpFailure } from "@effect-toolnexus/core/HttpConnections"

/** With these there was no connection that anything could have been sent over. */
const UNSENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ERR_ADDRESS_REFUSED",
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
export const isUnsent = ({ code, syscall }: NetworkError): boolean =>
  syscall === "connect" || (syscall !== "read" && UNSENT.has(String(code)))

export const toFailure = ({ code: given, message }: NetworkError, neverSent: boolean): HttpFailure => {
  const code = typeof given === "string" ? given : "EUNKNOWN"
  return new HttpFailure({ code, detail: `${code}: ${HINTS.get(code) ?? message}`, wasSent: !neverSent })
}

/** Node quotes all that stands there, a password too. */
export const NO_PROXY = new HttpFailure({
  code: "ERR_PROXY_INVALID_CONFIG",
  detail: "ERR_PROXY_INVALID_CONFIG: HTTP_PROXY or HTTPS_PROXY is no URL",
  wasSent: false
})

export const ENDED = new HttpFailure({
  code: "ECONNRESET",
  detail: "ECONNRESET: the connection was cut",
  wasSent: true
})

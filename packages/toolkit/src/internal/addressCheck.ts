/** Which IP addresses are connected to: asked between the look-up and the connection, with no second look-up after it. */
import { type ConnectionOptions, HttpFailure } from "@effect-toolnexus/core/HttpConnections"
import * as Effect from "effect/Effect"
import { lookup } from "node:dns"
import { isIP, type LookupFunction } from "node:net"

type Refusal = NonNullable<ConnectionOptions["refusal"]>

const CODE = "ERR_ADDRESS_REFUSED"

/** A host that is an address is looked up by nobody, and `localhost` perhaps by a proxy, which is often on this machine. */
export const refusalOfLiteral = (
  refusal: Refusal,
  { hostname }: URL
): Effect.Effect<never, HttpFailure> | undefined => {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  const address = LOCALHOST.test(host) ? LOOPBACK : host
  const reason = isIP(address) === 0 ? undefined : refusal(address, host)
  if (reason === undefined) return undefined
  return Effect.fail(new HttpFailure({ code: CODE, detail: `${CODE}: ${reason}`, wasSent: false }))
}

/** Names of nothing but this machine (RFC 6761, 6.3). */
const LOCALHOST = /^(?:.*\.)?localhost\.?$/

const LOOPBACK = "127.0.0.1"

/** Of several addresses those are tried that aren't refused. */
export const checkedLookup = (refusal: Refusal): LookupFunction => (hostname, options, done) =>
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return done(error, "", 0)
    const admitted = found.filter(({ address }) => refusal(address, hostname) === undefined)
    const first = admitted[0]
    if (first === undefined) {
      return done(new RefusedAddress(refusal(found[0]?.address ?? "", hostname) ?? "no address"), "", 0)
    }
    if (options.all === true) return done(null, admitted)
    done(null, first.address, first.family)
  })

class RefusedAddress extends Error {
  readonly code = CODE
}

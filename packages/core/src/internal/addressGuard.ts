/**
 * Which addresses a server may be at, by who named it. A configuration may name any; what it led to (a document, a card, a
 * redirect) names none that is nearer to this machine than itself: a stranger on the internet is not to send requests into
 * the network of whoever reads them.
 */
import * as NetworkPolicy from "../NetworkPolicy.ts"
import type { NamedPlaces } from "../RemoteRequests.ts"
import * as IpAddress from "./ipAddress.ts"
import { proxyAddresses } from "./proxyAddresses.ts"

type Reach = NetworkPolicy.Reach

/** Names that are remembered; of more it isn't known where they are, and so they are public. */
const MAX_NAMES = 1000

export class AddressGuard {
  readonly #advice: string
  /** Addresses that are written out. */
  readonly #addresses: ReadonlySet<string>
  readonly #names: ReadonlySet<string>
  /** What is looked up for every request, wherever that goes. As places to go to, proxies are named by nobody. */
  readonly #proxies: ReadonlySet<string>
  /** By name, who can reach the farthest address it has been at. */
  readonly #reached = new Map<string, Reach>()

  constructor({ advice, asked, urls }: NamedPlaces, proxy: Readonly<Record<string, string>>) {
    const named = urls.map(hostOf)
    this.#advice = advice
    this.#addresses = new Set([...named, ...asked === undefined ? [] : [hostOf(asked)]].flatMap(bytesOf))
    this.#names = new Set(named)
    this.#proxies = new Set(proxyAddresses(proxy).map(({ url }) => hostOf(url)))
  }

  /** For servers that were named by somebody at `limit`; see `ConnectionOptions`. */
  readonly refusal = (limit: Reach) => (address: string, host: string): string | undefined => {
    const judged = NetworkPolicy.judge(address)
    if (judged === undefined) return `"${address}" is no IP address`
    const { farthest, isForbidden, kind, nearest } = judged
    const isNamed = bytesOf(address).some((bytes) => this.#addresses.has(bytes))
    const place = host === address ? address : `${host} is at ${address}, which`
    if (isForbidden && !isNamed) {
      return `${place} is ${kind}, where a request goes only if the configuration names that address itself`
    }
    const isNearer = NetworkPolicy.farther(nearest, limit) !== nearest
    const isProxy = host !== address && this.#proxies.has(host)
    if (isNearer && !isNamed && !isProxy && !this.#names.has(host)) return this.#words(`${place} is ${kind}`, limit)
    if (host !== address) this.#remember(host, farthest)
    return undefined
  }

  /** Why a request named by somebody at `limit` isn't made, before any look-up: that lets a proxy's name through. */
  refusalOfProxy(limit: Reach, url: URL): string | undefined {
    const host = hostOf(url)
    const isProxy = this.#proxies.has(host) && NetworkPolicy.judge(host) === undefined
    return limit === "machine" || !isProxy || this.#names.has(host)
      ? undefined
      : this.#words(`${host} is a proxy`, limit)
  }

  #words(place: string, limit: Reach): string {
    const leader = limit === "public" ? "what comes from the internet" : "what comes from another machine"
    return `${place}, where ${leader} may not lead; to allow it, ${this.#advice}`
  }

  /** Of a name that may be anywhere (a proxy looks it up, or nobody has yet) it is taken that everybody can reach it. */
  reachOf(url: URL): Reach {
    const host = hostOf(url)
    return NetworkPolicy.judge(host)?.farthest ?? this.#reached.get(host) ?? "public"
  }

  #remember(host: string, reach: Reach) {
    const known = this.#reached.get(host)
    if (known === undefined && this.#reached.size >= MAX_NAMES) return
    this.#reached.set(host, known === undefined ? reach : NetworkPolicy.farther(known, reach))
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

const bytesOf = (host: string): ReadonlyArray<string> => {
  const bytes = IpAddress.parse(host)
  return bytes === undefined ? [] : [bytes.join(".")]
}

/**
 * Which addresses of the network are connected to where somebody else says where to go: a model (CONTRACT 7), an agent's
 * card, an API's document, a redirect. What is judged is the address itself, after the host was looked up, and it is the one
 * that is then connected to: see `refusal` of `HttpConnections`.
 *
 * **Details**
 *
 * - `open`: everything but link-local addresses and the places where clouds hand out a machine's credentials
 * - `public`: only what the whole internet can reach; loopback, private, shared, reserved and multicast ones are refused
 *
 * An IPv6 address that carries an IPv4 one (mapped, NAT64, 6to4, Teredo, ISATAP) is judged by both.
 *
 * **Example**
 *
 * ```ts
 * NetworkPolicy.refusal("public")("::ffff:10.0.0.1") // => "::ffff:10.0.0.1 is private, which ..."
 * NetworkPolicy.refusal("open")("10.0.0.1") // => undefined
 * ```
 *
 * @since 0.1.0
 */
import * as IpAddress from "./internal/ipAddress.ts"

/**
 * @category models
 * @since 0.1.0
 */
export type NetworkPolicy = "open" | "public"

/**
 * Why an address is not connected to; `undefined`: it is. What is no address is refused.
 *
 * @category operations
 * @since 0.1.0
 */
export const refusal = (policy: NetworkPolicy) => (address: string): string | undefined => {
  const bytes = IpAddress.parse(address)
  if (bytes === undefined) return `"${address}" is no IP address`
  const kind = kindOf(bytes, policy)
  return kind === undefined ? undefined : `${address} is ${kind}, which the network policy "${policy}" refuses`
}

/**
 * Who can reach an address: this machine alone, its network (private addresses and all that are no part of the internet), or
 * everybody.
 *
 * @category models
 * @since 0.1.0
 */
export type Reach = "machine" | "network" | "public"

const REACHES: ReadonlyArray<Reach> = ["machine", "network", "public"]

/**
 * Of two the one that more can reach.
 *
 * @category operations
 * @since 0.1.0
 */
export const farther = (one: Reach, other: Reach): Reach => REACHES.indexOf(one) < REACHES.indexOf(other) ? other : one

/**
 * An address as it is judged.
 *
 * **Details**
 *
 * - `kind`: what it is, where it isn't public, e.g. `private`
 * - `nearest`, `farthest`: packets to an IPv6 address may end at the IPv4 one that it carries, or at itself. Whoever goes there
 *   may come as near as the first; whoever answers there may sit as far away as the second.
 * - `isForbidden`: also the policy `open` refuses it
 *
 * @category models
 * @since 0.1.0
 */
export interface Judged {
  readonly kind: string | undefined
  readonly nearest: Reach
  readonly farthest: Reach
  readonly isForbidden: boolean
}

/**
 * Nothing for what is no address.
 *
 * **Example**
 *
 * ```ts
 * NetworkPolicy.judge("::ffff:10.0.0.1") // => { kind: "private", nearest: "network", farthest: "network", ... }
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const judge = (address: string): Judged | undefined => {
  const bytes = IpAddress.parse(address)
  if (bytes === undefined) return undefined
  const reaches = reachesOf(bytes)
  return {
    kind: kindOf(bytes, "public"),
    nearest: REACHES.find((reach) => reaches.includes(reach)) ?? "public",
    farthest: reaches.reduce(farther),
    isForbidden: kindOf(bytes, "open") !== undefined
  }
}

/** Of all places where packets to it may end. */
const reachesOf = (bytes: ReadonlyArray<number>): ReadonlyArray<Reach> => {
  const carried = IpAddress.carried(bytes)
  const kind = ownKind(bytes)
  // one that is mapped or translated is nowhere but where the address is that it carries
  const isOnlyCarrier = kind === undefined && carried.length > 0 && !IpAddress.isIn(bytes, GLOBAL_UNICAST)
  const own = kind === undefined ? "public" : OF_THIS_MACHINE.has(kind) ? "machine" : "network"
  return [...isOnlyCarrier ? [] : [own] as const, ...carried.flatMap(reachesOf)]
}

const OF_THIS_MACHINE: ReadonlySet<string> = new Set(["loopback", "this host"])

const kindOf = (bytes: ReadonlyArray<number>, policy: NetworkPolicy): string | undefined => {
  const carried = IpAddress.carried(bytes)
  const inner = carried.map((each) => kindOf(each, policy)).find((kind) => kind !== undefined)
  // loopback and "no address" are below the prefix of the compatible ones, and mean more than their last bytes
  return findKind(bytes, ALWAYS) ?? (policy === "open" ? inner : findKind(bytes, NOT_PUBLIC) ?? inner ?? other(bytes))
}

const ownKind = (bytes: ReadonlyArray<number>): string | undefined =>
  findKind(bytes, ALWAYS) ?? findKind(bytes, NOT_PUBLIC) ?? other(bytes)

type Kinds = ReadonlyArray<readonly [kind: string, network: IpAddress.Network]>

const findKind = (bytes: ReadonlyArray<number>, kinds: Kinds): string | undefined =>
  kinds.find(([, network]) => IpAddress.isIn(bytes, network))?.[0]

const kinds = (named: Readonly<Record<string, ReadonlyArray<string>>>): Kinds =>
  Object.entries(named).flatMap(([kind, texts]) =>
    texts.map((text): readonly [string, IpAddress.Network] => [kind, IpAddress.parseNetwork(text)])
  )

/** The metadata services that aren't link-local: Alibaba, Oracle, Azure; AWS, Google and Scaleway over IPv6. */
const METADATA = [
  "100.100.100.200/32",
  "192.0.0.192/32",
  "168.63.129.16/32",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
  "fd00:42::42/128"
]

const ALWAYS = kinds({ "link-local": ["169.254.0.0/16", "fe80::/10"], "a metadata service": METADATA })

/** The IANA registries of special-purpose addresses. */
const NOT_PUBLIC = kinds({
  "this host": ["0.0.0.0/8", "::/128"],
  loopback: ["127.0.0.0/8", "::1/128"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"],
  "shared between customers of a provider": ["100.64.0.0/10"],
  multicast: ["224.0.0.0/4", "ff00::/8"],
  reserved: [
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
    // local NAT64 may put what it carries elsewhere
    "64:ff9b:1::/48",
    "2001:2::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:db8::/32",
    "3fff::/20"
  ]
})

const GLOBAL_UNICAST = IpAddress.parseNetwork("2000::/3")

/** Of IPv6 only one part has been given out; what carries an address of IPv4 is judged by that. */
const other = (bytes: ReadonlyArray<number>): string | undefined =>
  bytes.length === 4 || IpAddress.isIn(bytes, GLOBAL_UNICAST) || IpAddress.carried(bytes).length > 0
    ? undefined
    : "reserved"

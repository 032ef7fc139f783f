/** IP addresses as bytes, however they are written, and the IPv4 addresses that IPv6 ones carry inside. */

/** Four bytes, or sixteen; `undefined` where the text is no address. A zone id says through which interface, not where. */
export const parse = (text: string): ReadonlyArray<number> | undefined => {
  const address = text.replace(/^\[|\]$/g, "").replace(/%.*$/s, "")
  // a URL knows every spelling there is: decimal, octal, hexadecimal, with parts left out, compressed, mixed
  const host = URL.parse(address.includes(":") ? `http://[${address}]/` : `http://${encodeURIComponent(address)}/`)
    ?.hostname
  if (host === undefined) return undefined
  if (host.startsWith("[")) return sixteenBytes(host.slice(1, -1))
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) ? host.split(".").map(Number) : undefined
}

/** Of the canonical form, which is nothing but groups and at most one `::`. */
const sixteenBytes = (text: string): ReadonlyArray<number> => {
  const [before = "", after] = text.split("::")
  const first = groups(before)
  const last = groups(after ?? "")
  const missing = Array.from({ length: 8 - first.length - last.length }, () => 0)
  return [...first, ...missing, ...last].flatMap((group) => [group >> 8, group & 0xff])
}

const groups = (text: string): ReadonlyArray<number> =>
  text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16))

/** A network: the bytes it begins with, and how many bits of them count. */
export interface Network {
  readonly bytes: ReadonlyArray<number>
  readonly bits: number
}

/** From `ADDRESS/BITS`, as this program writes them. */
export const parseNetwork = (text: string): Network => {
  const [address = "", bits = ""] = text.split("/")
  return { bytes: parse(address) ?? [], bits: Number(bits) }
}

export const isIn = (address: ReadonlyArray<number>, { bits, bytes }: Network): boolean =>
  address.length === bytes.length && bytes.every((byte, index) => {
    const counting = Math.min(8, Math.max(0, bits - index * 8))
    return ((byte ^ (address[index] ?? 0)) >> (8 - counting)) === 0
  })

/**
 * The IPv4 addresses that packets to an IPv6 address may end at: mapped, compatible and translated ones, NAT64 (RFC 6052,
 * RFC 8215), 6to4 (RFC 3056), Teredo (RFC 4380: its server, and its client with all bits inverted), ISATAP (RFC 5214).
 */
export const carried = (address: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  CARRIERS.flatMap(({ carries, network }) => isIn(address, network) ? carries(address) : []).concat(
    isIsatap(address) ? [address.slice(12)] : []
  )

const lastBytes = (address: ReadonlyArray<number>) => [address.slice(12)]

const CARRIERS = [
  { network: parseNetwork("::/96"), carries: lastBytes },
  { network: parseNetwork("::ffff:0:0/96"), carries: lastBytes },
  { network: parseNetwork("::ffff:0:0:0/96"), carries: lastBytes },
  { network: parseNetwork("64:ff9b::/96"), carries: lastBytes },
  { network: parseNetwork("64:ff9b:1::/48"), carries: lastBytes },
  { network: parseNetwork("2002::/16"), carries: (address: ReadonlyArray<number>) => [address.slice(2, 6)] },
  {
    network: parseNetwork("2001::/32"),
    carries: (address: ReadonlyArray<number>) => [address.slice(4, 8), address.slice(12).map((byte) => byte ^ 0xff)]
  }
]

const isIsatap = (address: ReadonlyArray<number>): boolean =>
  ((address[8] ?? 0) & 0xfd) === 0 && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe

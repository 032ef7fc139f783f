/**
 * Clouds tell their machines their credentials at link-local addresses. No document, and no redirect, leads a request
 * there; only the host itself may.
 */

/** Why an address is not connected to, unless one of these hosts, which the host named, is such an address itself. */
export const refusalOf = (named: ReadonlyArray<URL | undefined>): (address: string) => string | undefined => {
  const isMeant = named.some((url) => url !== undefined && isLinkLocal(url.hostname.replace(/^\[|\]$/g, "")))
  return (address) => !isMeant && isLinkLocal(address) ? "it is a link-local address" : undefined
}

/** IPv4, also as IPv6 has it, in either notation; IPv6; and one that a cloud has beside them. */
const isLinkLocal = (address: string): boolean =>
  /^(?:::ffff:(?:0:)?)?169\.254\.|^::ffff:a9fe:|^fe[89ab][0-9a-f]:|^fd00:ec2:/i.test(address)

/** Which redirects are followed, and with what: nothing that was sent is lost on the way, or given to somebody else. */
import type { Remote, RemoteRequest } from "../RemoteRequests.ts"

const MAX_HOPS = 5

/** What to go on with, or why not. Addresses are shown without what may be secret in them. */
export const nextRequest = (
  { followsSeeOther, mayLeave }: Remote,
  request: RemoteRequest,
  status: number,
  target: string,
  hops: number
): RemoteRequest | string => {
  const next = URL.parse(target, request.url)
  if (next === null || !/^https?:$/.test(next.protocol)) return `it redirects (${status}) to what is no web address`
  const isSame = next.origin === request.url.origin
  // user info is the configuration's: what a server puts there would be sent in place of it
  next.username = isSame ? request.url.username : ""
  next.password = isSame ? request.url.password : ""
  const place = `${next.origin}${next.pathname}`
  if (hops >= MAX_HOPS) return `it redirects more than ${MAX_HOPS} times, at last to ${place}`
  const moved = movedRequest(request, status, next, followsSeeOther === true)
  if (!isSame && mayLeave?.(moved ?? request, next) !== true) {
    return `it redirects (${status}) to ${place}, which is another server and is not sent what is meant for this one; `
      + "if that is the right one, configure its address"
  }
  return moved ?? `it redirects (${status}) to ${place} in a way that loses what was sent; configure that address`
}

/** Nothing where what was sent would be lost. */
const movedRequest = (
  request: RemoteRequest,
  status: number,
  url: URL,
  followsSeeOther: boolean
): RemoteRequest | undefined => {
  const isRead = request.method === "GET" || request.method === "HEAD"
  if (isRead || status === 307 || status === 308) return { ...request, url }
  if (status !== 303 || !followsSeeOther) return undefined
  const { body: _body, defaults = {}, headers, ...rest } = request
  return { ...rest, method: "GET", url, headers: withoutType(headers), defaults: withoutType(defaults) }
}

const withoutType = ({ "content-type": _type, ...headers }: Readonly<Record<string, string>>) => headers

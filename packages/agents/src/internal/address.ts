/** Addresses: how they may be shown, and which of them can be asked. */

/** A URL as it may be shown: without user info, query and fragment. Works on text, so that the rest stays as written. */
export const bareUrl = (url: string): string =>
  url.replace(/[?#][\s\S]*$/, "").replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1")

/** An http or https address that somebody else wrote, without the user info that fetch refuses. */
export const parseAddress = (text: string, base?: URL): URL | undefined => {
  const url = URL.parse(text, base)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  return withoutUserInfo(url)
}

export const withoutUserInfo = (url: URL): URL => {
  const bare = new URL(url)
  bare.username = ""
  bare.password = ""
  return bare
}

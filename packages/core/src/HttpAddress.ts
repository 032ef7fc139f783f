/**
 * Addresses of servers as people and documents write them: what of them may be shown, and what goes out in a header.
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"

/**
 * **Details**
 *
 * - `url`: without user and password, which platforms refuse there
 * - `headers`: those two as basic authentication, which a header of the configuration goes before
 * - `secrets`: what of the address is shown nowhere: the password in every form, the user where there is none, and the values of
 *   the query
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpAddress {
  readonly url: URL
  readonly headers: { readonly authorization?: string }
  readonly secrets: ReadonlyArray<string>
}

/**
 * Nothing for what is no http or https address.
 *
 * **Example**
 *
 * ```ts
 * HttpAddress.parse("https://me:secret@api.example/v1?key=k")
 * // => { url: https://api.example/v1?key=k, headers: { authorization: "Basic ..." }, secrets: ["k", ...] }
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const parse = (text: string, base?: URL): HttpAddress | undefined => {
  const url = URL.parse(text.trim(), base)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  const { password, username } = url
  url.username = ""
  url.password = ""
  const query = [...url.searchParams.values()]
  if (username === "" && password === "") return { url, headers: {}, secrets: query }
  // a user alone is a token
  const secret = password === "" ? username : password
  const pair = `${decode(username)}:${decode(password)}`
  const basic = Base64.encode(pair)
  return {
    url,
    headers: { authorization: `Basic ${basic}` },
    secrets: [...query, basic, pair, secret, decode(secret)]
  }
}

/** A `%` that begins no escape stands for itself. */
const decode = (text: string): string =>
  text.replace(
    /(?:%[0-9a-f]{2})+/gi,
    (escaped) =>
      new TextDecoder().decode(Uint8Array.from(escaped.slice(1).split("%"), (digits) => Number.parseInt(digits, 16)))
  )

/**
 * An address as it may be shown: without user info, query and fragment.
 *
 * @category getters
 * @since 0.1.0
 */
export const bareHref = ({ origin, pathname }: URL): string => origin + pathname

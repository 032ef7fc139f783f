/** What a body is: by its type as the server names it, and by its first bytes where that says nothing or the wrong thing. */
import { encodingOf, imageType } from "@effect-toolnexus/core/FileFormat"

export type Content =
  | { readonly _tag: "Html" }
  | { readonly _tag: "Text" }
  | { readonly _tag: "Image"; readonly mimeType: string }
  | { readonly _tag: "Binary"; readonly mimeType: string }

const HTML = /^(?:text\/html|application\/xhtml\+xml)$/
const TEXT =
  /^text\/|^message\/|[+/](?:json|xml|yaml|toml)$|^application\/(?:x-)?(?:javascript|ecmascript|typescript|ndjson|jsonl|json5|json-seq|jwt|graphql|sql|sh|httpd-php|yaml|x-yaml|toml|tex|latex|ld\+json|x-www-form-urlencoded|pem-certificate-chain|pgp-signature|pgp-keys|mbox|rtf)$|^image\/svg\+xml$/

/** As far as is looked for what no text has. */
const START = 8192

export const contentOf = (header: string | undefined, body: Uint8Array): Content => {
  const mimeType = (header ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
  const image = imageType(body)
  if (image !== undefined) return { _tag: "Image", mimeType: image }
  const isText = body.length === 0 || !hasNul(body)
  if (HTML.test(mimeType) && isText) return { _tag: "Html" }
  if (TEXT.test(mimeType) && isText) return { _tag: "Text" }
  if (UNKNOWN.has(mimeType) && isText && !startsWith(body, "%PDF-")) return guess(body)
  return { _tag: "Binary", mimeType: singleType(mimeType, body) }
}

const UNKNOWN: ReadonlySet<string> = new Set(["", "application/octet-stream", "application/unknown", "unknown/unknown"])

const guess = (body: Uint8Array): Content =>
  /^\s*<(?:!doctype html|html|head|body)\b/i.test(latin1(body.subarray(0, 512)).replace(/^\u00ef\u00bb\u00bf/, ""))
    ? { _tag: "Html" }
    : { _tag: "Text" }

/** Text of UTF-16 has them too, and says by its mark that it is. */
const hasNul = (body: Uint8Array): boolean => encodingOf(body).label === "utf-8" && body.subarray(0, START).includes(0)

const startsWith = (body: Uint8Array, text: string): boolean => latin1(body.subarray(0, text.length)) === text

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

const singleType = (mimeType: string, body: Uint8Array): string => {
  if (startsWith(body, "%PDF-")) return "application/pdf"
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mimeType) ? mimeType : "application/octet-stream"
}

/** The text of a body: its charset is what the header says, else a byte order mark, else the document, else UTF-8. */
import { encodingOf } from "@effect-toolnexus/core/FileFormat"

/** As far as a browser looks for a charset in a document. */
const PRESCAN = 1024

export const decodeText = (bytes: Uint8Array, contentType: string, isWhole = true): string => {
  const named = decoderOf(/;\s*charset\s*=\s*"?\s*([^\s;"]+)/i.exec(contentType)?.[1])
  // the decoder takes away a mark of its own encoding, and no other
  return (named ?? decoderOf(markOf(bytes)) ?? decoderOf(declared(bytes)) ?? new TextDecoder())
    // a character that a cut goes through is left out
    .decode(bytes, { stream: !isWhole })
}

const markOf = (bytes: Uint8Array): string | undefined => {
  const { label, mark } = encodingOf(bytes)
  return mark === 0 ? undefined : label
}

/** `undefined` also for what is no charset. */
const decoderOf = (label: string | undefined): TextDecoder | undefined => {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}

/** A `meta` of either form, or the declaration of XML. A document that can be read so far is not in UTF-16. */
const declared = (bytes: Uint8Array): string | undefined => {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN)).replace(/<!--[^]*?(?:-->|$)/g, "")
  const label = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']+)/i.exec(start)?.[1]
    ?? /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start)?.[1]
  return label === undefined || /^utf-?16/i.test(label) ? undefined : label
}

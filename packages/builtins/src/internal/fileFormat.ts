/** What the first bytes of a file say it is. */

/** Enough for every signature below. */
export const SIGNATURE_LENGTH = 12

export const imageType = (start: Uint8Array): string | undefined => {
  if (hasAt(start, 0, "\x89PNG\r\n\x1a\n")) return "image/png"
  if (hasAt(start, 0, "\xff\xd8\xff")) return "image/jpeg"
  if (hasAt(start, 0, "GIF87a") || hasAt(start, 0, "GIF89a")) return "image/gif"
  if (hasAt(start, 0, "RIFF") && hasAt(start, 8, "WEBP")) return "image/webp"
  return undefined
}

export interface Encoding {
  readonly label: "utf-8" | "utf-16le" | "utf-16be"
  /** Length of the byte order mark. */
  readonly mark: number
}

/** Without a byte order mark text is UTF-8. */
export const encodingOf = (start: Uint8Array): Encoding => {
  if (hasAt(start, 0, "\xef\xbb\xbf")) return { label: "utf-8", mark: 3 }
  if (hasAt(start, 0, "\xff\xfe")) return { label: "utf-16le", mark: 2 }
  if (hasAt(start, 0, "\xfe\xff")) return { label: "utf-16be", mark: 2 }
  return { label: "utf-8", mark: 0 }
}

/** `signature`: one byte a character. */
const hasAt = (bytes: Uint8Array, offset: number, signature: string): boolean =>
  bytes.length >= offset + signature.length &&
  Array.from(signature).every((character, index) => bytes[offset + index] === character.charCodeAt(0))

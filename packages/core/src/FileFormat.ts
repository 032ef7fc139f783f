/**
 * What the first bytes of a file say it is, whatever its name says.
 *
 * @since 0.1.0
 */

/**
 * So many bytes are enough to tell.
 *
 * @category constants
 * @since 0.1.0
 */
export const SIGNATURE_LENGTH = 12

/**
 * The media type of an image of a kind that models take: PNG, JPEG, GIF and WebP.
 *
 * @category getters
 * @since 0.1.0
 */
export const imageType = (start: Uint8Array): string | undefined => {
  if (hasAt(start, 0, "\x89PNG\r\n\x1a\n")) return "image/png"
  if (hasAt(start, 0, "\xff\xd8\xff")) return "image/jpeg"
  if (hasAt(start, 0, "GIF87a") || hasAt(start, 0, "GIF89a")) return "image/gif"
  if (hasAt(start, 0, "RIFF") && hasAt(start, 8, "WEBP")) return "image/webp"
  return undefined
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Encoding {
  readonly label: "utf-8" | "utf-16le" | "utf-16be"
  /** Length of the byte order mark. */
  readonly mark: number
}

/**
 * How text is written down. Without a byte order mark it is UTF-8.
 *
 * @category getters
 * @since 0.1.0
 */
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

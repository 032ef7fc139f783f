/** What the first bytes of an image say that it is: the kinds that models take. */

const SIGNATURES: ReadonlyArray<
  readonly [mimeType: string, ...ReadonlyArray<readonly [offset: number, bytes: string]>]
> = [
  ["image/png", [0, "\x89PNG\r\n\x1a\n"]],
  ["image/jpeg", [0, "\xff\xd8\xff"]],
  ["image/gif", [0, "GIF8"], [5, "a"]],
  ["image/webp", [0, "RIFF"], [8, "WEBP"]]
]

export const imageType = (bytes: Uint8Array): string | undefined =>
  SIGNATURES.find(([, ...parts]) => parts.every(([offset, signature]) => hasAt(bytes, offset, signature)))?.[0]

/** `signature` has one character a byte. */
const hasAt = (bytes: Uint8Array, offset: number, signature: string): boolean =>
  Array.from(signature).every((character, index) => bytes[offset + index] === character.charCodeAt(0))

/** What byte-wise handling of UTF-8 needs to know: where a character may be cut. */

/** Length of the incomplete character at the end, 0 to 3 bytes. Bytes that are no UTF-8 at all count as complete. */
export const incompleteLength = (bytes: Uint8Array): number => {
  const most = Math.min(3, bytes.length)
  for (let back = 1; back <= most; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    return characterLength(byte) > back ? back : 0
  }
  return 0
}

/** How many bytes at the start belong to a character that began before, 0 to 3. */
export const strayLength = (bytes: Uint8Array): number => {
  let length = 0
  while (length < 3 && length < bytes.length && isContinuation(bytes[length] ?? 0)) length++
  return length
}

const isContinuation = (byte: number): boolean => (byte & 0b1100_0000) === 0b1000_0000

const characterLength = (lead: number): number => {
  if (lead >= 0xf0 && lead <= 0xf4) return 4
  if (lead >= 0xe0) return lead < 0xf0 ? 3 : 1
  return lead >= 0xc2 ? 2 : 1
}

/** Invalid bytes become U+FFFD; a mark at the start is text like any other here. */
export const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

/** U+FFFD in UTF-8. */
export const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd)

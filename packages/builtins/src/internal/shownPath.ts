/** Paths as ripgrep prints them, and as they are shown. */

/**
 * Bytes as a string with a character for each: it costs next to nothing, its order is that of the bytes, which is that of
 * code points, and only what is kept has to be read.
 */
export const asBytes = (chunk: Uint8Array): string =>
  Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1")

/** What such a string says in UTF-8. It is a copy, which doesn't keep alive what it was cut from. */
export const decoded = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8")

/** A string of bytes without what it was cut from. */
export const copied = (bytes: string): string => Buffer.from(bytes, "latin1").toString("latin1")

/** A path in a list of lines: one that holds a line break must not look like two. */
export const shownPath = (path: string): string => path.replace(CONTROLS, escaped)

const CONTROLS = /[\p{Cc}\u2028\u2029]/gu

const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string =>
  NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

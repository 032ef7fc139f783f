/** A path in a list of lines: one that holds a line break must not look like two. */
import * as Utf8 from "./utf8.ts"

export const shownPath = (path: string): string => path.replace(CONTROLS, escaped)

export const decodePath = (path: Uint8Array): string => Utf8.decode(path)

const CONTROLS = /[\p{Cc}\u2028\u2029]/gu

const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string =>
  NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

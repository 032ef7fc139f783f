/** A text as one line: what a model writes must not look like a line of its own in a list. */
export const singleLine = (text: string): string => text.replace(BREAKS, " ")

/** Control characters, escape sequences' first one among them, and the line and paragraph separators. */
const BREAKS = /\r\n|[\p{Cc}\u2028\u2029]/gu

/**
 * Text of others, made safe to show: a server's name, description or output can't move the cursor, retitle the window
 * or hide what it says.
 */

const ESC = "\u001B"
const CSI = "\u009B"
const BEL = "\u0007"

/** Escape sequences as a whole, so that no `[31m` is left of them: CSI, the string sequences (OSC, DCS, ...), the rest. */
const SEQUENCE = new RegExp(
  [
    String.raw`(?:${ESC}\[|${CSI})[0-?]*[ -/]*[@-~]`,
    String.raw`${ESC}[\]PX^_][^${ESC}${BEL}]*(?:${BEL}|${ESC}\\)`,
    String.raw`${ESC}[ -/]*[0-~]`
  ].join("|"),
  "g"
)

/** Control characters but for tab and line feed, and what changes the direction in which text is read. */
const CONTROL = /[\u202A-\u202E\u2066-\u2069]|[^\P{Cc}\n\t]/gu

/** Several lines without control characters. */
export const plainText = (text: string): string =>
  text.replaceAll(SEQUENCE, "").replaceAll("\r\n", "\n").replaceAll(CONTROL, "")

/** One line without control characters. */
export const oneLine = (text: string): string =>
  plainText(text.replaceAll(SEQUENCE, "").replaceAll(/\s+/gu, " ").trim())

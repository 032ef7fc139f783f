/** What the limits of `BuiltinLimits` are where nobody says, and how an answer of lines keeps to one. */

/** Well below what a toolkit lets pass. */
export const DEFAULT_OUTPUT = 65_536

/** Gone through in less than a tenth of a second. */
export const DEFAULT_FILE = 16 * 1024 * 1024

/** Few pages are larger, and what is longer is no page. */
export const DEFAULT_FETCH = 5 * 1024 * 1024

/** As many of the lines as fit, at least one. */
export const fitting = (lines: ReadonlyArray<string>, maxBytes: number): ReadonlyArray<string> => {
  const encoder = new TextEncoder()
  let size = 0
  const tooMuch = lines.findIndex((line, index) => {
    size += encoder.encode(line).length + 1
    return index > 0 && size > maxBytes
  })
  return tooMuch === -1 ? lines : lines.slice(0, tooMuch)
}

/** A skill's name as it is listed, called and filtered: one line, without blanks around it. */

/**
 * A name is shown in lists of lines, so a line break in it would forge a line. Lone surrogates make request bodies that
 * providers refuse.
 */
export const oneLine = (name: string): string => withoutBreaks(name.toWellFormed()).trim()

/** Other control characters go as well: some readers take them for line ends. */
export const withoutBreaks = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")

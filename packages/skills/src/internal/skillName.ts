/** A skill's name as it is listed, called and filtered: one line, without blanks around it. */

/**
 * A name is shown in lists of lines, so a line break in it would forge a line. Lone surrogates make request bodies that
 * providers refuse.
 */
export const oneLine = (name: string): string => name.toWellFormed().replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim()

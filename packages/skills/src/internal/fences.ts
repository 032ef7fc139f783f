/** The two parts of a SKILL.md: front matter between two fences, and the body below it. */

/** A file in its two parts, or what it lacks. */
export type Parts =
  | { readonly _tag: "NoFrontMatter" }
  | { readonly _tag: "Unclosed" }
  | { readonly _tag: "Parts"; readonly frontMatter: string; readonly body: string }

const OPENING = /^\uFEFF?---[ \t]*(?=[\r\n]|$)/
const CLOSING = /(?:\r\n|\n|\r)---[ \t]*(?:\r\n|\n|\r|$)/
/** While there is more to read, a fence at the very end may still turn out to be the start of something else. */
const CLOSING_WITH_MORE = /(?:\r\n|\n|\r)---[ \t]*[\r\n]/

/** Splits a file, or its start. Line breaks of every system count; blanks after a fence are tolerated. */
export const split = (text: string, isWhole: boolean): Parts => {
  const opening = OPENING.exec(text)
  if (opening === null) return { _tag: "NoFrontMatter" }
  const rest = text.slice(opening[0].length)
  const closing = (isWhole ? CLOSING : CLOSING_WITH_MORE).exec(rest)
  if (closing === null) return { _tag: "Unclosed" }
  return {
    _tag: "Parts",
    frontMatter: rest.slice(0, closing.index).replace(/\r\n|\r/g, "\n").replace(/^\n/, ""),
    body: rest.slice(closing.index + closing[0].length)
  }
}

/** The start of a text that is too long; never half a character, and where wanted with a mark of what is missing. */
export const cutText = (text: string, limit: number, mark = ""): string =>
  text.length <= limit ? text : text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "") + mark

/**
 * Cutting texts that others wrote, so that no character is cut in two.
 *
 * @since 0.1.0
 */

/**
 * At most the first `limit` characters (UTF-16 units) of a text, with a mark of what is missing where something is. Half of
 * a surrogate pair at the cut goes as well.
 *
 * **Example**
 *
 * ```ts
 * Text.cut("a long text", 6, "…") // => "a long…"
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const cut = (text: string, limit: number, mark = ""): string =>
  text.length <= limit ? text : text.slice(0, Math.max(0, limit)).replace(/[\uD800-\uDBFF]$/, "") + mark

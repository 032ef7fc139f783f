/**
 * Which source wins when two tools have one name (CONTRACT 2). Nothing that loses is lost from sight: the toolkit's
 * `shadowed` lists it.
 *
 * @since 0.1.0
 */

/**
 * The sources that an order ranks.
 *
 * @category models
 * @since 0.1.0
 */
export type RankedKind = "mcp" | "skill" | "builtin" | "agent" | "extra"

/**
 * @category models
 * @since 0.1.0
 */
export interface Precedence {
  /** Highest first; the first tool of a name wins. */
  readonly order: ReadonlyArray<RankedKind>
  /**
   * Whether a builtin gives way to a tool of one's own with its name, whatever the order: a function or an endpoint. An
   * operation of an OpenAPI document is none: what it is called is not the host's word.
   */
  readonly replaceableBuiltins: boolean
}

const kinds: ReadonlyArray<RankedKind> = ["mcp", "skill", "builtin", "agent", "extra"]

/**
 * The default: MCP, skills, builtins, agents, own tools; and a function or endpoint of one's own replaces a
 * builtin of its name, so that a host can put its own `bash` in place. No operation of an OpenAPI document does.
 *
 * @category constructors
 * @since 0.1.0
 */
export const standard: Precedence = { order: kinds, replaceableBuiltins: true }

/**
 * MCP, own tools, agents, skills, builtins: each layer overrides what is below it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const layered: Precedence = {
  order: ["mcp", "extra", "agent", "skill", "builtin"],
  replaceableBuiltins: false
}

/**
 * Any other order, without exceptions. Kinds left out come last, in the order of `standard`.
 *
 * **Example**
 *
 * ```ts
 * Precedence.make(["extra", "builtin"])
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (order: ReadonlyArray<RankedKind>): Precedence => ({
  order: [...new Set([...order, ...kinds])],
  replaceableBuiltins: false
})

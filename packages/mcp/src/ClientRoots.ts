/**
 * The folders a host lets MCP servers know of (MCP 2025-11-25, Roots). Where it provides none, servers aren't told that
 * they may ask.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * `uri` begins with `file://`; `name` is for people.
 *
 * @category models
 * @since 0.1.0
 */
export interface Root {
  readonly uri: string
  readonly name?: string
}

/**
 * **Example**
 *
 * ```ts
 * const Roots = Layer.succeed(ClientRoots, [{ uri: "file:///home/me/project", name: "project" }])
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const ClientRoots: Context.Reference<ReadonlyArray<Root> | undefined> = Context.Reference<
  ReadonlyArray<Root> | undefined
>("@effect-toolnexus/mcp/ClientRoots", { defaultValue: () => undefined })

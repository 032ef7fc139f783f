/**
 * The toolkit on Node: every source there is, from one set of options.
 *
 * @since 0.1.0
 */
import * as Layer from "effect/Layer"
import * as NodePlatform from "./NodePlatform.ts"
import * as ToolkitOptions from "./ToolkitOptions.ts"

/**
 * Builds a toolkit and everything in it; closing its scope shuts everything down that it opened.
 *
 * **Details**
 *
 * Whatever doesn't work is an entry with a status and an error, which is logged once as a warning (`LogFailures`), and
 * costs the others nothing; the build fails only where an entry that its owner calls `required` has failed
 * (`RequiredEntriesFailed`). It is as slow as its slowest entry.
 * Beside `Toolkit` it provides the sources' own services.
 *
 * **Gotchas**
 *
 * It brings Node's platform, and doesn't see a file system, spawner or HTTP client that you provide. For those, use
 * `ToolkitOptions.layer` over `NodePlatform.layer`.
 *
 * **Example**
 *
 * ```ts
 * const program = Effect.gen(function*() {
 *   const toolkit = yield* Toolkit
 *   console.log(yield* toolkit.toolNames)
 * }).pipe(Effect.provide(ToolkitLive({ config: "mcp.json" })))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const ToolkitLive = <R = never>(options: ToolkitOptions.ToolkitOptions<R> = {}) =>
  Layer.provide(ToolkitOptions.layer(options), NodePlatform.layer)

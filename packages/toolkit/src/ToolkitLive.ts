/**
 * The toolkit on Node: every source there is, from one set of options.
 *
 * @since 0.1.0
 */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as ToolkitOptions from "./ToolkitOptions.ts"

const files = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)
const platform = Layer.mergeAll(Layer.provideMerge(NodeChildProcessSpawner.layer, files), FetchHttpClient.layer)

/**
 * Builds a toolkit and everything in it; closing its scope shuts everything down that it opened.
 *
 * **Details**
 *
 * The build never fails: whatever doesn't work is an entry with a status and an error, and costs the others nothing.
 * It is as slow as its slowest entry. Beside `Toolkit` it provides the sources' own services. On another platform, or
 * with a file system or HTTP client of your own, use `ToolkitOptions.layer`.
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
  Layer.provide(ToolkitOptions.layer(options), platform)

/**
 * What a toolkit needs of Node: files, paths, processes and HTTP, in one layer. `ToolkitLive` brings it along; a program
 * that replaces one of them (a test, a sandbox) puts this below its own.
 *
 * @since 0.1.0
 */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Layer from "effect/Layer"
import * as EndedAtExit from "./internal/endedAtExit.ts"
import * as NodeHttp from "./NodeHttp.ts"

/**
 * **Details**
 *
 * A process that was started by it, and is still open when this one exits, is killed with its group.
 *
 * **Example** (Another spawner over Node)
 *
 * ```ts
 * const Platform = Servers.pipe(Layer.provideMerge(NodePlatform.layer))
 * const Tools = ToolkitOptions.layer({ config: "mcp.json" }).pipe(Layer.provide(Platform))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.mergeAll(
  Layer.provideMerge(
    Layer.provide(EndedAtExit.layer, NodeChildProcessSpawner.layer),
    Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)
  ),
  NodeHttp.layer
)

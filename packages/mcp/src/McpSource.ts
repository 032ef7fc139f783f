/**
 * MCP servers as a source. All connect at once, each in a scope of its own, and none of them can hold up or break
 * another: the layer is there before any of them has answered, and their entries say how far each has come.
 *
 * A server that is lost is connected again; see {@link McpSource}.
 *
 * @since 0.1.0
 */
import type { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import { Source } from "@effect-toolnexus/core/Source"
import type * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import {
  addServer,
  connections,
  makeServers,
  reconnectServer,
  removeServer,
  setServerEnabled
} from "./internal/servers.ts"
import type { McpServerDefinition } from "./McpConfig.ts"
import type { McpUnknownServer } from "./McpError.ts"
import type { McpSession } from "./McpSession.ts"

/**
 * What to connect.
 *
 * **Details**
 *
 * `servers`: by name; of two with one name the later wins.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpSourceOptions {
  readonly servers: Iterable<readonly [name: string, definition: McpServerDefinition]>
}

/**
 * The live sessions, for what is beyond tools, and the servers at run time.
 *
 * **Details**
 *
 * A connected server that is lost (its process ended, its pipe broke) is `Reconnecting`: its tools stay listed, and calls
 * of them wait for the repair within their own limits. Attempts follow after 250 ms, and then twice as long each time, up
 * to 30 seconds, less by up to a half at random. After eight in a row that led to no connection of at least a minute
 * the server is `Failed`. The first start is never repeated: it decides the build.
 *
 * What is done to one server takes place in the order in which it was asked for; a server is ended before it is started
 * anew, and never runs twice. Each operation goes on where its caller is interrupted.
 *
 * @category services
 * @since 0.1.0
 */
export class McpSource extends Context.Service<McpSource, {
  /** By server name, without those that are gone. */
  readonly connections: Effect.Effect<ReadonlyMap<string, McpSession>>
  /**
   * Connects one more server, in place of one with that name, and gives its entry once that has settled. It never fails:
   * what became of the server is its entry.
   */
  readonly add: (name: string, definition: McpServerDefinition) => Effect.Effect<SourceEntry.SourceEntry>
  /** Ends a server and takes its entry away. Done when its process is gone; says whether there was such a server. */
  readonly remove: (name: string) => Effect.Effect<boolean>
  /**
   * Ends a server and connects it anew, with variables and files as they are now; as persistent as a repair. Gives its
   * entry once that has settled.
   */
  readonly reconnect: (name: string) => Effect.Effect<SourceEntry.SourceEntry, McpUnknownServer>
  /** Switches a server on or off, whatever its definition says. Gives its entry once that has settled. */
  readonly setEnabled: (name: string, enabled: boolean) => Effect.Effect<SourceEntry.SourceEntry, McpUnknownServer>
}>()("@effect-toolnexus/mcp/McpSource") {
  /**
   * Connects the servers.
   *
   * **Details**
   *
   * Never fails: what became of a server is its entry. Closing ends all processes at once, within three seconds.
   *
   * **Example**
   *
   * ```ts
   * McpSource.layer({
   *   servers: [["files", { config: { command: "node", args: ["server.mjs"] }, folder: "/project", path: "files" }]]
   * })
   * ```
   *
   * @category layers
   * @since 0.1.0
   */
  static readonly layer = (
    options: McpSourceOptions
  ): Layer.Layer<
    Source | McpSource,
    never,
    ChildProcessSpawner | FileSystem.FileSystem | HttpConnections | Path.Path
  > =>
    Layer.effectContext(
      Effect.map(
        makeServers(options.servers),
        (servers) =>
          Context.make(Source, { kind: "mcp", entries: servers.board.entries }).pipe(
            Context.add(McpSource, {
              connections: connections(servers),
              add: (name, definition) => addServer(servers, name, definition),
              remove: (name) => removeServer(servers, name),
              reconnect: (name) => reconnectServer(servers, name),
              setEnabled: (name, enabled) => setServerEnabled(servers, name, enabled)
            })
          )
      )
    )
}

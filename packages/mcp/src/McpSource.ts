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
import type * as Stream from "effect/Stream"
import { askServer, followResource, listServers } from "./internal/askServer.ts"
import {
  addServer,
  connections,
  instructions,
  makeServers,
  reconnectServer,
  removeServer,
  type Servers,
  setServerEnabled
} from "./internal/servers.ts"
import type { McpServerDefinition } from "./McpConfig.ts"
import type { McpServerError, McpUnknownServer } from "./McpError.ts"
import type { Completion, CompletionQuestion, FilledPrompt, Prompt } from "./McpPrompt.ts"
import type { ReadResource, Resource, ResourceTemplate } from "./McpResource.ts"
import type { Listing, McpSession, RequestOptions } from "./McpSession.ts"

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
 * to 30 seconds, less by up to a half at random. After eight in a row that led to no connection of at least a minute, or
 * of ten seconds over HTTP, the server is `Failed`. The first start is never repeated: it decides the build.
 *
 * What is done to one server takes place in the order in which it was asked for; a server is ended before it is started
 * anew, and never runs twice. Each operation goes on where its caller is interrupted.
 *
 * Requests for what is beyond tools are those of `McpOffers`, of a server by its name. They wait for a server that isn't
 * connected, for its `call` limit at most, and fail as `McpUnavailable` where it is switched off, has failed, or didn't
 * come.
 *
 * **Example**
 *
 * ```ts
 * const servers = yield* McpSource
 * for (const { server, uri } of (yield* servers.listResources()).items) yield* servers.readResource(server, uri)
 * ```
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
  /** How to use each server, in its own words, by server name; without those that say nothing or never were connected. */
  readonly instructions: Effect.Effect<ReadonlyMap<string, string>>
  /** The resources of a server; without a name of all, sorted by server, where one that can't list is a diagnostic. */
  readonly listResources: (server?: string) => Effect.Effect<Listing<Resource>, McpServerError>
  /** The templates of a server's resources; without a name those of all. */
  readonly listResourceTemplates: (server?: string) => Effect.Effect<Listing<ResourceTemplate>, McpServerError>
  /** What stands in a resource. */
  readonly readResource: (
    server: string,
    uri: string,
    options?: RequestOptions
  ) => Effect.Effect<ReadResource, McpServerError>
  /**
   * Follows a resource: its URI at first, and whenever it, or one below it, changed. Goes on over a repair of the server,
   * and then begins with its URI again.
   */
  readonly subscribe: (server: string, uri: string) => Stream.Stream<string, McpServerError>
  /** The prompts of a server; without a name those of all. */
  readonly listPrompts: (server?: string) => Effect.Effect<Listing<Prompt>, McpServerError>
  /** A prompt with its arguments in place. */
  readonly getPrompt: (
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: RequestOptions
  ) => Effect.Effect<FilledPrompt, McpServerError>
  /** Suggestions for an argument of a prompt, or a variable of a template. */
  readonly complete: (
    server: string,
    question: CompletionQuestion,
    options?: RequestOptions
  ) => Effect.Effect<Completion, McpServerError>
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
            Context.add(McpSource, makeService(servers))
          )
      )
    )
}

const makeService = (servers: Servers): McpSource["Service"] => ({
  connections: connections(servers),
  add: (name, definition) => addServer(servers, name, definition),
  remove: (name) => removeServer(servers, name),
  reconnect: (name) => reconnectServer(servers, name),
  setEnabled: (name, enabled) => setServerEnabled(servers, name, enabled),
  instructions: instructions(servers),
  listResources: (server) => listServers(servers, server, (session) => session.listResources),
  listResourceTemplates: (server) => listServers(servers, server, (session) => session.listResourceTemplates),
  readResource: (server, uri, options) => askServer(servers, server, (session) => session.readResource(uri, options)),
  subscribe: (server, uri) => followResource(servers, server, uri),
  listPrompts: (server) => listServers(servers, server, (session) => session.listPrompts),
  getPrompt: (server, name, args, options) =>
    askServer(servers, server, (session) => session.getPrompt(name, args, options)),
  complete: (server, question, options) => askServer(servers, server, (session) => session.complete(question, options))
})

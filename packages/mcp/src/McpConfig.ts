/**
 * One server of a configuration (CONTRACT 3): every tolerated spelling becomes one typed value, without expanding a
 * variable or starting anything. {@link resolve} expands it, right before it is started.
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type * as NameFilter from "@effect-toolnexus/core/NameFilter"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as Result from "effect/Result"
import { readServer } from "./internal/readServer.ts"
import { resolveRemoteServer } from "./internal/resolveRemoteServer.ts"
import { resolveServer } from "./internal/resolveServer.ts"

/**
 * A server as it was found: `config` is the raw value, `folder` what its relative paths are relative to, `path` where
 * it stood, e.g. `mcpServers.a`, for diagnostics.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpServerDefinition {
  readonly config: unknown
  readonly folder: string
  readonly path: string
}

/**
 * How long a server may take, in milliseconds.
 *
 * **Details**
 *
 * - `startup` (30000): from the spawn to the answer of `initialize`
 * - `list` (30000): all pages of its list of tools
 * - `call` (30000): a call without news; progress starts it anew
 * - `total` (600000, and not below `call`): a call whatever its progress
 *
 * These are the server's, and hold for every call of its tools. A caller's own limit (`timeout` of the call's options) is
 * kept by the toolkit, around the handler: the shorter of it and `total` ends the call. Neither makes the other longer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Limits {
  readonly startup: number
  readonly list: number
  readonly call: number
  readonly total: number
}

/**
 * What every server that is switched on has.
 *
 * **Details**
 *
 * - `tools`: which of its tools are wanted, by original name
 * - `required`: the build of a toolkit fails where this server fails
 * - `trusted`: its owner vouches for what it says of its tools
 * - `maxConcurrent`: how many calls of its tools may run at once; without it any number
 * - `resourcesAsTools`: it has two tools more, `list_resources` and `read_resource`, where it offers resources; default no
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerFields {
  readonly name: string
  readonly path: string
  readonly timeout: Limits
  /** By original name, in milliseconds: the `call` limit of single tools. */
  readonly toolTimeouts: ReadonlyMap<string, number>
  readonly tools: NameFilter.NameFilter
  readonly required: boolean
  readonly trusted: boolean
  readonly maxConcurrent?: number
  readonly resourcesAsTools: boolean
}

/**
 * A process of its own, spoken to over its stdin and stdout. Nothing in it is expanded yet.
 *
 * @category models
 * @since 0.1.0
 */
export interface LocalServer extends ServerFields {
  readonly _tag: "Local"
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly envFile?: string
  readonly cwd?: string
  /** What relative paths are relative to. */
  readonly folder: string
  /** Hands the child the whole environment; default: only the names CONTRACT 3 lists. */
  readonly inheritEnv: boolean
  /** What a closing server gets, in milliseconds: after the end of its stdin, and after SIGTERM. */
  readonly shutdown: { readonly eof: number; readonly term: number }
}

/**
 * A server behind a URL. Nothing in it is expanded yet.
 *
 * **Details**
 *
 * - `transport`: `http` speaks streamable HTTP, `sse` the HTTP+SSE of revision 2024-11-05; `auto` the first, and the second
 *   where the server answers as only such a one does
 * - `headers`: sent with every request to the URL's own origin, and to no other
 * - `ca`, `cert`, `key`: PEM, or the path of a file of it, relative to `folder`
 * - `proxy`: the URL of a proxy, or an empty text for none; default: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of the
 *   environment
 *
 * @category models
 * @since 0.1.0
 */
export interface RemoteServer extends ServerFields {
  readonly _tag: "Remote"
  readonly transport: "auto" | "http" | "sse"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly proxy?: string
  /** What relative paths are relative to. */
  readonly folder: string
}

/**
 * A server in this very process, for code only: `connect` gives our end of a transport, e.g. one half of the SDK's
 * `InMemoryTransport.createLinkedPair()` whose other half a server is connected to. It is closed with the source.
 *
 * **Gotchas**
 *
 * The function is trusted to give a transport of its own at each call. Only that what it gives has `start`, `send` and
 * `close` is checked; if not, the entry fails in phase `spawn`.
 *
 * @category models
 * @since 0.1.0
 */
export interface InProcessServer extends ServerFields {
  readonly _tag: "InProcess"
  readonly connect: () => unknown
}

/**
 * A server that its owner switched off. Nothing else of it is read, so that an old entry can't break anything.
 *
 * @category models
 * @since 0.1.0
 */
export interface DisabledServer {
  readonly _tag: "Disabled"
  readonly name: string
  readonly path: string
}

/**
 * A server that is switched on.
 *
 * @category models
 * @since 0.1.0
 */
export type EnabledServer = LocalServer | RemoteServer | InProcessServer

/**
 * @category models
 * @since 0.1.0
 */
export type McpServer = EnabledServer | DisabledServer

/**
 * A server, and what a person should know about how it was written.
 *
 * @category models
 * @since 0.1.0
 */
export interface Normalized {
  readonly server: McpServer
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/**
 * An entry that makes no sense: the error, of phase `config`, and all that is to be said about how it was written. A
 * mistyped key is often the cause.
 *
 * @category models
 * @since 0.1.0
 */
export interface Unreadable {
  readonly error: EntryError
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/**
 * Reads one server of a configuration. An entry that makes no sense is {@link Unreadable}, with an error that names the
 * key; a key that isn't known, is misplaced or isn't acted on yet is a diagnostic.
 *
 * **Example**
 *
 * ```ts
 * McpConfig.normalize("files", {
 *   config: { command: "node", args: ["server.mjs"], env: { TOKEN: "${TOKEN}" } },
 *   folder: "/project",
 *   path: "mcpServers.files"
 * })
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const normalize: (
  name: string,
  definition: McpServerDefinition
) => Result.Result<Normalized, Unreadable> = readServer

/**
 * A local server with everything expanded, ready to be started. Holds secrets: it belongs into no error, log or result.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResolvedServer {
  readonly name: string
  /** The command as the configuration has it, for messages. */
  readonly label: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly shutdown: { readonly eof: number; readonly term: number }
  /** What may be shown of it: what came of variables and files stands there as it was written. */
  readonly shown: { readonly command: string; readonly args: ReadonlyArray<string>; readonly cwd?: string }
  /** What variables and files put into it, and the values of its environment: for a `Redaction`. */
  readonly secrets: ReadonlyArray<string>
}

/**
 * A remote server with everything expanded, ready to be spoken to. Holds secrets: it belongs into no error, log or result.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResolvedRemote {
  readonly name: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** Variables by which a proxy is chosen, as Node's agents take them. */
  readonly proxy: Readonly<Record<string, string>>
  /** What may be shown of it: what came of variables and files stands there as it was written. */
  readonly shown: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  /** What variables and files put into it, the values of its headers, and credentials in its addresses: for a `Redaction`. */
  readonly secrets: ReadonlyArray<string>
}

/**
 * Expands a remote server's URL and headers, and reads its certificates.
 *
 * **Details**
 *
 * A missing variable, a file that can't be read or holds no PEM, a URL or proxy that is none or neither http nor https,
 * and a header that HTTP doesn't allow fail in phase `config` and name entry and field, never a value.
 *
 * @category operations
 * @since 0.1.0
 */
export const resolveRemote: (
  server: RemoteServer
) => Effect.Effect<ResolvedRemote, EntryError, FileSystem.FileSystem | Path.Path> = resolveRemoteServer

/**
 * Expands a local server's command, arguments, environment and paths.
 *
 * **Details**
 *
 * A missing variable or an unreadable `envFile` (at most 256 KiB) fails in phase `config` and names entry, field and
 * variable; a working directory that isn't there fails in phase `spawn`. Later wins in the environment: the inherited
 * names, `envFile`, `env`.
 *
 * @category operations
 * @since 0.1.0
 */
export const resolve: (
  server: LocalServer
) => Effect.Effect<ResolvedServer, EntryError, FileSystem.FileSystem | Path.Path> = resolveServer

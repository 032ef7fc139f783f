/**
 * One server of a configuration (CONTRACT 3): every tolerated spelling becomes one typed value, without expanding a
 * variable or starting anything. {@link resolve} expands it, right before it is started.
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as Result from "effect/Result"
import { readServer } from "./internal/readServer.ts"
import { resolveServer } from "./internal/resolveServer.ts"
import type { ToolFilter } from "./internal/toolFilter.ts"

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

export type { ToolFilter }

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
 * @category models
 * @since 0.1.0
 */
export interface ServerFields {
  readonly name: string
  readonly path: string
  readonly timeout: Limits
  readonly tools: ToolFilter
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
 * A server behind a URL.
 *
 * **Gotchas**
 *
 * Recognised, not connected yet: its entry fails in phase `config` and says so.
 *
 * @category models
 * @since 0.1.0
 */
export interface RemoteServer extends ServerFields {
  readonly _tag: "Remote"
  readonly url: string
}

/**
 * A server in this very process, for code only: `connect` gives our end of a transport, e.g. one half of the SDK's
 * `InMemoryTransport.createLinkedPair()` whose other half a server is connected to. It is closed with the source.
 *
 * @category models
 * @since 0.1.0
 */
export interface InProcessServer extends ServerFields {
  readonly _tag: "InProcess"
  readonly connect: () => Transport
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
 * @category models
 * @since 0.1.0
 */
export type McpServer = LocalServer | RemoteServer | InProcessServer | DisabledServer

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
 * Reads one server of a configuration. An entry that makes no sense is an `EntryError` of phase `config` that names the
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
) => Result.Result<Normalized, EntryError> = readServer

/**
 * A local server with everything expanded, ready to be started. Holds secrets: it belongs into no error, log or result.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResolvedServer {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly shutdown: { readonly eof: number; readonly term: number }
  /** Texts that must be blotted out of whatever the server says on stderr. */
  readonly secrets: ReadonlyArray<string>
}

/**
 * Expands a local server's command, arguments, environment and paths.
 *
 * **Details**
 *
 * A missing variable or an unreadable `envFile` fails in phase `config` and names entry, field and variable; a working
 * directory that isn't there fails in phase `spawn`. Later wins in the environment: the inherited names, `envFile`,
 * `env`.
 *
 * @category operations
 * @since 0.1.0
 */
export const resolve: (
  server: LocalServer
) => Effect.Effect<ResolvedServer, EntryError, FileSystem.FileSystem | Path.Path> = resolveServer

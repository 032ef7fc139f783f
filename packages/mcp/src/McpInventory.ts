/**
 * What servers offer, before anything is filtered or renamed: for a list to choose from. It connects, lists, and leaves
 * nothing running.
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import type { EntryError, Status } from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import type * as Semaphore from "effect/Semaphore"
import { connectServer } from "./internal/connectServer.ts"
import { diagnosticsOf, enabledServer, type ReadServer, readServers } from "./internal/readServers.ts"
import { makeSlots } from "./internal/spawnSlots.ts"
import type { RawTool } from "./McpSession.ts"
import type { McpSourceOptions } from "./McpSource.ts"

/**
 * One server: its full list under original names, or why there is none; and what is odd about its configuration, its
 * connection and its list, e.g. a key that nobody knows, or a tool that had to be left out.
 *
 * @category models
 * @since 0.1.0
 */
export interface InventoryEntry {
  readonly name: string
  readonly status: Status
  readonly error?: EntryError
  readonly tools: ReadonlyArray<RawTool>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/**
 * Lists all servers, sorted by name. Done when every process it started is gone.
 *
 * @category operations
 * @since 0.1.0
 */
export const list: (
  options: McpSourceOptions
) => Effect.Effect<
  ReadonlyArray<InventoryEntry>,
  never,
  ChildProcessSpawner | FileSystem.FileSystem | HttpConnections | Path.Path
> = Effect.fnUntraced(function*({ servers }: McpSourceOptions) {
  const slots = yield* makeSlots
  return yield* Effect.forEach(readServers(servers), (server) => listOne(server, slots), { concurrency: "unbounded" })
})

const listOne = (given: ReadServer, slots: Semaphore.Semaphore) => {
  const { name, normalized } = given
  const diagnostics = diagnosticsOf(given)
  const failed = (error: EntryError): InventoryEntry => {
    const status = error.challenge === undefined ? "failed" : "needs_auth"
    return { name, status, error, tools: [], diagnostics }
  }
  if (Result.isFailure(normalized)) return Effect.succeed(failed(normalized.failure.error))
  const server = enabledServer(given)
  if (server === undefined) return Effect.succeed<InventoryEntry>({ name, status: "disabled", tools: [], diagnostics })
  return Effect.match(Effect.scoped(connectServer(server, slots)), {
    onFailure: failed,
    onSuccess: (connection): InventoryEntry => ({
      name,
      status: "connected",
      tools: connection.list.tools,
      diagnostics: [...diagnostics, ...connection.diagnostics, ...connection.list.diagnostics]
    })
  })
}

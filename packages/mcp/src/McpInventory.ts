/**
 * What servers offer, before anything is filtered or renamed: for a list to choose from. It connects, lists, and leaves
 * nothing running.
 *
 * @since 0.1.0
 */
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { connectServer, readServers, type ServerState } from "./internal/connectServer.ts"
import { makeSlots } from "./internal/spawnSlots.ts"
import type { RawTool } from "./McpSession.ts"
import type { McpSourceOptions } from "./McpSource.ts"

/**
 * One server: its full list under original names, or why there is none.
 *
 * @category models
 * @since 0.1.0
 */
export interface InventoryEntry {
  readonly name: string
  readonly status: SourceEntry.Status
  readonly error?: SourceEntry.EntryError
  readonly tools: ReadonlyArray<RawTool>
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
  ChildProcessSpawner | FileSystem.FileSystem | Path.Path
> = Effect.fnUntraced(function*({ servers }: McpSourceOptions) {
  const slots = yield* makeSlots
  return yield* Effect.forEach(
    readServers(servers),
    (server) =>
      Effect.scoped(Effect.map(connectServer(server, slots), (state) => toInventoryEntry(server.name, state))),
    { concurrency: "unbounded" }
  )
})

const toInventoryEntry = (name: string, state: ServerState): InventoryEntry => {
  if (state._tag === "Connected") return { name, status: "connected", tools: state.tools }
  const status = SourceEntry.status(state.entry)
  return state.entry._tag === "Failed"
    ? { name, status, error: state.entry.error, tools: [] }
    : { name, status, tools: [] }
}

/** From a server of the configuration to an open channel, where there is but one kind of it. */
import { EntryError } from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import type * as Semaphore from "effect/Semaphore"
import type { InProcessServer, LocalServer } from "../McpConfig.ts"
import type { OpenChannel } from "./channel.ts"
import { entryError } from "./entryError.ts"
import { isTransport, makeHostChannel } from "./hostChannel.ts"
import { resolveServer } from "./resolveServer.ts"
import { openStdio } from "./stdioChannel.ts"

export const openServer = (server: LocalServer | InProcessServer, slots: Semaphore.Semaphore | undefined) =>
  server._tag === "Local"
    ? Effect.flatMap(resolveServer(server), (resolved) => openStdio(resolved, slots))
    : openInProcess(server)

const openInProcess = (server: InProcessServer): OpenChannel =>
  Effect.try({
    try: () => server.connect(),
    catch: (cause) =>
      new EntryError({
        kind: "mcp",
        entry: server.name,
        phase: "spawn",
        detail: `connect failed: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause
      })
  }).pipe(
    Effect.filterOrFail(isTransport, () => entryError(server.name, "spawn", NO_TRANSPORT)),
    Effect.map(makeHostChannel)
  )

const NO_TRANSPORT = "connect did not give a transport: an object with the functions start, send and close"

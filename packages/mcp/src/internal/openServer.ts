/** From a server of the configuration to an open channel, whatever kind of server it is. */
import { EntryError } from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import type * as Semaphore from "effect/Semaphore"
import type { EnabledServer, InProcessServer, RemoteServer } from "../McpConfig.ts"
import type { OpenChannel } from "./channel.ts"
import { entryError } from "./entryError.ts"
import { isTransport, makeHostChannel } from "./hostChannel.ts"
import { resolveServer } from "./resolveServer.ts"
import { openStdio } from "./stdioChannel.ts"

export const openServer = (server: EnabledServer, slots: Semaphore.Semaphore | undefined) => {
  if (server._tag === "Local") {
    return Effect.flatMap(resolveServer(server), (resolved) => openStdio(resolved, slots))
  }
  return server._tag === "InProcess" ? openInProcess(server) : openRemote(server)
}

const openRemote = (server: RemoteServer): OpenChannel =>
  Effect.fail(
    entryError(
      server.name,
      "config",
      `${server.path}: this version connects local servers only (a command); remote ones (a url) come later`
    )
  )

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

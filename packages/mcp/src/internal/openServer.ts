/** From a server of the configuration to an open link, whatever kind of server it is. */
import { EntryError } from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { InProcessServer, McpServer, RemoteServer } from "../McpConfig.ts"
import { entryError } from "./entryError.ts"
import { type Link, type OpenLink, silence } from "./link.ts"
import { resolveServer } from "./resolveServer.ts"
import { openStdio } from "./stdioTransport.ts"

/** More processes at once are not ready sooner, they only fight for the machine. */
const SPAWNED_AT_ONCE = 16

export const makeSlots = Semaphore.make(SPAWNED_AT_ONCE)

/** A server that is switched on. */
export type EnabledServer = Exclude<McpServer, { readonly _tag: "Disabled" }>

export const openServer = (server: EnabledServer, slots: Semaphore.Semaphore) => {
  if (server._tag === "Local") {
    return Effect.flatMap(resolveServer(server), (resolved) => openStdio(resolved, slots))
  }
  return server._tag === "InProcess" ? openInProcess(server) : openRemote(server)
}

const openRemote = (server: RemoteServer): OpenLink =>
  Effect.fail(
    entryError(
      server.name,
      "config",
      `${server.path}: this version connects local servers only (a command); remote ones (a url) come later`
    )
  )

const openInProcess = (server: InProcessServer): OpenLink =>
  Effect.try({
    try: (): Link => ({
      transport: server.connect(),
      ended: () => undefined,
      stderr: () => "",
      redact: (text) => text,
      noise: () => silence
    }),
    catch: (cause) =>
      new EntryError({
        kind: "mcp",
        entry: server.name,
        phase: "spawn",
        detail: `connect failed: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause
      })
  })

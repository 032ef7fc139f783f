/** From a server of the configuration to an open link, whatever kind of server it is. */
import { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Semaphore from "effect/Semaphore"
import type { EnabledServer, InProcessServer, RemoteServer } from "../McpConfig.ts"
import { entryError } from "./entryError.ts"
import { type Link, type OpenLink, silence } from "./link.ts"
import { resolveServer } from "./resolveServer.ts"
import { openStdio } from "./stdioTransport.ts"

export const openServer = (server: EnabledServer, slots: Semaphore.Semaphore | undefined) => {
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
    Effect.map((transport): Link => ({
      transport,
      ended: () => undefined,
      stderr: () => "",
      redact: (text) => text,
      noise: () => silence,
      withheld: []
    }))
  )

const NO_TRANSPORT = "connect did not give a transport: an object with the functions start, send and close"

/** What the functions take and give is the host's word. */
const isTransport = (value: unknown): value is Transport =>
  Predicate.isObject(value) && ["start", "send", "close"].every((name) => typeof value[name] === "function")

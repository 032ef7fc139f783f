/** What each server of a configuration would be started with, variables filled in and everything secret masked. */
import type { Json, SourceEntry } from "@effect-toolnexus/core"
import * as McpConfig from "@effect-toolnexus/mcp/McpConfig"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { RawEntry } from "../ToolkitConfig.ts"
import { maskEntry } from "./maskedConfig.ts"

export const resolveServers = (entries: ReadonlyMap<string, RawEntry>) =>
  Effect.map(
    Effect.forEach([...entries], ([name, entry]) => Effect.map(resolveServer(name, entry), (shown) => [name, shown])),
    (shown): Json.JsonObject => Object.fromEntries(shown)
  )

const resolveServer = (name: string, entry: RawEntry) =>
  Result.match(McpConfig.normalize(name, entry), {
    onFailure: ({ error }) => Effect.succeed(failed(error)),
    onSuccess: ({ server }) => showServer(server, entry)
  })

const showServer = (server: McpConfig.McpServer, { config }: RawEntry) => {
  switch (server._tag) {
    case "Disabled":
      return Effect.succeed<Json.JsonObject>({ status: "disabled" })
    case "Local":
      return Effect.match(McpConfig.resolve(server), { onFailure: failed, onSuccess: showLocal })
    case "Remote":
      return Effect.match(McpConfig.resolveRemote(server), { onFailure: failed, onSuccess: showRemote })
    default:
      return Effect.succeed<Json.JsonObject>({ status: "enabled", config: maskEntry(config) })
  }
}

const failed = (error: SourceEntry.EntryError): Json.JsonObject => ({ status: "failed", error: error.message })

/** Of its environment only the names: they say what it gets, and hold nothing to be masked. */
const showLocal = ({ env, shown }: McpConfig.ResolvedServer): Json.JsonObject => ({
  status: "enabled",
  config: maskEntry(shown),
  variables: Object.keys(env).toSorted()
})

const showRemote = ({ shown }: McpConfig.ResolvedRemote): Json.JsonObject => ({
  status: "enabled",
  config: maskEntry(shown)
})

/** `toolnexus servers`: what each MCP server offers, under its own names, before anything is filtered. */
import type * as McpInventory from "@effect-toolnexus/mcp/McpInventory"
import * as Effect from "effect/Effect"
import * as SourceFlags from "../SourceFlags.ts"
import { logConfigProblems } from "./diagnostics.ts"
import { serversDocument } from "./documents.ts"
import { printJson, printLine } from "./output.ts"
import { withProgress } from "./progress.ts"
import { screen } from "./screen.ts"
import { serversView } from "./views.ts"

export const servers = Effect.fnUntraced(function*(flags: SourceFlags.SourceFlags, isJson: boolean) {
  const { NodeHttp, ToolkitConfig, inventory } = yield* modules
  const files = yield* ToolkitConfig.load(yield* SourceFlags.configFiles(flags))
  const options = yield* SourceFlags.toOptions(flags, files)
  const config = yield* ToolkitConfig.load(options.config)
  yield* logConfigProblems(config)
  const names = [...config.servers.keys()]
  const listed: ReadonlyArray<McpInventory.InventoryEntry> = yield* withProgress(
    () => names,
    Effect.provide(inventory.list({ servers: config.servers }), NodeHttp.layer)
  )
  yield* isJson ? printJson(serversDocument(listed)) : printLine(serversView(listed, yield* screen))
})

/** Loaded late, as everything that stands beside the protocols. */
const modules = Effect.promise(async () => ({
  NodeHttp: await import("@effect-toolnexus/toolkit/NodeHttp"),
  ToolkitConfig: await import("@effect-toolnexus/toolkit/ToolkitConfig"),
  inventory: await import("@effect-toolnexus/mcp/McpInventory")
}))

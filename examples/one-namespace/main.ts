/** Three sources in one namespace: an MCP server, skills and builtins, with the shell switched off. */
import { ScriptedMcpServer } from "@effect-toolnexus/testing"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect } from "effect"
import { Toolkit, ToolkitLive } from "effect-toolnexus"
import { join } from "node:path"

const toolkit = ToolkitLive({
  config: { mcpServers: { weather: ScriptedMcpServer.command({ tools: [{ name: "forecast" }] }) } },
  skills: join(import.meta.dirname, "../quickstart/skills"),
  builtins: { tools: { bash: false } }
})

const program = Effect.gen(function*() {
  const { call, sources, tools } = yield* Toolkit
  yield* Console.log((yield* tools).map(({ name, source }) => `${name} (${source})`))
  yield* Console.log(yield* sources)
  yield* Console.log((yield* call("weather_forecast", { city: "Oslo" })).output)
})

NodeRuntime.runMain(Effect.provide(program, toolkit))

/** MCP and skills: what became of each, and the tools as OpenAI takes them. */
import { ScriptedMcpServer } from "@effect-toolnexus/testing"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect } from "effect"
import { LogFailures, Toolkit, ToolkitLive } from "effect-toolnexus"
import { join } from "node:path"

const toolkit = ToolkitLive({
  config: {
    mcpServers: {
      tickets: ScriptedMcpServer.command({ tools: [{ name: "create", description: "Creates a ticket" }] }),
      off: { command: "anything", disabled: true },
      broken: ScriptedMcpServer.command({ exit: { code: 1, stderr: "no licence" } })
    }
  },
  skills: join(import.meta.dirname, "../quickstart/skills"),
  builtins: false
})

const program = Effect.gen(function*() {
  const { errors, statuses, toOpenAI } = yield* Toolkit
  yield* Console.log(yield* statuses)
  yield* Console.log(yield* errors)
  yield* Console.log(JSON.stringify(yield* toOpenAI(), undefined, 2))
})

// what has failed is printed above
NodeRuntime.runMain(Effect.provideService(Effect.provide(program, toolkit), LogFailures, false))

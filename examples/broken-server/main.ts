/** A broken server beside a good one: it costs the other nothing, and the toolkit says what is wrong with it. */
import { ScriptedMcpServer } from "@effect-toolnexus/testing"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { LogFailures, Toolkit, ToolkitLive } from "effect-toolnexus"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

const config = {
  mcpServers: {
    good: ScriptedMcpServer.command({ tools: [{ name: "greet", does: [{ text: "hello" }] }] }),
    missing: { command: "no-such-command" },
    crashing: { command: "node", args: ["-e", "console.error('no API key'); process.exit(3)"] },
    silent: { command: "node", args: ["-e", "setInterval(() => {}, 1000)"], timeout: { startup: 1000 } },
    unset: { command: "node", env: { TOKEN: "${A_VARIABLE_NOBODY_SET}" } }
  }
}

const program = Effect.gen(function*() {
  const toolkit = yield* Toolkit
  yield* Console.log(yield* toolkit.call("good_greet"))
  for (const [name, status] of Object.entries(yield* toolkit.statuses)) yield* Console.log(`${name}: ${status}`)
  for (const message of Object.values(yield* toolkit.errors)) yield* Console.log(`- ${message}`)
})

const toolkit = ToolkitLive({ config, builtins: false })

// what has failed is printed above
NodeRuntime.runMain(Effect.provideService(Effect.provide(program, toolkit), LogFailures, false))

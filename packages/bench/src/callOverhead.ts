/**
 * What a call through the toolkit costs over a bare `Client.callTool` of the SDK, on one server in this process. The
 * aim: less than 50 µs at the median.
 */
import { Toolkit } from "@effect-toolnexus/core"
import { InMemoryMcpServer } from "@effect-toolnexus/testing"
import { ToolkitLive } from "@effect-toolnexus/toolkit"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { measure } from "./harness.ts"

const AIM = 50
/** What a check lets pass: other work on a machine is no fault of ours. */
const LIMIT = 150

export const callOverhead = Effect.gen(function*() {
  const server = yield* InMemoryMcpServer.make({ tools: [{ name: "echo", handler: ({ text }) => String(text) }] })
  const client = yield* bareClient(server)
  const args = { text: "a short text" }
  return yield* Effect.gen(function*() {
    const toolkit = yield* Toolkit
    const context = yield* Effect.context()
    const runPromise = Effect.runPromiseWith(context)
    const [bare = Number.NaN, ours = Number.NaN] = yield* measure({
      title: "One call of a tool on an MCP server in this process",
      batch: 500,
      samples: 21,
      unit: "µs",
      contenders: [
        { name: "SDK Client.callTool", run: () => client.callTool({ name: "echo", arguments: args }) },
        { name: "toolkit.call", run: () => runPromise(toolkit.call("server_echo", args)) },
        { name: "toolkit.execute", run: () => runPromise(toolkit.execute("server_echo", args)) }
      ]
    })
    yield* Console.log(`Overhead of toolkit.call: ${(ours - bare).toFixed(1)} µs (aim: below ${AIM})\n`)
    return { value: ours - bare, limit: LIMIT }
  }).pipe(Effect.provide(ToolkitLive({ config: { mcpServers: { server } }, builtins: false })))
}).pipe(Effect.scoped)

const bareClient = (server: InMemoryMcpServer.InProcessServer) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "bench", version: "0.1.0" })
      await client.connect(server.connect())
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )

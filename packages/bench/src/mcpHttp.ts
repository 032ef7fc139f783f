/**
 * MCP servers over HTTP, each in a process of its own, side by side with the bare SDK and with what others make of it. The
 * aims: 2.5 times as many calls as the bare SDK, in order and at 16 at once; connecting no slower.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Remote } from "./mcpClients/client.ts"
import { clients, floor } from "./mcpClients/clients.ts"
import { compare, type Comparison, type Medians, ratioTo } from "./mcpClients/freshProcesses.ts"
import { programIn, published } from "./mcpClients/published.ts"
import { workTables } from "./mcpClients/workTables.ts"
import type { Size } from "./mcpStdio.ts"

export const mcpHttp = ({ calls, rounds }: Pick<Size, "calls" | "rounds">) =>
  Effect.gen(function*() {
    const worker = programIn(yield* published, "mcpClients/worker.js")
    const run = Effect.fnUntraced(function*(title: string, fixture: string) {
      const server = yield* serving(fixture)
      const medians = yield* compare({ ...plan, tables: workTables(title), server, worker, rounds, amount: calls })
      yield* Console.log(summary(title, medians))
    }, Effect.scoped)
    yield* run("A server without dependencies, answers in JSON", "httpEchoServer.mjs")
    yield* run("The same server made with the SDK, answers as events, in sessions", "httpSdkServer.mjs")
  }).pipe(Effect.scoped)

const plan: Pick<Comparison, "clients" | "task"> = { task: "work", clients: [...clients, floor] }

const summary = (server: string, medians: Medians): string => {
  const ratio = (key: string) => ratioTo(medians, "bareSdk", "toolkit", key)
  return [
    `${server}: ToolkitLive to the SDK's client:`,
    `  cold connect and list ${ratio("cold")}, further ones ${ratio("warm")} (aim: at most 1.00x)`,
    `  calls/s in order ${ratio("inOrder")}, at 16 at once ${ratio("atOnce")} (aim: at least 2.50x)`,
    ""
  ].join("\n")
}

/** Its address is the first that it prints, and the end of its stdin is its own. */
const serving = (fixture: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly url: string; readonly end: () => void }>((resume) => {
        const path = fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url))
        const child = spawn(process.execPath, [path], { stdio: ["pipe", "pipe", "inherit"] })
        child.stdout.setEncoding("utf8").once("data", (line: string) =>
          resume(Effect.succeed({ url: line.trim(), end: () => child.stdin.end() })))
        child.on("error", (error) =>
          resume(Effect.die(error)))
      }),
      ({ end }) => Effect.sync(end)
    ),
    ({ url }): Remote => ({ url })
  )

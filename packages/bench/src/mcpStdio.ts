/**
 * MCP servers over stdio, side by side with the bare SDK and with what others make of it, each in processes of its own.
 * The aims: connecting and calls in order no slower than the bare SDK, calls at 16 at once faster; 32 servers ready
 * within 1.2 times its parallel start; a server that never answers ends at its own limit; 32 stubborn servers closed
 * within three seconds; nothing left of either; and the least memory of all.
 */
import { ScriptedMcpServer } from "@effect-toolnexus/testing"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import type { Command } from "./mcpClients/client.ts"
import { clients, floor } from "./mcpClients/clients.ts"
import { compare, type Comparison, MARK, type Medians, ratioTo } from "./mcpClients/freshProcesses.ts"
import { programIn, published } from "./mcpClients/published.ts"
import { workTables } from "./mcpClients/workTables.ts"

/** How much is measured. */
export interface Size {
  readonly rounds: number
  /** In order; four times as many at once. */
  readonly calls: number
  readonly servers: number
}

export const FULL: Size = { rounds: 5, calls: 3000, servers: 32 }
/** Over HTTP a call takes several times as long. */
export const HTTP: Size = { rounds: 3, calls: 1500, servers: 0 }
/** Enough to see that every client still runs. */
export const TINY: Size = { rounds: 1, calls: 20, servers: 2 }

const SILENT_LIMIT = 1000

/** Limits decide how long these take, and not how fast a client is. */
const FEW_ROUNDS = 3

type Plan = Omit<Comparison, "worker" | "rounds">

export const mcpStdio = ({ calls, rounds, servers }: Size) =>
  Effect.gen(function*() {
    const worker = programIn(yield* published, "mcpClients/worker.js")
    const run = (plan: Plan) => compare({ ...plan, worker, rounds })
    const runFew = (plan: Plan) => compare({ ...plan, worker, rounds: Math.min(rounds, FEW_ROUNDS) })
    const fast = yield* run(working("An MCP server without dependencies", fixture("echoServer.mjs"), calls))
    yield* run(working("The same server made with the SDK", fixture("sdkServer.mjs"), calls))
    const many = yield* run(starting(servers))
    const silent = yield* runFew(waiting)
    const stubborn = yield* runFew(
      closing(
        `${servers} servers that take no notice of the end of their stdin, nor of SIGTERM`,
        marked(STUBBORN),
        servers
      )
    )
    const shells = yield* runFew(closing("The same, each behind a shell", inShell(marked(STUBBORN)), servers))
    const left = [silent, stubborn, shells].reduce((sum, medians) => sum + of(medians, "toolkit", "alive"), 0)
    const closed = of(stubborn, "toolkit", "closed").toFixed(0)
    yield* Console.log(
      [
        "ToolkitLive to the SDK's client:",
        `  cold connect and list ${ratio(fast, "cold")}, further ones ${ratio(fast, "warm")} (aim: at most 1.00x)`,
        `  calls/s in order ${ratio(fast, "inOrder")} (aim: at least 1.00x)`,
        `  calls/s at 16 at once ${ratio(fast, "atOnce")} (aim: more than 1.00x)`,
        `  ${servers} servers ready ${ratio(many, "ready")} (aim: at most 1.20x)`,
        `  ${servers} stubborn servers closed after ${closed} ms (aim: below 3000)`,
        `  processes left: ${left} (aim: 0)`,
        `  memory ${ratio(fast, "rssEnd")} (aim: the least of all)`,
        ""
      ].join("\n")
    )
    return { value: left, limit: 0 }
  }).pipe(Effect.scoped)

const working = (server: string, command: Command, calls: number): Plan => ({
  task: "work",
  amount: calls,
  server: command,
  clients: [...clients, floor],
  tables: workTables(server)
})

const starting = (servers: number): Plan => ({
  task: "many",
  amount: servers,
  server: fixture("echoServer.mjs"),
  clients: [...clients, floor],
  tables: [{
    title: `${servers} servers: until all tools are listed`,
    columns: [
      { key: "cold", title: "with import ms", digits: 0, hasRatio: true },
      { key: "ready", title: "without ms", digits: 0, hasRatio: true },
      { key: "closed", title: "close ms", digits: 0 },
      { key: "rssEnd", title: "RSS MB", digits: 0, hasRatio: true }
    ]
  }]
})

const closing = (title: string, server: Command, servers: number): Plan => ({
  task: "many",
  amount: servers,
  server,
  clients,
  tables: [{
    title: `${title}: how long their close takes`,
    columns: [
      { key: "closed", title: "close ms", digits: 0, hasRatio: true },
      { key: "alive", title: "left running", digits: 0 }
    ]
  }]
})

const fixture = (name: string): Command => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))]
})

const STUBBORN: ScriptedMcpServer.ScriptedServer = { tools: [{ name: "echo" }], ignores: ["stdin", "SIGTERM"] }

const marked = (script: ScriptedMcpServer.ScriptedServer): Command =>
  ScriptedMcpServer.command({ ...script, name: MARK })

/** The colon keeps the shell there, instead of giving its process to the server. */
const inShell = ({ args, command }: Command): Command => ({
  command: "sh",
  args: ["-c", `${[command, ...args].map((word) => `'${word}'`).join(" ")}; :`]
})

const waiting: Plan = {
  task: "silent",
  amount: SILENT_LIMIT,
  server: marked({ methods: { initialize: "hang", "server/discover": "hang" }, ignores: ["stdin"] }),
  // LangChain's has no such limit: it waits for a minute
  clients: clients.filter(([name]) => name !== "langchain"),
  tables: [{
    title: `A server that never answers, and takes no notice of the end of its stdin: a limit of ${SILENT_LIMIT} ms`,
    columns: [
      { key: "settled", title: "failed after ms", digits: 0 },
      { key: "closed", title: "close ms", digits: 0 },
      { key: "alive", title: "left running", digits: 0 }
    ]
  }]
}

const of = (medians: Medians, client: string, key: string): number => medians.get(client)?.[key] ?? Number.NaN

const ratio = (medians: Medians, key: string): string => ratioTo(medians, "bareSdk", "toolkit", key)

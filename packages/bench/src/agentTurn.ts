/**
 * One turn of an agent: a model that calls an MCP tool over stdio and a function, both at once, and answers when it has
 * their results; two rounds in all. The same turn through our bridge and `effect/ai`, and through what others make of it,
 * each in processes of its own, with a model that answers at once. The floor is the same two calls through the SDK's client
 * by hand. The aim: less on top of the floor than the AI SDK and LangChain, and less memory.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { compare, type Comparison, type Medians } from "./mcpClients/freshProcesses.ts"
import { programIn, published } from "./mcpClients/published.ts"

/** How much is measured. */
export interface Turns {
  readonly rounds: number
  readonly turns: number
}

export const TURNS: Turns = { rounds: 5, turns: 1000 }
/** Enough to see that every runtime still runs. */
export const FEW_TURNS: Turns = { rounds: 1, turns: 20 }

const plan: Pick<Comparison, "clients" | "task" | "server" | "tables"> = {
  task: "turns",
  server: {
    command: process.execPath,
    args: [fileURLToPath(new URL("../fixtures/echoServer.mjs", import.meta.url))]
  },
  clients: [
    ["byHand", "both calls by hand (the floor)"],
    ["effectAi", "ToolkitLive, effect/ai, ToolLoop"],
    ["ourAiSdk", "createToolkit, toAiSdk, AI SDK"],
    ["aiSdk", "AI SDK, its MCP client"],
    ["ourLangchain", "createToolkit, toLangChain, by hand"],
    ["langchain", "LangChain adapters, by hand"],
    ["langgraph", "LangChain adapters, LangGraph agent"]
  ],
  tables: [
    {
      title: "One turn of an agent: two rounds, an MCP call over stdio and a function at once",
      columns: [
        { key: "turn", title: "turn µs", digits: 0, hasRatio: true },
        { key: "cpu", title: "CPU µs", digits: 0, hasRatio: true },
        { key: "import", title: "import ms", digits: 0 },
        { key: "open", title: "open ms", digits: 0 },
        { key: "first", title: "first turn ms", digits: 1 },
        { key: "rssOpened", title: "opened, RSS MB", digits: 0 },
        { key: "rssEnd", title: "in the end, RSS MB", digits: 0 }
      ]
    }
  ]
}

export const agentTurn = ({ rounds, turns }: Turns) =>
  Effect.gen(function*() {
    const worker = programIn(yield* published, "agentTurn/worker.js")
    const medians = yield* compare({ ...plan, worker, rounds, amount: turns })
    yield* Console.log(
      [
        "On top of the floor, at the median:",
        ...plan.clients.slice(1).map(([name, label]) => `  ${label}: ${overhead(medians, name).toFixed(0)} µs`),
        ""
      ].join("\n")
    )
  }).pipe(Effect.scoped)

const overhead = (medians: Medians, name: string): number => turnOf(medians, name) - turnOf(medians, "byHand")

const turnOf = (medians: Medians, name: string): number => medians.get(name)?.["turn"] ?? Number.NaN

/** LangChain with its adapters for MCP; the loop by hand, or LangGraph's agent. */
import { DynamicStructuredTool } from "@langchain/core/tools"
import { MultiServerMCPClient } from "@langchain/mcp-adapters"
import { z } from "zod"
import type { Command } from "../mcpClients/client.ts"
import { loop, Model } from "./langchainModel.ts"
import { type Runtime, sum } from "./runtime.ts"

const add = new DynamicStructuredTool({
  name: "sum",
  description: "Adds up",
  schema: z.strictObject({ a: z.number(), b: z.number() }),
  func: (input: { readonly a: number; readonly b: number }) => Promise.resolve(sum(input))
})

export const connect = async ({ args, command }: Command) => {
  const client = new MultiServerMCPClient({
    mcpServers: { server: { transport: "stdio", command, args: [...args] } }
  })
  return { client, tools: [...await client.getTools(), add] }
}

export const runtime: Runtime = {
  open: async (server) => {
    const { client, tools } = await connect(server)
    const model = new Model("echo")
    return { turn: () => loop(model, tools), close: () => client.close() }
  }
}

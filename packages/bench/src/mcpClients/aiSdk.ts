/** The AI SDK's client: one for each server, its tools called as the AI SDK's. */
import { createMCPClient } from "@ai-sdk/mcp"
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio"
import { type Client, ECHO, inLanes, type Server } from "./client.ts"

const transportTo = (server: Server) =>
  "url" in server
    ? { type: "http" as const, url: server.url }
    : new StdioMCPTransport({ command: server.command, args: [...server.args] })

const connect = async (server: Server, limit: number | undefined) => {
  const mcp = await createMCPClient({
    transport: transportTo(server),
    ...(limit === undefined ? {} : { initializationOptions: { timeout: limit } })
  })
  return { mcp, tools: await mcp.tools() }
}

export const client: Client = {
  open: async (servers, limit) => {
    const connections = await Promise.all(servers.map((server) => connect(server, limit)))
    const echo = connections[0]?.tools["echo"]
    return {
      tools: connections.reduce((sum, { tools }) => sum + Object.keys(tools).length, 0),
      call: inLanes(async () => echo?.execute(ECHO, { toolCallId: "call", messages: [], context: {} })),
      close: () => Promise.all(connections.map(({ mcp }) => mcp.close()))
    }
  }
}

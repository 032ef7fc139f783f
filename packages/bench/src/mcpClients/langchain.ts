/** LangChain's adapter: all servers in one client, their tools called as LangChain's. */
import { MultiServerMCPClient } from "@langchain/mcp-adapters"
import { byName, type Client, ECHO, inLanes, type Server } from "./client.ts"

const transportTo = (server: Server) =>
  "url" in server
    ? { transport: "http" as const, url: server.url }
    : { transport: "stdio" as const, command: server.command, args: [...server.args] }

export const client: Client = {
  // it has no limit of its own for a server's answer to `initialize`
  open: async (servers) => {
    const mcp = new MultiServerMCPClient({
      mcpServers: byName(servers, transportTo)
    })
    const tools = await mcp.getTools()
    return {
      tools: tools.length,
      call: inLanes(async () => tools[0]?.invoke(ECHO)),
      close: () => mcp.close()
    }
  }
}

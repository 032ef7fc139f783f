/** The SDK's own client and transport, as its documentation uses them. */
import { Client as SdkClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type Client, ECHO, inLanes, type Server } from "./client.ts"

const transportTo = (server: Server): Transport =>
  "url" in server
    ? new StreamableHTTPClientTransport(new URL(server.url))
    : new StdioClientTransport({ command: server.command, args: [...server.args] })

const connect = async (server: Server, limit: number | undefined) => {
  const sdk = new SdkClient({ name: "bench", version: "0.1.0" })
  await sdk.connect(transportTo(server), limit === undefined ? {} : { timeout: limit })
  const { tools } = await sdk.listTools()
  return { sdk, tools: tools.length }
}

export const client: Client = {
  open: async (servers, limit) => {
    const connections = await Promise.all(servers.map((server) => connect(server, limit)))
    return {
      tools: connections.reduce((sum, { tools }) => sum + tools, 0),
      call: inLanes(async () => connections[0]?.sdk.callTool({ name: "echo", arguments: ECHO })),
      close: () => Promise.all(connections.map(({ sdk }) => sdk.close()))
    }
  }
}

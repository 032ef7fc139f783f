/** How OpenAI's Agents SDK turns MCP tools into function tools: the conversion alone, no server and no listing. */
import { type MCPServer, mcpToFunctionTool } from "@openai/agents-core"

export type McpTool = Parameters<typeof mcpToFunctionTool>[0]

const unused = () => Promise.reject(new Error("no tool is called here"))

/** Until a tool is called, only the name of its server is read. */
const server: MCPServer = {
  name: "bench",
  cacheToolsList: false,
  connect: unused,
  close: unused,
  listTools: unused,
  callTool: unused,
  invalidateToolsCache: unused
}

/** It warns on the console of each schema it can't make strict; the console's speed is not what is measured. */
export const convert = (tools: ReadonlyArray<McpTool>, toStrict: boolean): ReadonlyArray<object> => {
  const { warn } = console
  Object.assign(console, { warn: () => {} })
  try {
    return tools.map((tool) => mcpToFunctionTool(tool, server, toStrict))
  } finally {
    Object.assign(console, { warn })
  }
}

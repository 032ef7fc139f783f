/** Who is compared, the one that others are measured by first. */
export const clients = [
  ["bareSdk", "SDK Client"],
  ["mcpSource", "McpSource, its sessions"],
  ["toolkit", "ToolkitLive, toolkit.call"],
  ["langchain", "LangChain adapters"],
  ["aiSdk", "AI SDK"]
] as const

export const floor = ["handWritten", "by hand (the floor)"] as const

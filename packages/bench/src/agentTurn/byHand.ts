/** The two calls and nothing else. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { answer, NUMBERS, type Runtime, sum, TEXT } from "./runtime.ts"

export const runtime: Runtime = {
  open: async ({ args, command }) => {
    const client = new Client({ name: "bench", version: "0.1.0" })
    await client.connect(new StdioClientTransport({ command, args: [...args] }))
    await client.listTools()
    return {
      turn: async () => {
        const calling = client.callTool({ name: "echo", arguments: { text: TEXT } })
        const added = sum(NUMBERS)
        const { content } = await calling
        const [part]: ReadonlyArray<{ readonly text?: unknown }> = Array.isArray(content) ? content : []
        return answer(typeof part?.text === "string" ? part.text : "", added)
      },
      close: () => client.close()
    }
  }
}

/** The AI SDK with its own client of MCP. */
import { createMCPClient } from "@ai-sdk/mcp"
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio"
import { generateText, isStepCount, tool } from "ai"
import { z } from "zod"
import { makeModel } from "./aiSdkModel.ts"
import { PROMPT, type Runtime, sum } from "./runtime.ts"

export const runtime: Runtime = {
  open: async ({ args, command }) => {
    const client = await createMCPClient({ transport: new StdioMCPTransport({ command, args: [...args] }) })
    const tools = {
      ...await client.tools(),
      sum: tool({
        description: "Adds up",
        inputSchema: z.strictObject({ a: z.number(), b: z.number() }),
        execute: (input) => sum(input)
      })
    }
    const model = makeModel("echo")
    return {
      turn: async () => (await generateText({ model, prompt: PROMPT, tools, stopWhen: isStepCount(20) })).text,
      close: () => client.close()
    }
  }
}

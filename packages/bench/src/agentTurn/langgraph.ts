/** LangGraph's ready-made agent over the same tools. */
import { createReactAgent } from "@langchain/langgraph/prebuilt"
import { connect } from "./langchain.ts"
import { Model } from "./langchainModel.ts"
import { PROMPT, type Runtime } from "./runtime.ts"

export const runtime: Runtime = {
  open: async (server) => {
    const { client, tools } = await connect(server)
    const agent = createReactAgent({ llm: new Model("echo"), tools })
    return {
      turn: async () => {
        const { messages } = await agent.invoke({ messages: [{ role: "user", content: PROMPT }] })
        return messages.at(-1)?.text ?? ""
      },
      close: () => client.close()
    }
  }
}

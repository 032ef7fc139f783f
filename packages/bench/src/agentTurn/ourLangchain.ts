/** Our toolkit in LangChain, with the same loop by hand. */
import { createToolkit } from "@effect-toolnexus/client/PlainToolkit"
import { defineTool } from "@effect-toolnexus/core"
import { DynamicStructuredTool } from "@langchain/core/tools"
import * as Schema from "effect/Schema"
import { loop, Model } from "./langchainModel.ts"
import { type Runtime, sum } from "./runtime.ts"

const add = defineTool({
  name: "sum",
  description: "Adds up",
  input: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
  handler: sum
})

export const runtime: Runtime = {
  open: async (server) => {
    const toolkit = await createToolkit({ config: { mcpServers: { server } }, builtins: false, tools: [add] })
    const tools = (await toolkit.toLangChain()).map((fields) => new DynamicStructuredTool(fields))
    const model = new Model("server_echo")
    return { turn: () => loop(model, tools), close: toolkit.close }
  }
}

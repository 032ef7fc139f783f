/** Our toolkit in the AI SDK. */
import { createToolkit } from "@effect-toolnexus/client/PlainToolkit"
import { defineTool } from "@effect-toolnexus/core"
import { generateText, isStepCount } from "ai"
import * as Schema from "effect/Schema"
import { makeModel } from "./aiSdkModel.ts"
import { PROMPT, type Runtime, sum } from "./runtime.ts"

const add = defineTool({
  name: "sum",
  description: "Adds up",
  input: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
  handler: sum
})

export const runtime: Runtime = {
  open: async (server) => {
    const toolkit = await createToolkit({ config: { mcpServers: { server } }, builtins: false, tools: [add] })
    const model = makeModel("server_echo")
    return {
      turn: async () => {
        const tools = await toolkit.toAiSdk()
        return (await generateText({ model, prompt: PROMPT, tools, stopWhen: isStepCount(20) })).text
      },
      close: toolkit.close
    }
  }
}

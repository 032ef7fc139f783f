/** An agent on the AI SDK, with its own scripted model in place of a real one. */
import { generateText, isStepCount } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { Schema } from "effect"
import { createToolkit, defineTool } from "effect-toolnexus"
import { fileURLToPath } from "node:url"

type Turn = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>

const turn = (...content: Turn["content"]): Turn => ({
  content,
  finishReason: { unified: content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop", raw: undefined },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 }
  },
  warnings: []
})

const remember = defineTool({
  name: "remember",
  description: "Notes something down",
  input: Schema.Struct({ note: Schema.String }),
  handler: ({ note }) => `noted: ${note}`
})

const everything = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))

await using toolkit = await createToolkit({
  config: { mcpServers: { everything: { command: "node", args: [everything, "stdio"], timeout: 60_000 } } },
  builtins: false,
  tools: [remember]
})

const model = new MockLanguageModelV4({
  doGenerate: [
    turn(
      { type: "tool-call", toolCallId: "1", toolName: "everything_get-sum", input: `{"a":2,"b":3}` },
      { type: "tool-call", toolCallId: "2", toolName: "remember", input: `{"text":"wrong"}` }
    ),
    turn({ type: "tool-call", toolCallId: "3", toolName: "remember", input: `{"note":"2 + 3 = 5"}` }),
    turn({ type: "text", text: "It is 5, and I have written it down." })
  ]
})

const { steps, text } = await generateText({
  model,
  prompt: "What is 2 + 3? Write it down.",
  tools: await toolkit.toAiSdk(),
  stopWhen: isStepCount(10)
})

for (const part of steps.flatMap(({ content }) => content)) {
  if (part.type === "tool-result") console.log(`${part.toolName}: ${JSON.stringify(part.output)}`)
  if (part.type === "tool-error") console.log(`${part.toolName} failed, and the model was told: ${String(part.error)}`)
}
console.log(text)

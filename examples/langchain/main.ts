/** A LangGraph agent, with a scripted model in place of a real one, that stops for an approval and goes on with it. */
import { AIMessage, isToolMessage } from "@langchain/core/messages"
import { DynamicStructuredTool } from "@langchain/core/tools"
import { Command, interrupt, isInterrupted, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph"
import { ToolNode } from "@langchain/langgraph/prebuilt"
import { Schema } from "effect"
import { Answer, createToolkit, defineTool, Policy, type Request } from "effect-toolnexus"
import { fileURLToPath } from "node:url"

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
  tools: [remember],
  policy: [Policy.ask({ tool: "remember" })]
})

const fields = await toolkit.toLangChain({
  onSuspended: (request) => interrupt<Request.Request, Answer.Answer>(request)
})
const tools = fields.map((each) => new DynamicStructuredTool(each))

const script = [
  new AIMessage({ content: "", tool_calls: [{ id: "1", name: "everything_get-sum", args: { a: 2, b: 3 } }] }),
  new AIMessage({ content: "", tool_calls: [{ id: "2", name: "remember", args: { note: "2 + 3 = 5" } }] }),
  new AIMessage("It is 5, and I have written it down.")
]

const graph = new StateGraph(MessagesAnnotation)
  // a real one: `model.bindTools(tools).invoke(messages)`
  .addNode("model", ({ messages }) => ({
    messages: script[messages.filter((message) => AIMessage.isInstance(message)).length] ?? []
  }))
  .addNode("tools", new ToolNode(tools))
  .addEdge("__start__", "model")
  .addConditionalEdges("model", ({ messages }) => {
    const last = messages.at(-1)
    return AIMessage.isInstance(last) && (last.tool_calls ?? []).length > 0 ? "tools" : "__end__"
  }, ["tools", "__end__"])
  .addEdge("tools", "model")
  .compile({ checkpointer: new MemorySaver() })

const config = { configurable: { thread_id: "1" } }
const stopped: unknown = await graph.invoke({ messages: [{ role: "user", content: "What is 2 + 3?" }] }, config)
const request = isInterrupted<Request.Request>(stopped) ? stopped.__interrupt__[0]?.value : undefined
if (request === undefined) throw new Error("It was to be asked")
console.log(request.prompt)
const { messages } = await graph.invoke(new Command({ resume: Answer.make(request, true) }), config)
for (const message of messages) if (isToolMessage(message)) console.log(`${message.name}: ${message.text}`)
console.log(messages.at(-1)?.content)

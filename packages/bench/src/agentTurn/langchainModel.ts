/** A chat model of LangChain's that answers at once, and keeps nothing of what it was asked. */
import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models"
import { AIMessage, type BaseMessage, HumanMessage, isToolMessage } from "@langchain/core/messages"
import type { ChatResult } from "@langchain/core/outputs"
import type { DynamicStructuredTool } from "@langchain/core/tools"
import { convertToOpenAITool } from "@langchain/core/utils/function_calling"
import { answer, NUMBERS, PROMPT, TEXT } from "./runtime.ts"

export class Model extends BaseChatModel {
  readonly echo: string

  constructor(echo: string) {
    super({})
    this.echo = echo
  }

  _llmType(): string {
    return "bench"
  }

  /** As real ones do: the tools are declared with each request. */
  override bindTools(tools: Array<BindToolsInput>) {
    return this.withConfig({ metadata: { tools: tools.map((tool) => convertToOpenAITool(tool)) } })
  }

  _generate(messages: ReadonlyArray<BaseMessage>): Promise<ChatResult> {
    const results = messages.filter((message) => isToolMessage(message)).map(({ text }) => text)
    const message = results.length === 0
      ? new AIMessage({
        content: "",
        tool_calls: [
          { id: "1", name: this.echo, args: { text: TEXT } },
          { id: "2", name: "sum", args: { ...NUMBERS } }
        ]
      })
      : new AIMessage(answer(results[0] ?? "", results[1] ?? ""))
    return Promise.resolve({ generations: [{ text: message.text, message }] })
  }
}

/** A loop as LangChain's documents show it. */
export const loop = async (model: Model, tools: ReadonlyArray<DynamicStructuredTool>): Promise<string> => {
  const bound = model.bindTools([...tools])
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const messages: Array<BaseMessage> = [new HumanMessage(PROMPT)]
  for (let round = 0; round < 20; round++) {
    const reply = await bound.invoke(messages)
    messages.push(reply)
    const calls = reply.tool_calls ?? []
    if (calls.length === 0) return reply.text
    const results = await Promise.all(
      calls.map(async (call): Promise<BaseMessage> =>
        await byName.get(call.name)?.invoke({ ...call, type: "tool_call" })
      )
    )
    messages.push(...results)
  }
  throw new Error("too many rounds")
}

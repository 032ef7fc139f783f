/** A model of the AI SDK that answers at once, and keeps nothing of what it was asked. */
import type { LanguageModel } from "ai"
import { answer, NUMBERS, TEXT } from "./runtime.ts"

type Model = Extract<LanguageModel, { readonly specificationVersion: "v4" }>
type Generated = Awaited<ReturnType<Model["doGenerate"]>>

const turn = (content: Generated["content"], unified: "tool-calls" | "stop"): Generated => ({
  content,
  finishReason: { unified, raw: undefined },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 }
  },
  warnings: []
})

export const makeModel = (echo: string): Model => ({
  specificationVersion: "v4",
  provider: "bench",
  modelId: "bench",
  supportedUrls: {},
  doGenerate: ({ prompt }) => {
    const last = prompt.at(-1)
    if (last?.role !== "tool") {
      return Promise.resolve(turn([
        { type: "tool-call", toolCallId: "1", toolName: echo, input: JSON.stringify({ text: TEXT }) },
        { type: "tool-call", toolCallId: "2", toolName: "sum", input: JSON.stringify(NUMBERS) }
      ], "tool-calls"))
    }
    const [echoed = "", added = ""] = last.content.flatMap((part) =>
      part.type === "tool-result" ? textIn(part.output) : []
    )
    return Promise.resolve(turn([{ type: "text", text: answer(echoed, added) }], "stop"))
  },
  doStream: () => Promise.reject(new Error("nothing is streamed here"))
})

/** An MCP client may hand its result on as text, as parts, or as JSON. */
const textIn = (output: { readonly type: string; readonly value?: unknown }): ReadonlyArray<string> => {
  if (typeof output.value === "string") return [output.value]
  const part: unknown = Array.isArray(output.value) ? output.value[0] : undefined
  return typeof part === "object" && part !== null && "text" in part ? [String(part.text)] : []
}

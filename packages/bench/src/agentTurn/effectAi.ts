/** Our toolkit, `effect/ai`, and our loop. */
import * as ToolLoop from "@effect-toolnexus/client/ToolLoop"
import { defineTool } from "@effect-toolnexus/core"
import { ToolkitLive } from "@effect-toolnexus/toolkit/ToolkitLive"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { answer, NUMBERS, PROMPT, type Runtime, sum, TEXT } from "./runtime.ts"

const add = defineTool({
  name: "sum",
  description: "Adds up",
  input: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
  handler: sum
})

const finish = (reason: "tool-calls" | "stop"): Response.PartEncoded => ({
  type: "finish",
  reason,
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
})

const calls: Array<Response.PartEncoded> = [
  { type: "tool-call", id: "1", name: "server_echo", params: { text: TEXT }, providerExecuted: false },
  { type: "tool-call", id: "2", name: "sum", params: NUMBERS, providerExecuted: false },
  finish("tool-calls")
]

const Model = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt }) => {
      const last = prompt.content.at(-1)
      if (last?.role !== "tool") return Effect.succeed(calls)
      const results = last.content.flatMap((part) => part.type === "tool-result" ? [part.result] : [])
      return Effect.succeed([{ type: "text", text: answer(String(results[0]), String(results[1])) }, finish("stop")])
    },
    streamText: () => Stream.empty
  })
)

export const runtime: Runtime = {
  open: async (server) => {
    const Tools = ToolkitLive({ config: { mcpServers: { server } }, builtins: false, tools: [add] })
    const managed = ManagedRuntime.make(Layer.merge(Tools, Model))
    await managed.context()
    const turn = Effect.map(ToolLoop.run({ prompt: PROMPT }), ({ text }) => text)
    return { turn: () => managed.runPromise(turn), close: () => managed.dispose() }
  }
}

/**
 * An agent on `effect/ai`, with a scripted model in place of a real one: tools of an MCP server and a function of one's
 * own, a tool that the model makes up, and a call that a person has to approve.
 */
import { ScriptedModel } from "@effect-toolnexus/testing"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Answer, defineTool, Policy, ToolkitLive, ToolLoop } from "effect-toolnexus"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { fileURLToPath } from "node:url"

const everything = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))

const remember = defineTool({
  name: "remember",
  description: "Notes something down",
  input: Schema.Struct({ note: Schema.String }),
  handler: ({ note }) => `noted: ${note}`
})

const Tools = ToolkitLive({
  config: { mcpServers: { everything: { command: "node", args: [everything, "stdio"], timeout: 60_000 } } },
  builtins: false,
  tools: [remember],
  policy: [Policy.ask({ tool: "remember", reason: "it is kept for ever" })]
})

/** What the model has read of its tools, in the order in which it called them. */
const answersIn = ({ prompt }: LanguageModel.ProviderOptions): string =>
  prompt.content.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => part.type === "tool-result" ? [`${part.name}: ${String(part.result)}`] : [])
      : []
  ).join("\n  ")

const { call, text } = ScriptedModel

const Model = ScriptedModel.layer([
  [call("everything_get-sum", { a: 2, b: 3 }), call("everything_get-summ", { a: 2, b: 3 })],
  [call("remember", { note: "2 + 3 = 5" })],
  (request) => [text(`I have read:\n  ${answersIn(request)}`)]
])

const program = Effect.gen(function*() {
  const first = yield* ToolLoop.run({ prompt: "What is 2 + 3? Write it down.", maxRounds: 10 })
  yield* Console.log(`After ${first.rounds} rounds it is ${first.stopped}:`)
  const answers = yield* Effect.forEach(first.waiting, ({ request }) =>
    request === undefined
      ? Effect.die("It was asked before")
      : Effect.as(Console.log(`  ${request.prompt}`), { request, answer: Answer.make(request, true) }))
  // the conversation and the requests are plain data: this may be another process, days later
  const second = yield* ToolLoop.run({ prompt: first.prompt, answers })
  yield* Console.log(second.text)
})

NodeRuntime.runMain(Effect.provide(program, Layer.merge(Tools, Model)))

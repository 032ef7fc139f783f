import { ScriptedModel } from "@effect-toolnexus/testing"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect, Layer, Schema } from "effect"
import { defineTool, Toolkit, ToolkitLive, ToolLoop } from "effect-toolnexus"
import { Prompt } from "effect/ai"
import { fileURLToPath } from "node:url"

const fahrenheit = defineTool({
  name: "fahrenheit",
  description: "Converts degrees Celsius to degrees Fahrenheit",
  input: Schema.Struct({ celsius: Schema.Finite }),
  handler: ({ celsius }) => `${celsius * 9 / 5 + 32} °F`
})

const Tools = ToolkitLive({
  config: fileURLToPath(new URL("mcp.json", import.meta.url)),
  tools: [fahrenheit]
})

/** What a real model would decide: it loads the skill, adds up, converts, and answers. */
const Model = ScriptedModel.layer([
  [ScriptedModel.call("skill", { name: "weather-report" })],
  [ScriptedModel.call("everything_get-sum", { a: 18, b: 3 })],
  [ScriptedModel.call("fahrenheit", { celsius: 21 })],
  [ScriptedModel.text("It will be 69.8 °F.")]
])

const program = Effect.gen(function*() {
  const toolkit = yield* Toolkit
  yield* Console.log(`${(yield* toolkit.tools).length} tools`)
  const { prompt, text } = yield* ToolLoop.run({
    prompt: [
      { role: "system", content: yield* toolkit.skillsPrompt },
      { role: "user", content: "It is 18 °C and gets 3 degrees warmer. What should I report?" }
    ]
  })
  for (const { content, role } of prompt.content) {
    if (role === "tool") yield* Effect.forEach(content, (part) => Console.log(show(part)))
  }
  yield* Console.log(text)
})

const show = (part: Prompt.ToolMessagePart) =>
  part.type === "tool-result" ? `> ${part.name}: ${String(part.result).split("\n")[0]}` : part.type

NodeRuntime.runMain(Effect.provide(program, Layer.merge(Tools, Model)))

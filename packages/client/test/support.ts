import { defineTool, Suspension, type Tool, type Toolkit, ToolResult } from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { ScriptedModel } from "@effect-toolnexus/testing"
import { ToolkitLayer } from "@effect-toolnexus/toolkit"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createToolkit, EffectAi, type PlainToolkit } from "../src/index.ts"

export const weather = defineTool({
  name: "weather",
  description: "The weather in a city",
  input: Schema.Struct({ city: Schema.String }),
  handler: ({ city }) => `sunny in ${city}`
})

/** Asks a person once, and says what was answered. */
export const paint = defineTool({
  name: "paint",
  handler: (_, running) =>
    running.resumed === undefined
      ? Suspension.request(running, { kind: "question", prompt: "Which colour?" })
      : Effect.succeed(`painted it ${JSON.stringify(running.resumed.answer.data)}`)
})

/** Shows a picture, and what models don't look at or listen to. */
export const look = defineTool({
  name: "look",
  handler: () =>
    ToolResult.success("a picture", {
      content: [
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "image", data: "aGk=", mimeType: "image/tiff" },
        { type: "audio", data: "aGk=", mimeType: "audio/wav" }
      ]
    })
})

/** Does something, and then nothing for ever; and whether that was interrupted, for those who wait for it too. */
export const endless = (begin: Effect.Effect<unknown>) => {
  let isInterrupted = false
  const interrupted = Promise.withResolvers<void>()
  const tool = defineTool({
    name: "slow",
    handler: () =>
      Effect.onInterrupt(Effect.andThen(begin, Effect.never), () =>
        Effect.sync(() => {
          isInterrupted = true
          interrupted.resolve()
        }))
  })
  return { tool, wasInterrupted: () => isInterrupted, interrupted: interrupted.promise }
}

/** With a toolkit of nothing but these, until it is done. */
export const using = async (
  options: PlainToolkit.Options,
  use: (toolkit: PlainToolkit.PlainToolkit) => Promise<void>
): Promise<void> => {
  await using toolkit = await createToolkit({ builtins: false, ...options })
  await use(toolkit)
}

/** A toolkit of these tools and a model with that script. */
export const agent = (
  tools: ReadonlyArray<Tool.Tool>,
  script: ReadonlyArray<ScriptedModel.Turn>,
  settings?: ToolkitLayer.Settings
): Layer.Layer<Toolkit | LanguageModel.LanguageModel | ScriptedModel.Requests> =>
  Layer.orDie(Layer.merge(ToolkitLayer.make([ExtraSource.layer(tools)], settings), ScriptedModel.layer(script)))

export const requests = ScriptedModel.Requests.use(({ all }) => all)

export const requestAt = (index: number) =>
  Effect.flatMap(requests, (all) => {
    const request = all[index]
    return request === undefined ? Effect.die(`no request ${index}`) : Effect.succeed(request)
  })

/** What a request says of results, by the id of their call. */
export const resultsIn = ({ prompt }: LanguageModel.ProviderOptions) =>
  Object.fromEntries(
    prompt.content.flatMap((message) =>
      message.role === "tool"
        ? message.content.flatMap((part) => part.type === "tool-result" ? [[part.id, part.result]] : [])
        : []
    )
  )

/** The end of a request's conversation, in short. */
export const rolesIn = ({ prompt }: LanguageModel.ProviderOptions) => prompt.content.map(({ role }) => role)

export const ask = (prompt: Prompt.RawInput = "?") => LanguageModel.generateText({ prompt, toolkit: EffectAi.toolkit })

import { type Tool, type Toolkit } from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { ScriptedModel } from "@effect-toolnexus/testing"
import { ToolkitLayer } from "@effect-toolnexus/toolkit"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

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

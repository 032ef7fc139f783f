/** `toolnexus schema`: the tools as a provider takes them. */
import { Toolkit } from "@effect-toolnexus/core/Toolkit"
import * as Effect from "effect/Effect"
import type { SourceFlags } from "../SourceFlags.ts"
import { logProblems } from "./diagnostics.ts"
import { printJson } from "./output.ts"
import { useToolkit } from "./useToolkit.ts"

/** The providers, as they are called on the command line. */
export const providers = ["openai", "openai-responses", "anthropic", "gemini"] as const

/** One of them. */
export type Provider = typeof providers[number]

export const schema = (flags: SourceFlags, provider: Provider) =>
  useToolkit(
    flags,
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      yield* logProblems(yield* toolkit.snapshot)
      yield* printJson(yield* render[provider](toolkit))
    })
  )

const render = {
  openai: (toolkit) => toolkit.toOpenAI(),
  "openai-responses": (toolkit) => toolkit.toOpenAI({ mode: "responses" }),
  anthropic: (toolkit) => toolkit.toAnthropic(),
  gemini: (toolkit) => toolkit.toGemini()
} satisfies Record<Provider, (toolkit: Toolkit["Service"]) => Effect.Effect<ReadonlyArray<object>>>

/** `toolnexus schema`: the tools as a provider takes them. */
import { Toolkit, type ToolkitService } from "@effect-toolnexus/core/Toolkit"
import * as Effect from "effect/Effect"
import type { SourceFlags } from "../SourceFlags.ts"
import { logProblems } from "./diagnostics.ts"
import { isPrintable, printJson } from "./output.ts"
import { useToolkit } from "./useToolkit.ts"

/** The providers, as they are called on the command line. */
export const providers = ["openai", "openai-responses", "anthropic", "gemini"] as const

/** One of them. */
export type Provider = typeof providers[number]

export const schema = (flags: SourceFlags, provider: Provider) =>
  useToolkit(
    flags,
    true,
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const snapshot = yield* toolkit.snapshot
      yield* logProblems(snapshot)
      const exclude = snapshot.tools.filter(({ inputSchema }) => !isPrintable(inputSchema)).map(({ name }) => name)
      yield* Effect.forEach(exclude, (name) => Effect.logWarning(leftOut(name)), { discard: true })
      yield* printJson(yield* render[provider](exclude.length === 0 ? toolkit : toolkit.view({ exclude })))
    })
  )

const leftOut = (name: string): string =>
  `${name} is left out: its input schema is too large or too deep, and no provider would take it`

const render = {
  openai: (toolkit) => toolkit.toOpenAI(),
  "openai-responses": (toolkit) => toolkit.toOpenAI({ mode: "responses" }),
  anthropic: (toolkit) => toolkit.toAnthropic(),
  gemini: (toolkit) => toolkit.toGemini()
} satisfies Record<Provider, (toolkit: ToolkitService) => Effect.Effect<ReadonlyArray<object>>>

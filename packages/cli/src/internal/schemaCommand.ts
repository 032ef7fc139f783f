/** `toolnexus schema` and `check`: the tools as a provider takes them, and what they lose on the way. */
import type { ProviderSchema } from "@effect-toolnexus/core"
import { Toolkit, type ToolkitService } from "@effect-toolnexus/core/Toolkit"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SourceFlags } from "../SourceFlags.ts"
import { ToolsLeftOut } from "../ToolnexusError.ts"
import { logProblems } from "./diagnostics.ts"
import { printJson, printLine } from "./output.ts"
import { screen } from "./screen.ts"
import { useToolkit } from "./useToolkit.ts"
import { checkView } from "./views.ts"

/** The providers, as they are called on the command line. */
export const providers = [
  "openai",
  "openai-responses",
  "anthropic",
  "gemini",
  "bedrock"
] as const satisfies ReadonlyArray<
  ProviderSchema.Provider
>

/** Which of a provider's ways: `strict` is OpenAI's, `mode` Gemini's. */
export interface SchemaInput {
  readonly provider: ProviderSchema.Provider
  readonly strict: boolean
  readonly mode: Option.Option<"openapi">
}

export const schema = (flags: SourceFlags, { mode, provider, strict }: SchemaInput) =>
  useToolkit(
    flags,
    true,
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      yield* logProblems(yield* toolkit.snapshot)
      const { left_out } = yield* toolkit.check(provider, { strict, mode: Option.getOrUndefined(mode) })
      yield* Effect.forEach(left_out, ({ name, reason }) => Effect.logWarning(`${name} is left out: ${reason}`), {
        discard: true
      })
      yield* printJson(yield* render[provider](toolkit, strict, Option.isSome(mode)))
    })
  )

const render = {
  openai: (toolkit, strict) => toolkit.toOpenAI({ strict }),
  "openai-responses": (toolkit, strict) => toolkit.toOpenAI({ mode: "responses", strict }),
  anthropic: (toolkit) => toolkit.toAnthropic(),
  gemini: (toolkit, _, isOpenApi) => isOpenApi ? toolkit.toGemini({ mode: "openapi" }) : toolkit.toGemini(),
  bedrock: (toolkit) => toolkit.toBedrock()
} satisfies Record<
  ProviderSchema.Provider,
  (toolkit: ToolkitService, strict: boolean, isOpenApi: boolean) => Effect.Effect<ReadonlyArray<object>>
>

export const check = (flags: SourceFlags, isJson: boolean, { mode, provider, strict }: SchemaInput) =>
  useToolkit(
    flags,
    isJson,
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const snapshot = yield* toolkit.snapshot
      yield* logProblems(snapshot)
      const report = yield* toolkit.check(provider, { strict, mode: Option.getOrUndefined(mode) })
      yield* isJson ? printJson(report) : printLine(checkView(snapshot, report, yield* screen))
      const names = report.left_out.map(({ name }) => name)
      return yield* names.length > 0 ? Effect.fail(new ToolsLeftOut({ provider, names })) : Effect.void
    })
  )

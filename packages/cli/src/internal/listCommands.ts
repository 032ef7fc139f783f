/** `toolnexus tools`, `skills` and `prompt`: what there is. */
import type { Diagnostic } from "@effect-toolnexus/core"
import { Toolkit } from "@effect-toolnexus/core/Toolkit"
import type { ToolkitConfig } from "@effect-toolnexus/toolkit/ToolkitConfig"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SourceFlags } from "../SourceFlags.ts"
import { logConfigProblems, logProblems } from "./diagnostics.ts"
import { skillsDocument, toolsDocument } from "./documents.ts"
import { printJson, printLine } from "./output.ts"
import { plainText } from "./plainText.ts"
import { screen } from "./screen.ts"
import { useSkills, useToolkit } from "./useToolkit.ts"
import { skillsView, toolsView } from "./views.ts"

export const tools = (flags: SourceFlags, isJson: boolean) =>
  useToolkit(
    flags,
    isJson,
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const snapshot = yield* toolkit.snapshot
      yield* isJson ? printJson(toolsDocument(snapshot)) : printLine(toolsView(snapshot, yield* screen))
    })
  )

export const skills = (flags: SourceFlags, isJson: boolean) =>
  useSkills(
    flags,
    Effect.fnUntraced(function*(config) {
      const toolkit = yield* Toolkit
      const found = yield* findings
      const list = {
        skills: yield* toolkit.skills,
        skipped: found.skipped,
        diagnostics: [...diagnosticsOf(config), ...found.diagnostics]
      }
      yield* isJson ? printJson(skillsDocument(list)) : printLine(skillsView(list, yield* screen))
    })
  )

/** The document has no errors of entries, so a file that can't be read is a diagnostic. */
const diagnosticsOf = ({ diagnostics, error }: ToolkitConfig): ReadonlyArray<Diagnostic.Diagnostic> =>
  error === undefined ? diagnostics : [
    { level: "error", code: "unreadable-config", entry: error.entry, message: error.detail },
    ...diagnostics
  ]

/** What the skills source has to say beside the skills; the key is loaded late, with the source it belongs to. */
const findings = Effect.gen(function*() {
  const { SkillSource } = yield* Effect.promise(() => import("@effect-toolnexus/skills/SkillSource"))
  const source = yield* Effect.serviceOption(SkillSource)
  if (Option.isNone(source)) return { skipped: [], diagnostics: [] }
  return { skipped: yield* source.value.skipped, diagnostics: yield* source.value.diagnostics }
})

/** Text in any case: it is what goes into a system prompt. Nothing is printed where there is no prompt. */
export const prompt = (flags: SourceFlags) =>
  useSkills(
    flags,
    Effect.fnUntraced(function*(config) {
      const toolkit = yield* Toolkit
      const snapshot = yield* toolkit.snapshot
      yield* logConfigProblems(config)
      yield* logProblems(snapshot)
      if (snapshot.skillsPrompt !== "") yield* printLine(plainText(snapshot.skillsPrompt))
    })
  )

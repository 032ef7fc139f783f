/** `toolnexus tools`, `skills` and `prompt`: what there is. */
import { Toolkit } from "@effect-toolnexus/core/Toolkit"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SourceFlags } from "../SourceFlags.ts"
import { logProblems } from "./diagnostics.ts"
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
    Effect.fnUntraced(function*(ofFiles) {
      const toolkit = yield* Toolkit
      const found = yield* findings
      const list = {
        skills: yield* toolkit.skills,
        skipped: found.skipped,
        diagnostics: [...ofFiles, ...found.diagnostics]
      }
      yield* isJson ? printJson(skillsDocument(list)) : printLine(skillsView(list, yield* screen))
    })
  )

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
    Effect.fnUntraced(function*(ofFiles) {
      const toolkit = yield* Toolkit
      const { diagnostics, errors, skillsPrompt } = yield* toolkit.snapshot
      yield* logProblems({ errors, diagnostics: [...ofFiles, ...diagnostics] })
      if (skillsPrompt !== "") yield* printLine(plainText(skillsPrompt))
    })
  )

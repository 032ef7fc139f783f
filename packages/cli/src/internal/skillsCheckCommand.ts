/** `toolnexus skills check`: what authors should change in their skills. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { SkillsUnusable } from "../ToolnexusError.ts"
import { printJson, printLine } from "./output.ts"
import { screen } from "./screen.ts"
import { findingsView } from "./views.ts"

export const checkSkills = Effect.fnUntraced(function*(folder: string, isJson: boolean) {
  const path = yield* Path.Path
  // no other command needs it
  const SkillCheck = yield* Effect.promise(() => import("@effect-toolnexus/skills/SkillCheck"))
  const findings = yield* SkillCheck.check(path.resolve(folder))
  yield* isJson ? printJson(findings) : printLine(findingsView(findings, yield* screen))
  const locations = findings.filter(({ level }) => level === "error").map(({ location }) => location)
  return yield* locations.length > 0 ? new SkillsUnusable({ locations }) : Effect.void
})

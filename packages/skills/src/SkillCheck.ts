/**
 * Checks skills for their authors: what keeps one from being used, which rules of the open format it breaks, and what its
 * body promises and doesn't have; each with the file, the line and what to change.
 *
 * @since 0.1.0
 */
import { type Diagnostic, ToolName } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Order from "effect/Order"
import * as Path from "effect/Path"
import { checkBody } from "./internal/bodyCheck.ts"
import { AT_ONCE } from "./internal/folders.ts"
import { isRegularFile } from "./internal/textFile.ts"
import type { SkippedSkill } from "./Skill.ts"
import * as SkillCatalog from "./SkillCatalog.ts"
import * as SkillDiscovery from "./SkillDiscovery.ts"

/**
 * One thing to change. `location` is the SKILL.md, or the folder, that it is in; the message begins with the line where
 * there is one.
 *
 * **Details**
 *
 * - `error`: the skill can't be used: it is skipped (the code is the reason), or no model ever hears of it
 * - `warning`: a rule of the open format is broken, or the body is; another host may refuse it
 * - `info`: what is worth knowing
 *
 * @category models
 * @since 0.1.0
 */
export interface Finding {
  readonly location: string
  readonly level: Diagnostic.Diagnostic["level"]
  readonly code: string
  readonly message: string
}

/**
 * Checks all skills below a folder, or the one of a SKILL.md, given by its absolute path. Sorted by location; empty where
 * there is nothing to change.
 *
 * **Example**
 *
 * ```ts
 * const findings = yield* SkillCheck.check("/home/ann/skills")
 * // => [{ location: "/home/ann/skills/a/SKILL.md", level: "warning", code: "illegal-name", message: "line 2: ..." }]
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(function*(
  place: string
): Effect.fn.Return<ReadonlyArray<Finding>, never, FileSystem.FileSystem | Path.Path> {
  const path = yield* Path.Path
  const isFile = path.basename(place) === "SKILL.md"
    && (yield* Effect.orElseSucceed(isRegularFile(place), () => false))
  if (!isFile) return yield* checkFolder(place)
  // the rule about a skill's name is one about its folder
  return (yield* checkFolder(path.dirname(place))).filter(({ location }) => location === place)
})

const checkFolder = Effect.fnUntraced(function*(folder: string) {
  const discovery = yield* SkillDiscovery.discover([folder])
  const { diagnostics, skipped } = SkillCatalog.make({ discovery })
  const bodies = yield* Effect.forEach(discovery.found, checkBody, { concurrency: AT_ONCE })
  const findings = [
    ...skipped.map(fromSkipped),
    ...[...diagnostics, ...bodies.flat()].map((diagnostic) => fromDiagnostic(diagnostic, folder))
  ]
  return findings.length === 0 && discovery.found.length === 0 ? [noSkills(folder)] : findings.toSorted(byLocation)
})

const byLocation = Order.mapInput(ToolName.byCodePoints, ({ location }: Finding) => location)

const fromSkipped = ({ location, message, reason }: SkippedSkill): Finding => ({
  location,
  level: "error",
  code: reason,
  message
})

/** A skill that isn't in the prompt is loaded by nobody, though it could be. */
const fromDiagnostic = ({ code, level, message, path }: Diagnostic.Diagnostic, folder: string): Finding => ({
  location: path ?? folder,
  level: code === "missing-description" ? "error" : level,
  code,
  message
})

const noSkills = (folder: string): Finding => ({
  location: folder,
  level: "warning",
  code: "no-skills",
  message: "There is no SKILL.md here or in a folder below"
})

/** A SKILL.md that was found, and the outcome for one that is passed over. */
import type { SkippedSkill, SkipReason } from "../Skill.ts"

/** A SKILL.md on disk: `folder` is the name of its folder as it was found, `directory` that folder's real path. */
export interface SkillFile {
  readonly location: string
  readonly folder: string
  readonly directory: string
}

export const skip = (
  { location }: Pick<SkillFile, "location">,
  reason: SkipReason,
  message: string
): SkippedSkill => ({ location, reason, message })

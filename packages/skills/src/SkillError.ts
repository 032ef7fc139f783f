/**
 * How loading a skill, or one of its files, fails. The messages are written for the model that asked.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/** A model that sees this many names can pick one; more only cost its attention (CONTRACT 6). */
const NAMES_SHOWN = 50

/**
 * There is no skill of that name, or it is filtered out. `available` is sorted by code points.
 *
 * @category errors
 * @since 0.1.0
 */
export class SkillNotFound
  extends Schema.TaggedError<SkillNotFound>("@effect-toolnexus/skills/SkillError/SkillNotFound")(
    "SkillNotFound",
    { skill: Schema.String, available: Schema.Array(Schema.String) }
  )
{
  override get message(): string {
    const more = this.available.length - NAMES_SHOWN
    const names = this.available.length === 0 ? "none" : this.available.slice(0, NAMES_SHOWN).join(", ")
    return `Skill "${this.skill}" not found. Available: ${names}${more > 0 ? ` (${more} more)` : ""}`
  }
}

/**
 * The skill is known, but its SKILL.md can't be read any more.
 *
 * @category errors
 * @since 0.1.0
 */
export class SkillUnreadable
  extends Schema.TaggedError<SkillUnreadable>("@effect-toolnexus/skills/SkillError/SkillUnreadable")(
    "SkillUnreadable",
    { skill: Schema.String, detail: Schema.String }
  )
{
  override get message(): string {
    return `Skill "${this.skill}" can't be read: ${this.detail}`
  }
}

/**
 * The skill has no such file, the file lies outside its folder, or it is neither text nor an image of a bearable size.
 *
 * @category errors
 * @since 0.1.0
 */
export class SkillFileUnreadable
  extends Schema.TaggedError<SkillFileUnreadable>("@effect-toolnexus/skills/SkillError/SkillFileUnreadable")(
    "SkillFileUnreadable",
    { skill: Schema.String, file: Schema.String, detail: Schema.String }
  )
{
  override get message(): string {
    return `File "${this.file}" of skill "${this.skill}" can't be read: ${this.detail}`
  }
}

/**
 * Every way a load can fail.
 *
 * @category errors
 * @since 0.1.0
 */
export const SkillError = Schema.Union([SkillNotFound, SkillUnreadable, SkillFileUnreadable])

/**
 * @category errors
 * @since 0.1.0
 */
export type SkillError = Schema.Schema.Type<typeof SkillError>

/**
 * A skill is a named set of instructions that a model loads when it needs them: a folder with a SKILL.md, or a
 * definition in code. Only its head stays in memory; the body of a skill on disk is read when it is loaded.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const head = {
  name: Schema.String,
  description: Schema.optionalKey(Schema.String),
  location: Schema.String
}

/**
 * A skill found in a folder.
 *
 * **Details**
 *
 * - `location`: the absolute path of its SKILL.md, as it was found
 * - `directory`: its folder with all links resolved; what it lists and reads stays in there
 * - `allowedTools`: one element a tool, in whatever spelling the file lists them
 * - `metadata`: what can be read as text
 *
 * @category models
 * @since 0.1.0
 */
export const DiskSkill = Schema.TaggedStruct("DiskSkill", {
  ...head,
  directory: Schema.String,
  license: Schema.optionalKey(Schema.String),
  compatibility: Schema.optionalKey(Schema.String),
  allowedTools: Schema.optionalKey(Schema.Array(Schema.String)),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})

/**
 * @category models
 * @since 0.1.0
 */
export interface DiskSkill extends Schema.Schema.Type<typeof DiskSkill> {}

const ResourceContent = Schema.Union([Schema.String, Schema.Uint8Array])

/**
 * A file that a skill defined in code brings along: text, or the bytes of an image or text; without `content` it is only
 * listed.
 *
 * @category models
 * @since 0.1.0
 */
export const Resource = Schema.Struct({ name: Schema.String, content: Schema.optionalKey(ResourceContent) })

/**
 * @category models
 * @since 0.1.0
 */
export interface Resource extends Schema.Schema.Type<typeof Resource> {}

/**
 * A skill defined in code, or given by a provider. Its `location` is its `base`.
 *
 * @category models
 * @since 0.1.0
 */
export const DataSkill = Schema.TaggedStruct("DataSkill", {
  ...head,
  base: Schema.String,
  content: Schema.String,
  resources: Schema.Array(Resource)
})

/**
 * @category models
 * @since 0.1.0
 */
export interface DataSkill extends Schema.Schema.Type<typeof DataSkill> {}

/**
 * Either kind of skill.
 *
 * @category models
 * @since 0.1.0
 */
export const Skill = Schema.Union([DiskSkill, DataSkill])

/**
 * @category models
 * @since 0.1.0
 */
export type Skill = Schema.Schema.Type<typeof Skill>

/**
 * A skill defined in code.
 *
 * **Details**
 *
 * - `content`: the instructions, without front matter
 * - `resources`: names of files, which are listed; or a record of names and contents, texts or bytes, which can be read
 *   as well
 * - `base`: what relative paths in the content are relative to; default `skill://NAME/`
 *
 * **Example**
 *
 * ```ts
 * const greeting: SkillDefinition = {
 *   name: "greeting",
 *   description: "How we greet. Use before writing to a customer.",
 *   content: "Read tone.md first.",
 *   resources: { "tone.md": "Warm, short." }
 * }
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export const SkillDefinition = Schema.Struct({
  name: Schema.String,
  description: Schema.optional(Schema.String),
  content: Schema.String,
  resources: Schema.optional(
    Schema.Union([Schema.Array(Schema.String), Schema.Record(Schema.String, ResourceContent)])
  ),
  base: Schema.optional(Schema.String)
})

/**
 * @category models
 * @since 0.1.0
 */
export interface SkillDefinition extends Schema.Schema.Type<typeof SkillDefinition> {}

/**
 * What one of a skill's files holds: text, or an image that models take (PNG, JPEG, GIF or WebP).
 *
 * @category models
 * @since 0.1.0
 */
export type SkillContent =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Image"; readonly mimeType: string; readonly bytes: Uint8Array }

/**
 * Why a skill was passed over.
 *
 * **Details**
 *
 * - `missing-name`: no front matter, or no name in it
 * - `malformed-frontmatter`: no closing fence, not a mapping, or not readable even leniently
 * - `duplicate-name`: an earlier skill has the name
 * - `unreadable`: the file, or the root, can't be read
 *
 * @category models
 * @since 0.1.0
 */
export const SkipReason = Schema.Literals(["missing-name", "malformed-frontmatter", "duplicate-name", "unreadable"])

/**
 * @category models
 * @since 0.1.0
 */
export type SkipReason = Schema.Schema.Type<typeof SkipReason>

/**
 * A skill that was passed over: where it is, and why in a word and in a sentence.
 *
 * @category models
 * @since 0.1.0
 */
export const SkippedSkill = Schema.Struct({
  location: Schema.String,
  reason: SkipReason,
  message: Schema.String
})

/**
 * @category models
 * @since 0.1.0
 */
export interface SkippedSkill extends Schema.Schema.Type<typeof SkippedSkill> {}

/** The text in which a skill reaches the model (CONTRACT 6). Nothing a skill holds can close the block or open another. */
import { withoutBreaks } from "./skillName.ts"

/** What a block is made of. `files` is absent where none are shown. */
export interface Block {
  readonly name: string
  readonly body: string
  readonly base: string
  readonly files: ReadonlyArray<string>
}

export const renderBlock = ({ base, body, files, name }: Block): string =>
  [
    `<skill_content name="${escapeAttribute(name)}">`,
    `# Skill: ${escapeTags(name)}`,
    "",
    escapeTags(body.trim()),
    "",
    `Base directory for this skill: ${escapeTags(withoutBreaks(base))}`,
    "Relative paths in this skill (e.g., scripts/, reference/) are relative to this base directory.",
    ...(files.length === 0 ? [] : [
      "Note: file list is sampled.",
      "",
      "<skill_files>",
      ...files.map((file) => `<file>${escapeFile(file)}</file>`),
      "</skill_files>"
    ]),
    "</skill_content>"
  ].join("\n")

const escapeAttribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("\"", "&quot;")

/** Only the tags of the block itself: everything else in a body means what it says. */
const escapeTags = (text: string): string => text.replace(/<(?=\/?skill_(?:content|files))/g, "&lt;")

const escapeFile = (file: string): string => escapeTags(withoutBreaks(file)).replace(/<(?=\/?file>)/g, "&lt;")

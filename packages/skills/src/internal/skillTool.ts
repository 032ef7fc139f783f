/** The one tool of this source. */
import { defineTool, type Tool, ToolResult } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import type { SkillContent } from "../Skill.ts"
import type { SkillError } from "../SkillError.ts"

export interface Reader {
  readonly load: (name: string) => Effect.Effect<string, SkillError>
  readonly readFile: (name: string, file: string) => Effect.Effect<SkillContent, SkillError>
}

const Input = Schema.Struct({
  name: Schema.String.annotate({ description: "The name of the skill, as it is listed" }),
  file: Schema.optionalKey(
    Schema.String.annotate({
      description: "One of the skill's files, relative to its base directory: gives that text or image instead"
    })
  )
})

/** Reads from the catalog that made the prompt. What can't be loaded is an answer that says what can. */
export const skillTool = (entry: string, reader: Reader): Tool.Tool => {
  const tool = defineTool({
    name: "skill",
    description: "Loads a skill: instructions for one kind of task, and the list of the files that come with them. "
      + "Load the skill that fits a task before acting on it. With `file`, reads one of the skill's files.",
    source: "skill",
    annotations: {
      title: "Load a skill",
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false
    },
    input: Input,
    handler: ({ file, name }) =>
      Effect.match(answer(reader, name, file), {
        onSuccess: (result) => result,
        onFailure: (error) => ToolResult.failure(error.message)
      })
  })
  return { ...tool, origin: { ...tool.origin, entry } }
}

/** A model that has no file to ask for may well give an empty one. */
const answer = ({ load, readFile }: Reader, name: string, file = "") =>
  file.trim() === ""
    ? Effect.map(load(name), (output) => ToolResult.success(output))
    : Effect.map(readFile(name, file), toResult)

const toResult = (content: SkillContent): ToolResult.ToolResult =>
  content._tag === "Text" ? ToolResult.success(content.text) : ToolResult.success(
    `[image ${content.mimeType}, ${content.bytes.length} bytes]`,
    { content: [{ type: "image", mimeType: content.mimeType, data: Base64.encode(content.bytes) }] }
  )

/** The one tool of this source. */
import { defineTool, type Tool, ToolResult } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SkillError } from "../SkillError.ts"

export type Load = (name: string, file?: string) => Effect.Effect<string, SkillError>

const Input = Schema.Struct({
  name: Schema.String.annotate({ description: "The name of the skill, as it is listed" }),
  file: Schema.optionalKey(
    Schema.String.annotate({
      description: "One of the skill's files, relative to its base directory: gives that file's text instead"
    })
  )
})

/** Reads from the catalog that made the prompt. What can't be loaded is an answer that says what can. */
export const skillTool = (entry: string, load: Load): Tool.Tool => {
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
      Effect.match(load(name, file), {
        onSuccess: (output) => ToolResult.success(output),
        onFailure: (error) => ToolResult.failure(error.message)
      })
  })
  return { ...tool, origin: { ...tool.origin, entry } }
}

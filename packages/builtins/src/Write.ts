/**
 * The tool `write`: makes a file, or replaces all of one (CONTRACT 7).
 *
 * **Details**
 *
 * - Folders that are missing are made. The file is replaced at once: nobody sees half of it.
 * - Of a file that is there, mode, owner, encoding and byte order mark are kept, and line ends where all of them are CRLF
 *   and the new text has none of those. A link is written through.
 *
 * @since 0.1.0
 */
import { type Tool, ToolResult } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BuiltinLimits } from "./BuiltinOptions.ts"
import { defineBuiltin } from "./internal/defineBuiltin.ts"
import * as FileChanger from "./internal/fileChanger.ts"
import * as TextContent from "./internal/textContent.ts"
import { summarize } from "./internal/textDiff.ts"
import type { Workspace } from "./Workspace.ts"

/**
 * What `write` takes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Input = Schema.Struct({
  path: Schema.String.annotate({ description: "File; relative paths start at the workspace" }),
  content: Schema.String.annotate({ description: "All that is to stand in the file" })
})

/**
 * @category schemas
 * @since 0.1.0
 */
export interface Input extends Schema.Schema.Type<typeof Input> {}

/**
 * Makes the tool.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (options?: Pick<BuiltinLimits, "file">) => Effect.Effect<Tool.Tool, never, Workspace> = Effect
  .fnUntraced(function*(options?: Pick<BuiltinLimits, "file">) {
    const changer = yield* FileChanger.make(options)
    return defineBuiltin({
      name: "write",
      description:
        "Write a file: make it, with the folders it needs, or replace all that stands in it. To change a part "
        + "of a file use edit.",
      input: Input,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      handler: (input, { toolName }) =>
        FileChanger.change(changer, toolName, input.path, (path) => write(changer, path, input))
    })
  })

const write = Effect.fnUntraced(function*(changer: FileChanger.FileChanger, path: string, input: Input) {
  const { content, path: shown } = input
  const { bytes, info } = yield* changer.take(path, shown)
  const { before, encoding, keptEnds, text } = TextContent.inPlaceOf(bytes, content)
  const after = TextContent.encode({ encoding, text })
  yield* changer.put([{ path, shown, before: info, after }])
  const kept = [
    ...(encoding.label === "utf-8" ? [] : [encoding.label.toUpperCase()]),
    ...(keptEnds ? ["CRLF line ends"] : [])
  ]
  const isText = info === undefined || before !== undefined
  return ToolResult.success(
    `${info === undefined ? "Created" : "Replaced"} ${shown}: ${after.length} ${
      after.length === 1 ? "byte" : "bytes"
    } written${kept.length === 0 ? "" : `; ${kept.join(" and ")} kept as before`}`,
    {
      metadata: {
        path,
        bytes: after.length,
        created: info === undefined,
        ...(isText ? summarize(before?.text ?? "", text, shown) : {})
      }
    }
  )
})

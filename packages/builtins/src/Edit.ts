/**
 * The tool `edit`: replaces one text in a file by another (CONTRACT 7).
 *
 * **Details**
 *
 * - Literal: nothing in either text has a meaning of its own. The text has to occur once, or `replaceAll` be given.
 * - Where the exact text is absent, whole lines that differ from it only in their ends, in trailing blanks or in common
 *   indentation are taken, if there is one such place, and the result says so; new lines are then indented as that place is.
 * - Encoding (UTF-8, UTF-16 with a mark), byte order mark, line ends, mode and owner are kept; a link is written through.
 *   What isn't valid in its encoding is refused.
 * - The file is replaced at once: nobody sees half of it. Calls for one file wait for each other.
 *
 * @since 0.1.0
 */
import { type Tool, ToolResult } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BuiltinLimits } from "./BuiltinOptions.ts"
import { defineBuiltin } from "./internal/defineBuiltin.ts"
import * as FileChanger from "./internal/fileChanger.ts"
import { Refused } from "./internal/refused.ts"
import { replace } from "./internal/replaceText.ts"
import * as TextContent from "./internal/textContent.ts"
import { summarize } from "./internal/textDiff.ts"
import type { Workspace } from "./Workspace.ts"

/**
 * What `edit` takes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Input = Schema.Struct({
  path: Schema.String.annotate({ description: "File; relative paths start at the workspace" }),
  oldString: Schema.String.annotate({ description: "The text to replace, exactly as it stands in the file" }),
  newString: Schema.String.annotate({ description: "The text to put in its place" }),
  replaceAll: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Replace every occurrence; default false: the text must occur once" })
  )
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
      name: "edit",
      description:
        "Replace a text in a file by another. The text must be given as it stands in the file, with enough of "
        + "what stands around it to occur once. Read the file first.",
      input: Input,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      handler: (input, { toolName }) =>
        FileChanger.change(changer, toolName, input.path, (path) => edit(changer, path, input))
    })
  })

const edit = Effect.fnUntraced(function*(changer: FileChanger.FileChanger, path: string, input: Input) {
  const { newString, oldString, path: shown, replaceAll = false } = input
  const { bytes, info } = yield* FileChanger.takeWhole(changer, path, shown)
  if (oldString === "") {
    return yield* new Refused({
      detail: `oldString is empty: give the text to replace. To write all of ${shown}, use write`
    })
  }
  const refuse = (what: string) => new Refused({ detail: `${shown} ${what}` })
  const before = yield* Effect.mapError(Effect.fromResult(TextContent.decode(bytes)), refuse)
  const { count, difference, text } = yield* Effect.mapError(
    Effect.fromResult(replace(before.text, { oldString, newString, replaceAll })),
    refuse
  )
  const after = TextContent.encode({ ...before, text })
  if (text === before.text) {
    const why = oldString === newString ? "oldString and newString don't differ" : "line ends stay those of the file"
    return yield* refuse(`would be the same afterwards: ${why}`)
  }
  yield* changer.put([{ path, shown, before: info, after }])
  const { added, diff, removed } = summarize(before.text, text, shown)
  const notes = difference === undefined ? "" : `; the text there differed in ${difference} from what was looked for`
  return ToolResult.success(`Edited ${shown}: ${count} ${count === 1 ? "place" : "places"} replaced${notes}`, {
    metadata: { path, replaced: count, added, removed, diff, ...(difference === undefined ? {} : { difference }) }
  })
})

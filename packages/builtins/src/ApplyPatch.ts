/**
 * The tool `apply_patch`: adds, updates, moves and deletes files by one patch, all or nothing (CONTRACT 7).
 *
 * **Details**
 *
 * - The grammar is the one agents are trained on: `*** Begin Patch`, sections (`*** Add File:`, `*** Update File:` perhaps
 *   with `*** Move to:`, `*** Delete File:`), `*** End Patch`; in a here-document or a Markdown fence as well.
 * - A hunk is found by whole lines below the hunk before it and below its `@@` headers; the exact match is preferred to
 *   one that differs in trailing blanks, indentation, typographic quotes, dashes or blanks, and of equal ones the first.
 *   Context lines stay as the file has them. A hunk that only adds goes below its header, else to the end of the file.
 * - A file in several sections is found as the earlier ones left it. Add replaces an existing file.
 * - All is worked out before anything is written; if something can't be written, what was is put back.
 * - Encoding, byte order mark, line ends, mode and owner are kept. A link is written through, and deleted as a link.
 *
 * **Gotchas**
 *
 * A process that is killed in the middle leaves whole files, but perhaps only some of them changed.
 *
 * @since 0.1.0
 */
import { type Json, type Tool, ToolResult } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { BuiltinLimits } from "./BuiltinOptions.ts"
import { defineBuiltin } from "./internal/defineBuiltin.ts"
import * as FileChanger from "./internal/fileChanger.ts"
import { parse } from "./internal/patchParser.ts"
import * as PatchPlan from "./internal/patchPlan.ts"
import { asToolFailed, Refused } from "./internal/refused.ts"
import * as TextContent from "./internal/textContent.ts"
import { MAX_DIFF, summarize } from "./internal/textDiff.ts"
import type { Workspace } from "./Workspace.ts"

/**
 * What `apply_patch` takes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Input = Schema.Struct({
  patchText: Schema.String.annotate({
    description: "The patch, from the line \"*** Begin Patch\" to the line \"*** End Patch\""
  })
})

/**
 * @category schemas
 * @since 0.1.0
 */
export interface Input extends Schema.Schema.Type<typeof Input> {}

const DESCRIPTION = `Change several files at once by a patch; all of it is applied or nothing. Its form:
*** Begin Patch
*** Add File: path
+each line of the new file
*** Update File: path
*** Move to: new path (only to rename)
@@ a line that stands above the change (optional; several in a row narrow further)
 a line of context, as it stands in the file
-a line to remove
+a line to add
*** End of File (only if the hunk ends the file)
*** Delete File: path
*** End Patch`

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
      name: "apply_patch",
      description: DESCRIPTION,
      input: Input,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      handler: ({ patchText }, { toolName }) => asToolFailed(toolName)(applyPatch(changer, patchText))
    })
  })

const applyPatch = Effect.fnUntraced(function*(changer: FileChanger.FileChanger, patchText: string) {
  const sections = yield* Effect.mapError(Effect.fromResult(parse(patchText)), (detail) => new Refused({ detail }))
  const located = yield* Effect.forEach(PatchPlan.pathsOf(sections), (shown) => PatchPlan.locate(changer, shown))
  const targets = new Map(located.map((target) => [target.shown, target] as const))
  return yield* changer.workspace.withLocks(
    located.flatMap(({ entry, path }) => [path, entry]),
    Effect.gen(function*() {
      const plan = yield* PatchPlan.make(changer, sections, targets)
      yield* changer.put(plan.changes)
      return ToolResult.success(report(plan.steps), {
        metadata: { files: plan.steps.map(fileOf), ...diffOf(plan.changes) }
      })
    })
  )
})

/** Files that are named one by one; `metadata` has all. */
const MAX_NAMED = 200

const report = (steps: ReadonlyArray<PatchPlan.Step>): string => {
  const more = steps.length - MAX_NAMED
  return [
    "Applied the patch:",
    ...steps.slice(0, MAX_NAMED).map(sentence),
    ...(more > 0 ? [`and ${more} more`] : [])
  ].join("\n")
}

const sentence = ({ action, differences, movedTo, shown }: PatchPlan.Step): string => {
  const to = movedTo === undefined ? "" : ` to ${movedTo}`
  const note = differences.size === 0 ? "" : ` (lines there differed in ${[...differences].join(" and ")})`
  return `${action} ${shown}${to}${note}`
}

const fileOf = ({ action, movedTo, shown }: PatchPlan.Step): Json.JsonObject => ({
  path: shown,
  action,
  ...(movedTo === undefined ? {} : { movedTo })
})

/** Of text files; what has no text has no lines to show. */
const diffOf = (changes: ReadonlyArray<PatchPlan.PlannedChange>): Json.JsonObject => {
  let diff = ""
  for (const { after, before, old, shown } of changes) {
    const from = before === undefined ? "" : textOf(old)
    const to = after === undefined ? "" : textOf(after)
    if (from === undefined || to === undefined) continue
    if (diff.length >= MAX_DIFF) return { diff: `${diff}\n[diff cut]` }
    diff +=
      summarize(from, to, before === undefined ? "/dev/null" : shown, after === undefined ? "/dev/null" : shown).diff
  }
  return { diff }
}

const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Result.getOrUndefined(TextContent.decode(bytes))?.text

/** Where a search happens: a folder of the workspace, or one file; looked at before the search, and after it. */
import { ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type { Workspace } from "../Workspace.ts"
import { asToolFailed, Refused, refusedBy } from "./refused.ts"

export interface Place {
  /** As it was given. */
  readonly path: string
  /** By its real path. */
  readonly target: string
  /** The folder to look in, and in it the one file; `undefined`: all files. */
  readonly folder: string
  readonly file: string | undefined
}

type Located = Effect.Effect<Place, ToolError.ToolFailed>

export const locate = (workspace: Workspace["Service"], path: string, toolName: string): Located =>
  Effect.gen(function*() {
    const target = yield* workspace.resolve(path)
    if (isInGit(workspace, target)) return yield* new Refused({ detail: `${path}: .git is never searched` })
    const { type } = yield* Effect.mapError(workspace.fs.stat(target), refusedBy(path, "can't be searched"))
    if (type !== "Directory" && type !== "File") {
      return yield* new Refused({ detail: `${path} is neither a folder nor a file` })
    }
    return type === "Directory"
      ? { path, target, folder: target, file: undefined }
      : { path, target, folder: workspace.path.dirname(target), file: workspace.path.basename(target) }
  }).pipe(asToolFailed(toolName))

/** A folder may have become a link to another one since it was looked at, and then that was searched. */
export const confirm = (
  workspace: Workspace["Service"],
  { path, target }: Place,
  toolName: string
): Effect.Effect<void, ToolError.ToolFailed> =>
  Effect.flatMap(Effect.option(workspace.resolve(path)), (now) =>
    now._tag === "Some" && now.value === target
      ? Effect.void
      : Effect.fail(new ToolError.ToolFailed({ toolName, message: `${path} was replaced while it was searched` })))

const isInGit = ({ directory, path }: Workspace["Service"], target: string): boolean =>
  path.relative(directory, target).split(path.sep).includes(".git")

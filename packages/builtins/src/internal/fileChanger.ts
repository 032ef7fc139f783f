/** What the tools that change files share: the place, the session's guard, and the way from what was to what is. */
import type { ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type { BuiltinLimits } from "../BuiltinOptions.ts"
import { StaleGuard } from "../StaleGuard.ts"
import { Workspace, type WorkspaceError } from "../Workspace.ts"
import { commit, type FileChange } from "./commit.ts"
import * as FileSnapshot from "./fileSnapshot.ts"
import { DEFAULT_FILE } from "./limits.ts"
import { asToolFailed, Refused } from "./refused.ts"

export type FileChanger = Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function*({ file: limit = DEFAULT_FILE }: Pick<BuiltinLimits, "file"> = {}) {
  const workspace = yield* Workspace
  const guard = yield* StaleGuard

  /** What stands at a path, unless it isn't what this session has seen of it. To be called within the path's lock. */
  const take = Effect.fnUntraced(function*(path: string, shown: string) {
    const snapshot = yield* FileSnapshot.take(workspace, path, shown, limit)
    if (yield* guard.isStale(path, snapshot.info, snapshot.bytes)) {
      return yield* new Refused({
        detail: `${shown} has changed since it was last read or written here: read it again, then make the change`
      })
    }
    return snapshot
  })

  const put = (changes: ReadonlyArray<FileChange>) =>
    Effect.andThen(commit(workspace, changes), Effect.forEach(changes, note, { discard: true }))

  /** The file is in place whether or not it can be looked at again. */
  const note = ({ after, path }: FileChange) =>
    after === undefined
      ? Effect.void
      : Effect.ignore(Effect.flatMap(workspace.fs.stat(path), (info) => guard.noteWritten(path, info, after)))

  return { workspace, limit, take, put }
})

/** The same of a file that must be there and small enough. */
export const takeWhole = Effect.fnUntraced(function*(changer: FileChanger, path: string, shown: string) {
  const { bytes, info } = yield* changer.take(path, shown)
  if (info === undefined) return yield* new Refused({ detail: `${shown} doesn't exist` })
  if (bytes === undefined) {
    return yield* new Refused({
      detail: `${shown} has ${info.size} bytes; at most ${changer.limit} are read to be changed`
    })
  }
  return { path, info, bytes }
})

/** Changes the file that a model named, with nobody else at it meanwhile, by any name. */
export const change = <A>(
  { workspace }: FileChanger,
  toolName: string,
  named: string,
  use: (path: string) => Effect.Effect<A, Refused | WorkspaceError>
): Effect.Effect<A, ToolError.ToolFailed> =>
  Effect.flatMap(
    workspace.resolveForWriting(named),
    (path) => workspace.withLocks([path], use(path))
  ).pipe(asToolFailed(toolName))

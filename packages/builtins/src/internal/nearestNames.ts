/** What a missing path may have meant: names that exist, near the place where it leads into nothing. */
import { Suggestion } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type { Workspace } from "../Workspace.ts"

const MAX_NAMES = 3

/** A folder may hold any number of names, and to compare one takes some tenths of a millisecond. */
const MAX_COMPARED = 5000

/** Between two turns of others. */
const SLICE = 100

/**
 * Looks in the nearest existing folder for names like the first missing part; absolute paths, nearest first. Not in one
 * that may not be read: the root itself may be missing by now, and what lies beside it is nobody's business here.
 */
export const nearestNames = (
  workspace: Workspace["Service"],
  missing: string
): Effect.Effect<ReadonlyArray<string>> => {
  const { fs, path, resolve } = workspace
  const folder = path.dirname(missing)
  if (folder === missing) return Effect.succeed([])
  return Effect.matchEffect(Effect.flatMap(resolve(folder), fs.readDirectory), {
    onFailure: ({ _tag }) => _tag === "WorkspaceError" ? Effect.succeed([]) : nearestNames(workspace, folder),
    onSuccess: (names) =>
      Effect.map(closest(path.basename(missing), names), (found) => found.map((name) => path.join(folder, name)))
  })
}

const closest = Effect.fnUntraced(function*(missing: string, names: ReadonlyArray<string>) {
  let found: ReadonlyArray<string> = []
  for (let start = 0; start < Math.min(names.length, MAX_COMPARED); start += SLICE) {
    found = Suggestion.closest(missing, [...found, ...names.slice(start, start + SLICE)], MAX_NAMES)
    yield* Effect.yieldNow
  }
  return found
})

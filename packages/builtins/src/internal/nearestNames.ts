/** What a missing path may have meant: names that exist, near the place where it leads into nothing. */
import { Suggestion } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"

const MAX_NAMES = 3

/** Looks in the nearest existing folder for names like the first missing part; absolute paths, nearest first. */
export const nearestNames = (
  fs: FileSystem.FileSystem,
  path: Path.Path,
  missing: string
): Effect.Effect<ReadonlyArray<string>> => {
  const folder = path.dirname(missing)
  if (folder === missing) return Effect.succeed([])
  return Effect.matchEffect(fs.readDirectory(folder), {
    onFailure: () => nearestNames(fs, path, folder),
    onSuccess: (names) =>
      Effect.succeed(
        Suggestion.closest(path.basename(missing), names, MAX_NAMES).map((name) => path.join(folder, name))
      )
  })
}

/** What a missing path may have meant: names that exist, near the place where it leads into nothing. */
import { Suggestion } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"

const MAX_NAMES = 3

/** A folder may hold any number of names, and to compare one takes some tenths of a millisecond. */
const MAX_COMPARED = 5000

/** Between two turns of others. */
const SLICE = 100

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

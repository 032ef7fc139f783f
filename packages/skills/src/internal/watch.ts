/**
 * Searches now, and again after each change that matters, once it has been quiet for a moment; folders in which nothing
 * has happened aren't read again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Discovery } from "../SkillDiscovery.ts"
import type { SkillRoot } from "../SkillRoot.ts"
import { makeWatchers, type NotWatched, type Watchers } from "./folderWatchers.ts"
import { diagnostic } from "./openFormat.ts"
import * as Search from "./search.ts"

/** An editor writes a file in several steps, and a checkout many files; milliseconds. */
const QUIET = 200

/** What never rests is looked at all the same; milliseconds. */
const LONGEST_WAIT = 2000

/** So often it is searched again where some folders can't be watched; milliseconds. */
const UNWATCHED = 60_000

export const watchRoots = (
  roots: ReadonlyArray<string | SkillRoot>
): Stream.Stream<Discovery, never, FileSystem.FileSystem | Path.Path> =>
  Stream.unwrap(
    Effect.map(makeWatchers, (watchers) =>
      Stream.unfold<Searched | undefined, Discovery, never, FileSystem.FileSystem | Path.Path>(
        undefined,
        (before) =>
          Effect.map(next(watchers, roots, before), (searched) => [searched.discovery, searched])
      ))
  )

interface Searched extends Search.Searched {
  /** Whether each change will be heard of. */
  readonly isWatched: boolean
}

/** What the first search gives, or the next one that differs; a skill that was written to differs in its body. */
const next = Effect.fnUntraced(function*(
  watchers: Watchers,
  roots: ReadonlyArray<string | SkillRoot>,
  before: Searched | undefined
) {
  if (before === undefined) return yield* search(watchers, roots, Search.NOTHING)
  let last = before
  for (;;) {
    const { isUntouched, wasWritten } = yield* awaitChange(watchers, last.isWatched)
    const known = last.isWatched ? Search.stillKnown(last, isUntouched) : Search.NOTHING
    last = yield* search(watchers, roots, known)
    if (wasWritten || !Equal.equals(before.discovery, last.discovery)) return last
  }
})

/** Waits for a change and the quiet after it, and gives what has happened. */
const awaitChange = Effect.fnUntraced(function*({ changed, settle }: Watchers, isWatched: boolean) {
  yield* isWatched ? Queue.take(changed) : Effect.timeoutOption(Queue.take(changed), UNWATCHED)
  const end = (yield* Clock.currentTimeMillis) + LONGEST_WAIT
  let isQuiet = false
  while (!isQuiet) {
    const left = end - (yield* Clock.currentTimeMillis)
    isQuiet = yield* Effect.timeoutOrElse(Effect.as(Queue.take(changed), left <= 0), {
      duration: Math.max(0, Math.min(QUIET, left)),
      orElse: () => Effect.succeed(true)
    })
  }
  return yield* settle
})

const search = Effect.fnUntraced(function*(
  watchers: Watchers,
  roots: ReadonlyArray<string | SkillRoot>,
  known: Search.Known
) {
  yield* Effect.forEach(roots, (root) => watchers.watchAbove(Search.toRoot(root).path), { discard: true })
  const found = yield* Search.searchRoots(roots, watchers.observer, known)
  const notWatched = yield* watchers.keep(found.folders)
  if (notWatched === undefined) return { ...found, isWatched: true }
  const { discovery } = found
  return {
    ...found,
    discovery: { ...discovery, diagnostics: [...discovery.diagnostics, toDiagnostic(notWatched)] },
    isWatched: false
  }
})

const toDiagnostic = ({ count, detail, folder }: NotWatched) =>
  diagnostic(
    { entry: "<skills>", path: folder },
    "not-watched",
    `Changes here${andInMore(count - 1)} are noticed once a minute only: ${detail}`
  )

const andInMore = (count: number): string =>
  count === 0 ? "" : ` and in ${count} more ${count === 1 ? "folder" : "folders"}`

/**
 * Watches folders one by one, each without those below it: a recursive watch follows no links, and on Linux takes a watch
 * for every file. What is heard is sifted here, so that a skill's own scripts may write files without a search for each.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type Folders, type Observer, PASSED_OVER } from "./folders.ts"
import { explain } from "./textFile.ts"

/** Linux long allowed a user 8,192 in all programs together; each takes 9 KiB here. */
const MAX_WATCHED = 8000

/** A mechanism that never says that it is ready is believed to be. */
const READY_WITHIN = "1 second"

/** Folders of which no change is heard: how many, and why the first of them. */
export interface NotWatched {
  readonly count: number
  readonly folder: string
  readonly detail: string
}

export interface Watchers {
  /** Watches what a search looks at. */
  readonly observer: Observer
  /** Watches the nearest folder above a path that is there, for that path coming and going. */
  readonly watchAbove: (path: string) => Effect.Effect<void>
  /** Holds an element once something has changed that matters. */
  readonly changed: Queue.Dequeue<void>
  /** Before the next search: gives up watches of what may be another folder by now, and says what has happened. */
  readonly settle: Effect.Effect<Happened>
  /** After a search: gives up watches of what it didn't look at. */
  readonly keep: (folders: Folders) => Effect.Effect<NotWatched | undefined>
}

/** What has happened since the last search. */
export interface Happened {
  /** Whether a skill was written to. */
  readonly wasWritten: boolean
  /** Whether a folder is what it was, with what stands directly in it. */
  readonly isUntouched: (folder: string) => boolean
}

/** A system's queue of events holds thousands, and what doesn't fit in is lost; after so many nothing is taken for granted. */
const MAX_HEARD = 1000

/** What events are judged by. */
class State {
  /** What the last search saw. */
  known: Folders = new Map()
  /** What a search looks at, or has looked at. */
  readonly searched = new Set<string>()
  /** By folder, names that matter in it: those that lead to a root, and files that links lead to. */
  readonly above = new Map<string, Set<string>>()
  readonly linked = new Map<string, Set<string>>()
  readonly failures = new Map<string, string>()
  /** Paths that came or went: what was watched there may be something else now. */
  readonly replaced = new Set<string>()
  /** Folders in which something came or went, or a SKILL.md was written to. */
  readonly touched = new Set<string>()
  heard = 0
  wasWritten = false
}

export const makeWatchers = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const changed = yield* Queue.dropping<void>(1)
  const fibers = yield* FiberMap.make<string, void>()
  const state = new State()

  const hear = Effect.fnUntraced(function*(folder: string, event: FileSystem.WatchEvent) {
    const name = path.basename(event.path)
    state.heard++
    if (event._tag !== "Update" || name === "SKILL.md") state.touched.add(folder)
    const isSkill = isSkillFile(state, folder, name)
    const isOwn = event._tag !== "Update" && name === path.basename(folder)
    if (!isSkill && !isOwn && !(yield* isPlace(folder, name, event))) return
    if (isSkill) state.wasWritten = true
    if (isOwn) state.replaced.add(folder)
    if (event._tag !== "Update") state.replaced.add(path.join(folder, name))
    Queue.offerUnsafe(changed, undefined)
  })

  /** A root, or a folder below one, or a link to either, that came or went. */
  const isPlace = Effect.fnUntraced(function*(folder: string, name: string, { _tag }: FileSystem.WatchEvent) {
    if (_tag === "Update" || PASSED_OVER.has(name)) return false
    if (hasName(state.above, folder, name)) return true
    if (!state.searched.has(folder)) return false
    if (wasFolder(state, folder, name)) return true
    const target = yield* Effect.option(fs.stat(path.join(folder, name)))
    return target._tag === "Some" && target.value.type === "Directory"
  })

  const watch = (folder: string, ready: Deferred.Deferred<void>) =>
    fs.watch(folder, { onReady: () => Deferred.doneUnsafe(ready, Effect.void) }).pipe(
      Stream.runForEach((event) => hear(folder, event)),
      Effect.catch((error) =>
        // what has gone is told by the folder above
        Effect.sync(() => error.reason._tag === "NotFound" || state.failures.set(folder, explain(error)))
      ),
      // Node throws where the system has no watch left
      Effect.catchDefect((defect) => Effect.sync(() => state.failures.set(folder, Cause.pretty(Cause.die(defect))))),
      Effect.ensuring(Deferred.succeed(ready, undefined)),
      Effect.asVoid
    )

  const ensure = Effect.fnUntraced(function*(folder: string) {
    if (FiberMap.hasUnsafe(fibers, folder)) return
    if ((yield* FiberMap.size(fibers)) >= MAX_WATCHED) {
      state.failures.set(folder, `there are more than ${MAX_WATCHED} folders`)
      return
    }
    const ready = yield* Deferred.make<void>()
    yield* FiberMap.run(fibers, folder, watch(folder, ready), { onlyIfMissing: true })
    yield* Effect.timeoutOption(Deferred.await(ready), READY_WITHIN)
  })

  const drop = (isOver: (folder: string) => boolean) =>
    Effect.forEach(
      Array.from(fibers, ([folder]) => folder).filter(isOver),
      (folder) => FiberMap.remove(fibers, folder),
      {
        discard: true,
        concurrency: "unbounded"
      }
    )

  const watchAbove = Effect.fnUntraced(function*(below: string) {
    let name = path.basename(below)
    let folder = path.dirname(below)
    while (path.dirname(folder) !== folder && !(yield* Effect.orElseSucceed(fs.exists(folder), () => false))) {
      name = path.basename(folder)
      folder = path.dirname(folder)
    }
    addName(state.above, folder, name)
    yield* ensure(folder)
  })

  const watchers: Watchers = {
    changed,
    watchAbove,
    observer: {
      onFolder: (folder) => Effect.andThen(Effect.sync(() => state.searched.add(folder)), ensure(folder)),
      onLink: Effect.fnUntraced(function*(link: string) {
        const target = yield* Effect.option(fs.realPath(link))
        if (target._tag === "None") return
        addName(state.linked, path.dirname(target.value), path.basename(target.value))
        yield* ensure(path.dirname(target.value))
      })
    },
    settle: Effect.gen(function*() {
      const { above, failures, heard, linked, replaced, touched, wasWritten } = state
      const gone = [...replaced]
      const before = new Set(touched)
      for (const collection of [above, failures, linked, replaced, touched]) collection.clear()
      state.wasWritten = false
      state.heard = 0
      yield* drop((folder) => gone.some((one) => folder === one || folder.startsWith(one + path.sep)))
      return {
        wasWritten,
        // of a folder that is no longer watched nothing is heard
        isUntouched: (folder) => heard <= MAX_HEARD && !before.has(folder) && FiberMap.hasUnsafe(fibers, folder)
      }
    }),
    keep: Effect.fnUntraced(function*(folders: Folders) {
      state.known = folders
      state.searched.clear()
      for (const folder of folders.keys()) state.searched.add(folder)
      yield* drop((folder) => !folders.has(folder) && !state.above.has(folder) && !state.linked.has(folder))
      const [first] = state.failures
      return first === undefined ? undefined : { count: state.failures.size, folder: first[0], detail: first[1] }
    })
  }
  return watchers
})

const addName = (names: Map<string, Set<string>>, folder: string, name: string): void => {
  const there = names.get(folder)
  if (there === undefined) names.set(folder, new Set([name]))
  else there.add(name)
}

const hasName = (names: ReadonlyMap<string, ReadonlySet<string>>, folder: string, name: string): boolean =>
  names.get(folder)?.has(name) ?? false

const isSkillFile = ({ linked, searched }: State, folder: string, name: string): boolean =>
  (name === "SKILL.md" && searched.has(folder)) || hasName(linked, folder, name)

/** Whether a name was a folder, or a link to one, when it was last looked at; anything may have been before that. */
const wasFolder = ({ known }: State, folder: string, name: string): boolean => {
  const listing = known.get(folder)
  return listing === undefined || Result.isFailure(listing) ||
    listing.success.below.some((subfolder) => subfolder.name === name)
}

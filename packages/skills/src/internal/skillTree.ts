/**
 * The search for SKILL.md below a root: folder by folder in code points, links followed, each real folder once, for the
 * first path that leads to it.
 */
import type { Diagnostic } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { SkippedSkill } from "../Skill.ts"
import type { SkillRoot } from "../SkillRoot.ts"
import { explore, type Folders, type Listing, MAX_DEPTH, MAX_ENTRIES, MAX_FOLDERS, type Observer } from "./folders.ts"
import { diagnostic } from "./openFormat.ts"
import { type SkillFile, skip } from "./skillFile.ts"
import { explain } from "./textFile.ts"

/** A folder as it is reached, and where it really is. */
interface Folder {
  readonly path: string
  readonly real: string
  readonly depth: number
}

/** What a root turned out to hold. */
export interface Tree {
  readonly files: ReadonlyArray<SkillFile>
  readonly skipped: ReadonlyArray<SkippedSkill>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** What all roots of one search share. */
export interface Search {
  readonly folders: Folders
  /** The real paths of folders that belong to an earlier path. */
  readonly visited: Set<string>
  readonly observer: Observer | undefined
  /** Listings of an earlier search that still hold. */
  readonly known: Folders
}

const NOTHING: Tree = { files: [], skipped: [], diagnostics: [] }

/** Searches a root; fails, in words, only if the root itself can't be read. */
export const searchRoot = Effect.fnUntraced(function*({ optional = false, path: root }: SkillRoot, search: Search) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found = yield* Effect.result(fs.realPath(root))
  if (Result.isFailure(found)) {
    return optional && found.failure.reason._tag === "NotFound" ? NOTHING : yield* Effect.fail(explain(found.failure))
  }
  const real = found.success
  const { type } = yield* Effect.mapError(fs.stat(real), explain)
  if (type !== "Directory") return yield* Effect.fail("it is not a folder")
  yield* explore(real, search.folders, search.known, search.observer)
  const listing = search.folders.get(real)
  return listing !== undefined && Result.isFailure(listing)
    ? yield* Effect.fail(listing.failure)
    : walk({ path: root, real, depth: 0 }, search, path)
})

const walk = (root: Folder, { folders, visited }: Search, path: Path.Path): Tree => {
  const files: Array<SkillFile> = []
  const skipped: Array<SkippedSkill> = []
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  const enter = (folder: Folder, { isCut, misnamed, skill }: Listing) => {
    if (skill !== undefined) {
      const location = path.join(folder.path, "SKILL.md")
      if (Result.isFailure(skill)) skipped.push(skip({ location }, "unreadable", skill.failure))
      else files.push({ location, folder: path.basename(folder.path), directory: folder.real })
    }
    if (misnamed !== undefined) diagnostics.push(wrongCase(path.join(folder.path, misnamed)))
    if (isCut) diagnostics.push(crowded(folder.path))
  }
  const pending = [root]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (visited.has(folder.real)) continue
    const listing = folders.get(folder.real)
    if (listing === undefined || folder.depth > MAX_DEPTH) {
      diagnostics.push(cut(folder.path))
      continue
    }
    visited.add(folder.real)
    if (Result.isFailure(listing)) {
      diagnostics.push(diagnostic(placeOf(folder.path), "unreadable-folder", `Passed over: ${listing.failure}`))
      continue
    }
    enter(folder, listing.success)
    // one by one: a call takes only so many arguments
    for (const { name, real } of listing.success.below.toReversed()) {
      pending.push({ path: path.join(folder.path, name), real, depth: folder.depth + 1 })
    }
  }
  return { files, skipped, diagnostics: diagnostics.slice(0, MAX_TOLD) }
}

/** A few of the folders that have the same trouble tell enough. */
const MAX_TOLD = 100

const placeOf = (path: string) => ({ entry: "<skills>", path })

const cut = (path: string) =>
  diagnostic(placeOf(path), "search-cut", `Not searched: more than ${MAX_FOLDERS} folders, or ${MAX_DEPTH} levels`)

const crowded = (path: string) =>
  diagnostic(
    placeOf(path),
    "search-cut",
    `It holds more than ${MAX_ENTRIES} folders and links; the others are not searched`
  )

const wrongCase = (path: string) =>
  diagnostic(placeOf(path), "misnamed-file", "Not read: a skill's file is named SKILL.md, in these letters")

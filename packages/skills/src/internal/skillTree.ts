/**
 * The search for SKILL.md below a root: folder by folder in code points, links followed, each real folder once.
 */
import { Diagnostic, ToolName } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Order from "effect/Order"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { SkippedSkill } from "../Skill.ts"
import { diagnostic } from "./openFormat.ts"
import { type SkillFile, skip } from "./skillHead.ts"
import { explain, isRegularFile } from "./textFile.ts"

/** Ten thousand skills with nine folders each; more is a mistake, such as a root of `/`. */
const MAX_FOLDERS = 100_000

/** Of one folder: twice the ten thousand skills that a root has at most. More is a heap of data, not of skills. */
export const MAX_ENTRIES = 20_000

/** No path of a skill is that deep; a chain of links may be. */
const MAX_DEPTH = 64

/** Never entered below a root: what is in there belongs to other programs. */
export const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"])

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

/** Searches a root; fails, in words, only if the root itself can't be read. `visited` holds real paths, of all roots. */
export const searchRoot = Effect.fnUntraced(function*(root: string, visited: Set<string>) {
  const fs = yield* FileSystem.FileSystem
  const real = yield* Effect.mapError(fs.realPath(root), explain)
  const { type } = yield* Effect.mapError(fs.stat(real), explain)
  if (type !== "Directory") return yield* Effect.fail("it is not a folder")
  // the first listing decides whether the root is readable; the search begins with the same one
  yield* Effect.mapError(fs.readDirectoryEntries(real), explain)
  return yield* search({ path: root, real, depth: 0 }, visited)
})

const search = Effect.fnUntraced(function*(root: Folder, visited: Set<string>) {
  const files: Array<SkillFile> = []
  const skipped: Array<SkippedSkill> = []
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  const limit = visited.size + MAX_FOLDERS
  const pending = [root]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (visited.has(folder.real)) continue
    if (folder.depth > MAX_DEPTH || visited.size >= limit) {
      diagnostics.push(cut(folder.path))
      continue
    }
    visited.add(folder.real)
    const entered = yield* Effect.result(enter(folder))
    if (Result.isFailure(entered)) {
      diagnostics.push(diagnostic(placeOf(folder.path), "unreadable-folder", `Passed over: ${entered.failure}`))
      continue
    }
    const { file, folders, isCut } = entered.success
    if (file !== undefined && Result.isSuccess(file)) files.push(file.success)
    if (file !== undefined && Result.isFailure(file)) skipped.push(file.failure)
    if (isCut) diagnostics.push(crowded(folder.path))
    // one by one: a call takes only so many arguments
    for (const below of folders.toReversed()) pending.push(below)
  }
  return { files, skipped, diagnostics: diagnostics.slice(0, MAX_CUTS) }
})

/** A few of the folders that were too many tell enough. */
const MAX_CUTS = 100

const cut = (path: string) =>
  diagnostic(placeOf(path), "search-cut", `Not searched: more than ${MAX_FOLDERS} folders, or ${MAX_DEPTH} levels`)

const crowded = (path: string) =>
  diagnostic(
    placeOf(path),
    "search-cut",
    `It holds more than ${MAX_ENTRIES} folders and links; the others are not searched`
  )

const placeOf = (path: string) => ({ entry: "<skills>", path })

const byName = Order.mapInput(ToolName.byCodePoints, ({ name }: FileSystem.DirectoryEntry) => name)

/** A folder's own SKILL.md, and the folders below it in their order. */
const enter = Effect.fnUntraced(function*(folder: Folder) {
  const fs = yield* FileSystem.FileSystem
  const entries = yield* Effect.mapError(fs.readDirectoryEntries(folder.path), explain)
  const own = entries.find(({ name }) => name === "SKILL.md")
  const file = own === undefined ? undefined : yield* skillFile(folder, own)
  const candidates = entries.filter(mayBeFolder).toSorted(byName)
  const folders: Array<Folder> = []
  for (const entry of candidates.slice(0, MAX_ENTRIES)) {
    const below = yield* subfolder(folder, entry)
    if (below !== undefined) folders.push(below)
  }
  return { file, folders, isCut: candidates.length > MAX_ENTRIES }
})

const mayBeFolder = ({ name, type }: FileSystem.DirectoryEntry): boolean =>
  type !== "File" && name !== "SKILL.md" && !PASSED_OVER.has(name)

const skillFile = Effect.fnUntraced(function*(folder: Folder, entry: FileSystem.DirectoryEntry) {
  const path = yield* Path.Path
  const location = path.join(folder.path, entry.name)
  const file = { location, folder: path.basename(folder.path), directory: folder.real }
  if (entry.type === "File") return Result.succeed(file)
  const regular = yield* Effect.result(isRegularFile(location))
  return Result.match(regular, {
    onFailure: (error) => Result.fail(skip(file, "unreadable", `SKILL.md can't be read: ${explain(error)}`)),
    onSuccess: (isFile) =>
      isFile ? Result.succeed(file) : Result.fail(skip(file, "unreadable", "SKILL.md is not a file"))
  })
})

/** A link that leads nowhere is no folder, and no trouble. */
const subfolder = Effect.fnUntraced(function*(folder: Folder, entry: FileSystem.DirectoryEntry) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const below = { path: path.join(folder.path, entry.name), depth: folder.depth + 1 }
  if (entry.type === "Directory") return { ...below, real: path.join(folder.real, entry.name) }
  if (entry.type !== "SymbolicLink" && entry.type !== "Unknown") return undefined
  const target = yield* Effect.option(fs.stat(below.path))
  if (target._tag === "None" || target.value.type !== "Directory") return undefined
  const real = yield* Effect.option(fs.realPath(below.path))
  return real._tag === "None" ? undefined : { ...below, real: real.value }
})

/**
 * The files that belong to a skill on disk: those in its real folder, less SKILL.md, hidden files, nested skills, and
 * what a link leads out to. What isn't listed for these reasons can't be read either.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { byName, MAX_ENTRIES, PASSED_OVER } from "./folders.ts"

/** A sample is wanted, not a search: a skill with more folders before its first files is odd. */
const MAX_FOLDERS = 1000

/** Lists are lines: a name with a line break would forge one. */
const UNLISTABLE = /[\p{Cc}\u2028\u2029]/u

/** This holds for two dots as well. */
const isHidden = (name: string): boolean => name.startsWith(".") || PASSED_OVER.has(name)

/** The real path of a file that belongs to the skill in this (real) folder, whatever links lead to it. */
export const ownFile = Effect.fnUntraced(function*(directory: string, candidate: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = yield* Effect.option(fs.realPath(candidate))
  if (Option.isNone(real)) return Option.none<string>()
  const relative = path.relative(directory, real.value)
  const segments = relative.split(path.sep)
  if (relative === "" || path.isAbsolute(relative) || segments.some(isHidden)) return Option.none<string>()
  // a skill inside this one has a name, and a filter, of its own
  for (let length = 1; length < segments.length; length++) {
    const nested = path.join(directory, ...segments.slice(0, length), "SKILL.md")
    if (yield* Effect.orElseSucceed(fs.exists(nested), () => false)) return Option.none<string>()
  }
  return real
})

interface Item {
  readonly path: string
  readonly real: string
  readonly isFolder: boolean
}

/** Up to `limit` files, by path segment by segment in code points. */
export const listFiles = Effect.fnUntraced(function*(directory: string, limit: number) {
  const files: Array<string> = []
  const visited = new Set<string>()
  const pending: Array<Item> = [{ path: directory, real: directory, isFolder: true }]
  for (let item = pending.pop(); item !== undefined && files.length < limit; item = pending.pop()) {
    if (!item.isFolder) {
      files.push(item.path)
    } else if (!visited.has(item.real) && visited.size < MAX_FOLDERS) {
      visited.add(item.real)
      // one by one: a call takes only so many arguments
      for (const below of (yield* itemsIn(item, directory)).toReversed()) pending.push(below)
    }
  }
  return files
})

const itemsIn = Effect.fnUntraced(function*(folder: Item, directory: string) {
  const fs = yield* FileSystem.FileSystem
  const entries = yield* Effect.orElseSucceed(fs.readDirectoryEntries(folder.path), () => [])
  const isNested = folder.real !== directory && entries.some(({ name }) => name === "SKILL.md")
  const items: Array<Item> = []
  const shown = isNested ? [] : entries.filter(isShown).toSorted(byName)
  for (const entry of shown.slice(0, MAX_ENTRIES)) {
    const item = yield* itemOf(folder, entry, directory)
    if (Option.isSome(item)) items.push(item.value)
  }
  return items
})

const isShown = ({ name }: FileSystem.DirectoryEntry): boolean =>
  !isHidden(name) && name !== "SKILL.md" && !UNLISTABLE.test(name)

const itemOf = Effect.fnUntraced(function*(folder: Item, entry: FileSystem.DirectoryEntry, directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found = { path: path.join(folder.path, entry.name), real: path.join(folder.real, entry.name) }
  if (entry.type === "File") return Option.some<Item>({ ...found, isFolder: false })
  if (entry.type === "Directory") return Option.some<Item>({ ...found, isFolder: true })
  const real = yield* ownFile(directory, found.path)
  if (Option.isNone(real)) return Option.none<Item>()
  const target = yield* Effect.option(fs.stat(real.value))
  if (Option.isNone(target) || (target.value.type !== "File" && target.value.type !== "Directory")) {
    return Option.none<Item>()
  }
  return Option.some<Item>({ path: found.path, real: real.value, isFolder: target.value.type === "Directory" })
})

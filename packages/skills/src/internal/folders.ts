/**
 * What folders hold that matters to the search: their SKILL.md, and the folders below them. Listed level by level, many
 * at once, and each real folder once; who comes first is decided afterwards, by walking what is listed here.
 */
import { ToolName } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { explain, isRegularFile } from "./textFile.ts"

/** Ten thousand skills with nine folders each; more is a mistake, such as a root of `/`. */
export const MAX_FOLDERS = 100_000

/** Of one folder: twice the ten thousand skills that a root has at most. More is a heap of data, not of skills. */
export const MAX_ENTRIES = 20_000

/** No path of a skill is that deep; a chain of links may be. */
export const MAX_DEPTH = 64

/** Enough to keep a disk busy, few enough to leave file handles to others. */
export const AT_ONCE = 32

/** Never entered below a root: what is in there belongs to other programs. */
export const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"])

/** A folder below another: its name there, and where it really is. */
export interface Subfolder {
  readonly name: string
  readonly real: string
}

/** `skill` is absent without a SKILL.md; its failure says why that can't be read. */
export interface Listing {
  readonly skill?: Result.Result<void, string>
  /** A file that was probably meant to be the SKILL.md, such as `skill.md`. */
  readonly misnamed?: string
  /** In the order of code points. */
  readonly below: ReadonlyArray<Subfolder>
  readonly isCut: boolean
  /** Something in it is a link: what that leads to may change without the folder. */
  readonly hasLinks: boolean
}

/** Listings, or why there is none, by real path. */
export type Folders = Map<string, Result.Result<Listing, string>>

/** Hears of what is looked at before it is, so that whoever watches it from then on misses nothing. */
export interface Observer {
  readonly onFolder: (real: string) => Effect.Effect<void>
  /** A SKILL.md that is a link. */
  readonly onLink: (path: string) => Effect.Effect<void>
}

/** Adds a folder and all below it, up to the bounds; what is listed already, or `known`, is not listed again. */
export const explore = Effect.fnUntraced(function*(
  real: string,
  folders: Folders,
  known: ReadonlyMap<string, Result.Result<Listing, string>>,
  observer?: Observer
) {
  const limit = folders.size + MAX_FOLDERS
  let level: ReadonlyArray<string> = [real]
  for (let depth = 0; level.length > 0 && depth <= MAX_DEPTH; depth++) {
    const fresh = [...new Set(level)].filter((folder) => !folders.has(folder)).slice(0, limit - folders.size)
    const listed = yield* Effect.forEach(fresh, (folder) => {
      const listing = known.get(folder)
      return listing === undefined ? Effect.result(list(folder, observer)) : Effect.succeed(listing)
    }, { concurrency: AT_ONCE })
    for (const [index, listing] of listed.entries()) folders.set(fresh[index] ?? "", listing)
    level = listed.flatMap((listing) =>
      Result.isSuccess(listing) ? listing.success.below.map((subfolder) => subfolder.real) : []
    )
  }
})

export const byName = Order.mapInput(ToolName.byCodePoints, ({ name }: FileSystem.DirectoryEntry) => name)

const list = Effect.fnUntraced(function*(folder: string, observer?: Observer) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (observer !== undefined) yield* observer.onFolder(folder)
  const entries = yield* Effect.mapError(fs.readDirectoryEntries(folder), explain)
  const own = entries.find(({ name }) => name === "SKILL.md")
  const misnamed = own === undefined ? entries.find(({ name }) => /^skill\.(?:md|markdown)$/i.test(name)) : undefined
  const skill = own === undefined ? undefined : yield* checkFile(folder, own, observer)
  const candidates = entries.filter(mayBeFolder).toSorted(byName)
  const below: Array<Subfolder> = []
  for (const entry of candidates.slice(0, MAX_ENTRIES)) {
    const subfolder = entry.type === "Directory"
      ? { name: entry.name, real: path.join(folder, entry.name) }
      : yield* followLink(folder, entry)
    if (subfolder !== undefined) below.push(subfolder)
  }
  return {
    ...(skill === undefined ? {} : { skill }),
    ...(misnamed === undefined ? {} : { misnamed: misnamed.name }),
    below,
    isCut: candidates.length > MAX_ENTRIES,
    hasLinks: (own !== undefined && own.type !== "File") || candidates.some(({ type }) => type !== "Directory")
  }
})

const mayBeFolder = ({ name, type }: FileSystem.DirectoryEntry): boolean =>
  type !== "File" && name !== "SKILL.md" && !PASSED_OVER.has(name)

const checkFile = Effect.fnUntraced(function*(folder: string, entry: FileSystem.DirectoryEntry, observer?: Observer) {
  if (entry.type === "File") return Result.succeed<void>(undefined)
  const path = yield* Path.Path
  const file = path.join(folder, entry.name)
  if (observer !== undefined) yield* observer.onLink(file)
  const regular = yield* Effect.result(isRegularFile(file))
  return Result.match(regular, {
    onFailure: (error) => Result.fail(`SKILL.md can't be read: ${explain(error)}`),
    onSuccess: (isFile) => isFile ? Result.succeed<void>(undefined) : Result.fail("SKILL.md is not a file")
  })
})

/** A link that leads nowhere is no folder, and no trouble. */
const followLink = Effect.fnUntraced(function*(folder: string, { name, type }: FileSystem.DirectoryEntry) {
  if (type !== "SymbolicLink" && type !== "Unknown") return undefined
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const link = path.join(folder, name)
  const target = yield* Effect.option(fs.stat(link))
  if (target._tag === "None" || target.value.type !== "Directory") return undefined
  const real = yield* Effect.option(fs.realPath(link))
  return Option.isNone(real) ? undefined : { name, real: real.value }
})

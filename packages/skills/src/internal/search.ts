/** One search of all roots: the skills in them, and which folders that looked into. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SkippedSkill } from "../Skill.ts"
import type { Discovery } from "../SkillDiscovery.ts"
import type { SkillRoot } from "../SkillRoot.ts"
import { AT_ONCE, type Folders, type Observer } from "./folders.ts"
import { readHeadText } from "./headText.ts"
import type { SkillFile } from "./skillFile.ts"
import { makeParse, type Outcome, readHead } from "./skillHead.ts"
import { type Search, searchRoot } from "./skillTree.ts"

/** What was read of folders and of their skills. */
export interface Known {
  readonly folders: Folders
  readonly heads: Heads
}

/** By {@link keyOf}. */
type Heads = Map<string, Outcome>

/** What came of a search. */
export interface Searched extends Known {
  readonly discovery: Discovery
}

export const NOTHING: Known = { folders: new Map(), heads: new Map() }

/** What is known of folders that are `isUntouched` since. What links lead to may have changed all the same. */
export const stillKnown = ({ folders, heads }: Known, isUntouched: (folder: string) => boolean): Known => ({
  folders: new Map(
    Array.from(folders).filter(([folder, listing]) =>
      Result.isSuccess(listing) && !listing.success.hasLinks && isUntouched(folder)
    )
  ),
  heads
})

/** What is `known` already is not read again. */
export const searchRoots = Effect.fnUntraced(function*(
  roots: ReadonlyArray<string | SkillRoot>,
  observer?: Observer,
  known = NOTHING
) {
  const search: Search = { folders: new Map(), visited: new Set(), observer, known: known.folders }
  const heads: Heads = new Map()
  const searched = yield* Effect.forEach(roots, (root) => discoverRoot(toRoot(root), search, known, heads))
  const discovery: Discovery = {
    found: searched.flatMap(({ found }) => found),
    skipped: searched.flatMap(({ skipped }) => skipped),
    diagnostics: searched.flatMap(({ diagnostics }) => diagnostics),
    unreadableRoots: searched.flatMap(({ unreadableRoots }) => unreadableRoots)
  }
  const result: Searched = { discovery, folders: search.folders, heads }
  return result
})

export const toRoot = (root: string | SkillRoot): SkillRoot => typeof root === "string" ? { path: root } : root

const discoverRoot = Effect.fnUntraced(function*(root: SkillRoot, search: Search, known: Known, into: Heads) {
  const searched = yield* Effect.result(searchRoot(root, search))
  if (Result.isFailure(searched)) {
    const skipped: SkippedSkill = {
      location: root.path,
      reason: "unreadable",
      message: `The skills folder "${root.path}" can't be read: ${searched.failure}`
    }
    return { found: [], skipped: [skipped], diagnostics: [], unreadableRoots: [skipped] }
  }
  const { diagnostics, files, skipped } = searched.success
  yield* readHeads(files, known, into)
  const heads = files.flatMap((file) => into.get(keyOf(file)) ?? [])
  const read = Arr.getSuccesses(heads)
  return {
    found: read.map(({ skill }) => skill),
    skipped: [...skipped, ...Arr.getFailures(heads)],
    diagnostics: [...diagnostics, ...read.flatMap((head) => head.diagnostics)],
    unreadableRoots: []
  }
})

const readHeads = Effect.fnUntraced(function*(files: ReadonlyArray<SkillFile>, { folders, heads }: Known, into: Heads) {
  const fresh: Array<SkillFile> = []
  for (const file of files) {
    const known = folders.has(file.directory) ? heads.get(keyOf(file)) : undefined
    if (known === undefined) fresh.push(file)
    else into.set(keyOf(file), known)
  }
  if (fresh.length > 0) yield* readFresh(fresh, into)
})

const readFresh = Effect.fnUntraced(function*(files: ReadonlyArray<SkillFile>, into: Heads) {
  const parse = yield* makeParse
  for (const batch of Arr.chunksOf(files, BATCH)) {
    const texts = yield* Effect.forEach(batch, ({ location }) => readHeadText(location), { concurrency: AT_ONCE })
    for (const [index, [file, text]] of Arr.zip(batch, texts).entries()) {
      if (index % AT_A_TIME === 0) yield* Effect.yieldNow
      into.set(keyOf(file), yield* readHead(file, text, parse))
    }
  }
})

/** Heads that are read before they are parsed: 32 MiB at most. */
const BATCH = 512

/** Heads that are parsed before others have their turn: less than a millisecond, if nothing is odd about them. */
const AT_A_TIME = 16

/** Where it is found, and where it really is. */
const keyOf = ({ directory, location }: SkillFile): string => `${location}\0${directory}`

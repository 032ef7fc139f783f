/** One search of all roots: the skills in them, and which folders that looked into. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SkippedSkill } from "../Skill.ts"
import type { Discovery } from "../SkillDiscovery.ts"
import type { SkillRoot } from "../SkillRoot.ts"
import { AT_ONCE, type Folders, type Observer } from "./folders.ts"
import type { SkillFile } from "./skillFile.ts"
import { type Search, searchRoot } from "./skillTree.ts"

/** What came of a search. */
export interface Searched {
  readonly discovery: Discovery
  readonly folders: Folders
}

export const searchRoots = Effect.fnUntraced(function*(
  roots: ReadonlyArray<string | SkillRoot>,
  observer?: Observer
) {
  const search: Search = { folders: new Map(), visited: new Set(), observer }
  const searched = yield* Effect.forEach(roots, (root) => discoverRoot(toRoot(root), search))
  const discovery: Discovery = {
    found: searched.flatMap(({ found }) => found),
    skipped: searched.flatMap(({ skipped }) => skipped),
    diagnostics: searched.flatMap(({ diagnostics }) => diagnostics),
    unreadableRoots: searched.flatMap(({ unreadableRoots }) => unreadableRoots)
  }
  return { discovery, folders: search.folders }
})

export const toRoot = (root: string | SkillRoot): SkillRoot => typeof root === "string" ? { path: root } : root

const discoverRoot = Effect.fnUntraced(function*(root: SkillRoot, search: Search) {
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
  const heads = yield* readHeads(files)
  const read = heads.filter(Result.isSuccess).map(({ success }) => success)
  return {
    found: read.map(({ skill }) => skill),
    skipped: [...skipped, ...heads.filter(Result.isFailure).map(({ failure }) => failure)],
    diagnostics: [...diagnostics, ...read.flatMap((head) => head.diagnostics)],
    unreadableRoots: []
  }
})

/** The YAML parser takes longer to load than a small toolkit to build, so it comes with the first file. */
const readHeads = Effect.fnUntraced(function*(files: ReadonlyArray<SkillFile>) {
  if (files.length === 0) return []
  const { readHead } = yield* Effect.promise(() => import("./skillHead.ts"))
  return yield* Effect.forEach(files, readHead, { concurrency: AT_ONCE })
})

/**
 * Finds the skills below some folders. Whatever it meets (a root that is missing, a file nobody can read, a head full
 * of mistakes) it never fails: what can't be used is skipped with a typed reason, what is merely wrong is a diagnostic.
 *
 * **Details**
 *
 * - A folder's own SKILL.md comes before those below it; folders are searched in order of code points.
 * - Links are followed. A real folder is searched once, however many ways lead to it, and belongs to the first of them.
 * - `.git` and `node_modules` are not entered.
 * - Only heads are read. Names may repeat here; the catalog decides who keeps one.
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import { AT_ONCE } from "./internal/folders.ts"
import type { SkillFile } from "./internal/skillFile.ts"
import { type Search, searchRoot } from "./internal/skillTree.ts"
import type { DiskSkill, SkippedSkill } from "./Skill.ts"

/**
 * What was found, in the order of the search. `unreadableRoots` are among `skipped` as well.
 *
 * @category models
 * @since 0.1.0
 */
export interface Discovery {
  readonly found: ReadonlyArray<DiskSkill>
  readonly skipped: ReadonlyArray<SkippedSkill>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
  readonly unreadableRoots: ReadonlyArray<SkippedSkill>
}

/**
 * Nothing at all.
 *
 * @category constructors
 * @since 0.1.0
 */
export const empty: Discovery = { found: [], skipped: [], diagnostics: [], unreadableRoots: [] }

/**
 * Searches the roots, which are absolute paths, one after the other.
 *
 * **Example**
 *
 * ```ts
 * const { found, skipped } = yield* SkillDiscovery.discover(["/home/me/.agents/skills"])
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const discover = Effect.fnUntraced(
  function*(
    roots: ReadonlyArray<string>
  ): Effect.fn.Return<Discovery, never, FileSystem.FileSystem | Path.Path> {
    const search: Search = { folders: new Map(), visited: new Set() }
    const searched = yield* Effect.forEach(roots, (root) => discoverRoot(root, search))
    return {
      found: searched.flatMap(({ found }) => found),
      skipped: searched.flatMap(({ skipped }) => skipped),
      diagnostics: searched.flatMap(({ diagnostics }) => diagnostics),
      unreadableRoots: searched.flatMap(({ unreadableRoots }) => unreadableRoots)
    }
  }
)

const discoverRoot = Effect.fnUntraced(function*(root: string, search: Search) {
  const searched = yield* Effect.result(searchRoot(root, search))
  if (Result.isFailure(searched)) {
    const skipped: SkippedSkill = {
      location: root,
      reason: "unreadable",
      message: `The skills folder "${root}" can't be read: ${searched.failure}`
    }
    return { ...empty, skipped: [skipped], unreadableRoots: [skipped] }
  }
  const { diagnostics, files, skipped } = searched.success
  const heads = yield* readHeads(files)
  const read = heads.filter(Result.isSuccess).map(({ success }) => success)
  return {
    ...empty,
    found: read.map(({ skill }) => skill),
    skipped: [...skipped, ...heads.filter(Result.isFailure).map(({ failure }) => failure)],
    diagnostics: [...diagnostics, ...read.flatMap((head) => head.diagnostics)]
  }
})

/** The YAML parser takes longer to load than a small toolkit to build, so it comes with the first file. */
const readHeads = Effect.fnUntraced(function*(files: ReadonlyArray<SkillFile>) {
  if (files.length === 0) return []
  const { readHead } = yield* Effect.promise(() => import("./internal/skillHead.ts"))
  return yield* Effect.forEach(files, readHead, { concurrency: AT_ONCE })
})

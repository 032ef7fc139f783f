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
import * as Stream from "effect/Stream"
import { searchRoots } from "./internal/search.ts"
import type { DiskSkill, SkippedSkill } from "./Skill.ts"
import type { SkillRoot } from "./SkillRoot.ts"

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
export const discover = (
  roots: ReadonlyArray<string | SkillRoot>
): Effect.Effect<Discovery, never, FileSystem.FileSystem | Path.Path> =>
  Effect.map(searchRoots(roots), ({ discovery }) => discovery)

/**
 * What there is to discover now, and again after each change below the roots, until nobody listens any more.
 *
 * **Details**
 *
 * - A change is a skill that came, went, or was written to; a folder or link that came or went; a root likewise, also
 *   one that was missing at first. What else happens to files is passed over.
 * - Changes that follow each other closely are one: it is searched again once 200 ms are quiet, or 2 s have passed.
 * - Folders that nothing has happened to since the last search aren't read again.
 * - Each folder is watched by `FileSystem.watch`, up to 8,000 of them. Where one can't be, there is a diagnostic,
 *   `not-watched`, and it is searched again each minute.
 * - Where the system tells of no changes, as in a network's folders, provide a `FileSystem.WatchBackend` that looks itself.
 *
 * @category operations
 * @since 0.1.0
 */
export const changes = (
  roots: ReadonlyArray<string | SkillRoot>
): Stream.Stream<Discovery, never, FileSystem.FileSystem | Path.Path> =>
  // few hosts watch, so the others needn't load what it takes
  Stream.unwrap(
    Effect.map(Effect.promise(() => import("./internal/watch.ts")), ({ watchRoots }) => watchRoots(roots))
  )

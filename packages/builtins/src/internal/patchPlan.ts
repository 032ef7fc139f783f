/**
 * What a patch comes to, file by file, before anything is written. A section finds files as the sections before it left
 * them.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { WorkspaceError } from "../Workspace.ts"
import type { FileChange } from "./commit.ts"
import { type FileChanger } from "./fileChanger.ts"
import { applyHunks } from "./patchHunks.ts"
import { type Hunk, Section } from "./patchParser.ts"
import { Refused, refusedBy } from "./refused.ts"
import * as TextContent from "./textContent.ts"

/** A file's path as the patch has it, and where that leads. */
export interface Target {
  readonly shown: string
  /** Links followed: what is read and written. */
  readonly path: string
  /** The last link not followed: what is removed. */
  readonly entry: string
}

export interface Step {
  readonly action: "added" | "replaced" | "updated" | "deleted" | "moved"
  readonly shown: string
  readonly movedTo?: string
  readonly differences: ReadonlySet<string>
}

export interface Plan {
  readonly steps: ReadonlyArray<Step>
  readonly changes: ReadonlyArray<PlannedChange>
}

export interface PlannedChange extends FileChange {
  /** What stood there; `undefined`: nothing, or what is too large to be shown. */
  readonly old: Uint8Array | undefined
}

/** The paths of all sections, in any order. */
export const pathsOf = (sections: ReadonlyArray<Section>): ReadonlySet<string> =>
  new Set(
    sections.flatMap((section) =>
      section._tag === "Update" && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path]
    )
  )

export const locate = Effect.fnUntraced(function*({ workspace }: FileChanger, shown: string) {
  const { directory, path, resolveForWriting } = workspace
  const absolute = path.resolve(directory, shown)
  const real = yield* resolveForWriting(shown)
  const parent = yield* resolveForWriting(path.dirname(absolute)).pipe(Effect.mapError(nameIn(shown)))
  return { shown, path: real, entry: path.join(parent, path.basename(absolute)) } satisfies Target
})

const nameIn = (shown: string) => (error: WorkspaceError) => new Refused({ detail: `${shown}: ${error.detail}` })

/** A file as it is after the sections so far. */
interface Draft {
  readonly shown: string
  readonly before: FileSystem.File.Info | undefined
  readonly old: Uint8Array | undefined
  /** What is there now; `undefined`: nothing. */
  now: FileContent | undefined
}

interface FileContent {
  /** `undefined`: too large to be read. */
  readonly bytes: Uint8Array | undefined
  readonly like: FileSystem.File.Info | undefined
}

/** To be called within the locks of all targets. */
export const make = Effect.fnUntraced(function*(
  changer: FileChanger,
  sections: ReadonlyArray<Section>,
  targets: ReadonlyMap<string, Target>
) {
  const drafts = new Map<string, Draft>()
  const most = changer.limit * LARGE_FILES
  /** Bytes that are held of all files. */
  let held = 0
  /** Links that a section has removed: from then on their name is a file's own. */
  const unlinked = new Set<string>()

  const draftOf = Effect.fnUntraced(function*(path: string, shown: string) {
    const known = drafts.get(path)
    if (known !== undefined) return known
    const { bytes, info } = yield* changer.take(path, shown)
    held += bytes?.length ?? 0
    if (held > most) {
      return yield* new Refused({
        detail: `${shown} is too much for one patch: its files have more than ${most} bytes together; apply it in parts`
      })
    }
    const now = info === undefined ? undefined : { bytes, like: info }
    const draft: Draft = { shown, before: info, old: bytes, now }
    drafts.set(path, draft)
    return draft
  })

  const find = (shown: string) =>
    Effect.suspend(() => {
      const { entry, path } = targets.get(shown) ?? { entry: shown, path: shown }
      const own = unlinked.has(entry) ? entry : path
      return Effect.map(draftOf(own, shown), (draft) => ({ draft, path: own, entry }))
    })

  /** The file itself, or the link by which the patch calls it: what it leads to stays. */
  const remove = Effect.fnUntraced(function*(shown: string) {
    const { draft, entry, path } = yield* find(shown)
    if (draft.now === undefined) return yield* new Refused({ detail: `${shown} can't be deleted: it was not found` })
    const named = path === entry ? draft : yield* draftOfLink(changer, drafts, entry, shown)
    named.now = undefined
    if (path !== entry) unlinked.add(entry)
    return undefined
  })

  /** Says whether it replaces a file. */
  const add = Effect.fnUntraced(function*(shown: string, content: string) {
    const { draft } = yield* find(shown)
    const existed = draft.now !== undefined
    draft.now = { bytes: TextContent.encode(TextContent.inPlaceOf(draft.now?.bytes, content)), like: undefined }
    return existed
  })

  const write = (shown: string, content: FileContent) =>
    Effect.map(find(shown), ({ draft }) => {
      draft.now = content
    })

  const update = Effect.fnUntraced(function*({ hunks, moveTo, path: shown }: Extract<Section, { _tag: "Update" }>) {
    const { draft, path } = yield* find(shown)
    if (draft.now === undefined) return yield* missing(shown)
    const { bytes, like } = draft.now
    if (bytes === undefined) {
      return yield* new Refused({
        detail: `${shown} is too large: at most ${changer.limit} bytes are read to be changed`
      })
    }
    const refuse = (what: string) => new Refused({ detail: `${shown} ${what}` })
    const { differences, patched } = yield* Effect.mapError(patch(bytes, hunks), refuse)
    const isMoved = moveTo !== undefined && !(yield* isSameFile(changer, draft, path, (yield* find(moveTo)).path))
    if (!isMoved) {
      yield* write(shown, { bytes: patched, like })
      return { action: "updated", shown, differences } satisfies Step
    }
    yield* remove(shown)
    yield* write(moveTo, { bytes: patched, like })
    return { action: "moved", shown, movedTo: moveTo, differences } satisfies Step
  })

  const take = (section: Section): Effect.Effect<Step, Refused> =>
    Section.$match(section, {
      Add: ({ content, path: shown }) =>
        Effect.map(add(shown, content), (existed): Step => ({
          action: existed ? "replaced" : "added",
          shown,
          differences: NONE
        })),
      Delete: ({ path: shown }) =>
        Effect.as(remove(shown), { action: "deleted", shown, differences: NONE } satisfies Step),
      Update: update
    })

  const steps = yield* Effect.forEach(sections, take)
  const changes = [...drafts].flatMap(([path, draft]) => changeOf(path, draft))
  if (changes.length === 0) return yield* new Refused({ detail: "The patch changes nothing: all files are so already" })
  return { steps, changes } satisfies Plan
})

/** So many files of the largest size; all of a patch is in memory until it is applied. */
const LARGE_FILES = 16

const NONE: ReadonlySet<string> = new Set()

const missing = (shown: string) => new Refused({ detail: `${shown} can't be updated: it was not found` })

const patch = Effect.fnUntraced(function*(bytes: Uint8Array, hunks: ReadonlyArray<Hunk>) {
  if (hunks.length === 0) return { patched: bytes, differences: NONE }
  const content = yield* Effect.fromResult(TextContent.decode(bytes))
  const { differences, text } = yield* applyHunks(content.text, hunks)
  return { patched: TextContent.encode({ ...content, text }), differences }
})

/** A link as such: nothing is read through it. */
const draftOfLink = Effect.fnUntraced(function*(
  { workspace: { fs } }: FileChanger,
  drafts: Map<string, Draft>,
  entry: string,
  shown: string
) {
  const info = yield* Effect.mapError(fs.lstat(entry), refusedBy(shown, "can't be deleted"))
  const draft: Draft = { shown, before: info, old: undefined, now: undefined }
  drafts.set(entry, draft)
  return draft
})

/** Also where upper and lower case are one to the file system. */
const isSameFile = Effect.fnUntraced(function*(
  { workspace: { fs } }: FileChanger,
  draft: Draft,
  path: string,
  other: string
) {
  if (path === other) return true
  const ino = draft.before === undefined ? Option.none() : draft.before.ino
  if (Option.isNone(ino) || path.toLowerCase() !== other.toLowerCase()) return false
  const found = Option.flatMap(yield* Effect.option(fs.stat(other)), (info) => info.ino)
  return Option.isSome(found) && found.value === ino.value
})

const changeOf = (path: string, { before, now, old, shown }: Draft): ReadonlyArray<PlannedChange> => {
  if (now === undefined) return before === undefined ? [] : [{ path, shown, before, after: undefined, old }]
  const { bytes, like } = now
  const isUnchanged = before !== undefined && (bytes === undefined || (old !== undefined && areEqual(bytes, old)))
  return bytes === undefined || isUnchanged ? [] : [{ path, shown, before, after: bytes, like, old }]
}

const areEqual = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, index) => byte === right[index])

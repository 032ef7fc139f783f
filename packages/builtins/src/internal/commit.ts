/**
 * Brings changes of files about, all or none. Each file is written whole beside the one it replaces and then takes its
 * place by renaming, so that whoever looks, and whenever the process is killed, sees the old or the new one. Of several
 * files the old ones are kept until all are in place, and put back if one can't be.
 */
import { RandomId } from "@effect-toolnexus/core"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as PlatformError from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import type { Workspace } from "../Workspace.ts"
import { Refused, refusedBy } from "./refused.ts"

export interface FileChange {
  /** The real path. */
  readonly path: string
  /** How the caller names it. */
  readonly shown: string
  /** What stands there; `undefined`: nothing. Its mode and owner are kept, unless `like` says others. */
  readonly before: FileSystem.File.Info | undefined
  /** What is to stand there; `undefined`: nothing. */
  readonly after: Uint8Array | undefined
  /** Whose mode and owner it gets: those of the file it was moved from. */
  readonly like?: FileSystem.File.Info | undefined
}

type Place = Pick<Workspace["Service"], "fs" | "path">

export const commit = (place: Place, changes: ReadonlyArray<FileChange>): Effect.Effect<void, Refused> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.scoped(Effect.gen(function*() {
      // a single file needs none: it takes its place or it doesn't
      const isBackedUp = changes.length > 1
      const staged = yield* restore(Effect.forEach(changes, (change) => stage(place, change, isBackedUp)))
      yield* apply(place.fs, staged)
    }))
  )

interface Staged {
  readonly change: FileChange
  /** The new file, not yet in place. */
  readonly replacement: Temporary | undefined
  /** The old file by another name. */
  readonly backup: Temporary | undefined
}

interface Temporary {
  readonly name: string
  /** Whether it stays: it is the only one that is left of a file. */
  isKept: boolean
}

const stage = Effect.fnUntraced(
  function*(place: Place, change: FileChange, isBackedUp: boolean) {
    const { after, before, path, shown } = change
    if (after !== undefined) yield* makeParents(place, path, shown)
    const isKept = before !== undefined && isBackedUp
    const replacement = after === undefined ? undefined : yield* writeBeside(place, change, after)
    const backup = isKept ? yield* backUp(place, path) : undefined
    return { change, replacement, backup } satisfies Staged
  },
  (effect, _place, { shown }) =>
    Effect.catchTag(effect, "PlatformError", (error) => Effect.fail(refusedBy(shown, "can't be written")(error)))
)

/** Names of ours tell whoever finds one after a crash where it came from. */
const temporaryName = ({ path }: Place, beside: string) =>
  Effect.map(RandomId.make, (id) => path.join(path.dirname(beside), `.toolnexus-${id}.tmp`))

/** Gone with the scope, unless it has taken its place by then. */
const temporary = (place: Place, beside: string) =>
  Effect.acquireRelease(
    Effect.map(temporaryName(place, beside), (name): Temporary => ({ name, isKept: false })),
    ({ isKept, name }) =>
      isKept
        ? Effect.void
        : Effect.ignore(place.fs.remove(name, { force: true }), { log: "Warn", message: `${name} is left over` })
  )

const writeBeside = Effect.fnUntraced(function*(place: Place, { before, like, path }: FileChange, bytes: Uint8Array) {
  const file = yield* temporary(place, path)
  const model = like ?? before
  // until it has its own mode nobody else may look into what may be secret
  yield* place.fs.writeFile(file.name, bytes, { flag: "wx", ...(model === undefined ? {} : { mode: 0o600 }) })
  if (model !== undefined) yield* takeAfter(place.fs, file.name, model)
  return file
})

/** The owner first: a change of owner takes bits of the mode away. Only the superuser can, and only he needs to. */
const takeAfter = Effect.fnUntraced(function*(fs: FileSystem.FileSystem, name: string, model: FileSystem.File.Info) {
  const { gid, uid } = yield* fs.stat(name)
  const isOwned = Option.getOrUndefined(uid) === Option.getOrUndefined(model.uid) &&
    Option.getOrUndefined(gid) === Option.getOrUndefined(model.gid)
  if (!isOwned && Option.isSome(model.uid) && Option.isSome(model.gid)) {
    yield* Effect.ignore(fs.chown(name, model.uid.value, model.gid.value))
  }
  yield* fs.chmod(name, model.mode & 0o7777)
})

/** A second name for the same file costs nothing; where there is no such thing, a copy. */
const backUp = Effect.fnUntraced(function*(place: Place, path: string) {
  const file = yield* temporary(place, path)
  yield* Effect.catch(place.fs.link(path, file.name), () => place.fs.copyFile(path, file.name))
  return file
})

/** The folders that are missing, each removed again with the scope if the change fails and nothing else came into it. */
const makeParents = (place: Place, path: string, shown: string): Effect.Effect<void, Refused, Scope.Scope> => {
  const parent = place.path.dirname(path)
  return Effect.flatMap(Effect.option(place.fs.stat(parent)), (info) => {
    if (Option.isSome(info)) {
      return info.value.type === "Directory"
        ? Effect.void
        : Effect.fail(new Refused({ detail: `${shown} can't be written (${parent} is no directory)` }))
    }
    if (parent === path) return Effect.void
    return Effect.andThen(makeParents(place, parent, shown), makeFolder(place, parent, shown))
  })
}

const makeFolder = (place: Place, folder: string, shown: string) =>
  Effect.acquireRelease(
    Effect.matchEffect(place.fs.makeDirectory(folder), {
      // somebody else may have made it in the meantime, and then it is theirs
      onFailure: (error) =>
        error.reason._tag === "AlreadyExists"
          ? Effect.succeed(false)
          : Effect.fail(refusedBy(shown, "can't be written")(error)),
      onSuccess: () => Effect.succeed(true)
    }),
    (isOurs, exit) => isOurs && Exit.isFailure(exit) ? Effect.ignore(removeEmpty(place, folder)) : Effect.void
  )

/** The platform removes a folder only with all that is in it: so it is put where nobody puts anything, and looked at there. */
const removeEmpty = Effect.fnUntraced(function*(place: Place, folder: string) {
  const { fs } = place
  const isEmpty = (path: string) => Effect.map(fs.readDirectory(path), (names) => names.length === 0)
  if (!(yield* isEmpty(folder))) return
  const aside = yield* temporaryName(place, folder)
  yield* fs.rename(folder, aside)
  yield* (yield* isEmpty(aside)) ? fs.remove(aside, { recursive: true }) : fs.rename(aside, folder)
})

const apply = Effect.fnUntraced(function*(fs: FileSystem.FileSystem, staged: ReadonlyArray<Staged>) {
  const done: Array<Staged> = []
  for (const each of staged) {
    yield* Effect.catchCause(put(fs, each), (cause) => giveUp(fs, each, cause, done))
    done.push(each)
  }
})

/** Whatever went wrong, also a fault of the file system's own: what was done before is undone. */
const giveUp = Effect.fnUntraced(function*(
  fs: FileSystem.FileSystem,
  { change }: Staged,
  cause: Cause.Cause<PlatformError.PlatformError>,
  done: ReadonlyArray<Staged>
) {
  const lost = yield* putBack(fs, done.toReversed())
  return yield* Effect.mapError(Effect.failCause(cause), (error) => {
    const { detail } = refusedBy(change.shown, "can't be written")(error)
    return new Refused({ detail: [detail, ...lost].join("; ") })
  })
})

const put = (fs: FileSystem.FileSystem, { change, replacement }: Staged) =>
  replacement === undefined ? fs.remove(change.path) : fs.rename(replacement.name, change.path)

/** What couldn't be put back, said with where the old file is. */
const putBack = (fs: FileSystem.FileSystem, done: ReadonlyArray<Staged>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.forEach(done, ({ backup, change }) =>
      Effect.match(restoreOne(fs, change.path, backup?.name), {
        onSuccess: () => [],
        onFailure: (error) => [complaint(change, backup, error)]
      })),
    (complaints) => complaints.flat()
  )

const restoreOne = (
  fs: FileSystem.FileSystem,
  path: string,
  backup: string | undefined
): Effect.Effect<void, PlatformError.PlatformError> =>
  backup === undefined
    ? fs.remove(path, { force: true })
    : Effect.catch(fs.rename(backup, path), () => fs.copyFile(backup, path))

const complaint = (
  { shown }: FileChange,
  backup: Temporary | undefined,
  error: PlatformError.PlatformError
): string => {
  if (backup !== undefined) backup.isKept = true
  const { detail } = refusedBy(shown, "could not be put back as it was")(error)
  return backup === undefined ? detail : `${detail}, the old file is ${backup.name}`
}

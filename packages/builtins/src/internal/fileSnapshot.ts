/** What stands at a path before it is changed. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { Workspace } from "../Workspace.ts"
import { Refused, refusedBy } from "./refused.ts"

export interface FileSnapshot {
  /** The real path. */
  readonly path: string
  /** `undefined`: there is no such file. */
  readonly info: FileSystem.File.Info | undefined
  /** `undefined`: there is no such file, or it is larger than what is read. */
  readonly bytes: Uint8Array | undefined
}

type Place = Pick<Workspace["Service"], "fs">

/** Takes a regular file that may be written, of at most `limit` bytes, or nothing. `shown` is how the caller names it. */
export const take = Effect.fnUntraced(function*({ fs }: Place, path: string, shown: string, limit: number) {
  const info = yield* Effect.catchIf(
    fs.stat(path),
    ({ reason }) => reason._tag === "NotFound",
    () => Effect.succeed(undefined)
  ).pipe(Effect.mapError(refusedBy(shown, "can't be changed")))
  if (info === undefined) return { path, info, bytes: undefined } satisfies FileSnapshot
  if (info.type !== "File") return yield* new Refused({ detail: `${shown} is no file but a ${kindOf(info.type)}` })
  // a file is replaced, and its own mode has no say in that; whoever made it read-only meant it
  yield* Effect.mapError(fs.access(path, { writable: true }), refusedBy(shown, "can't be changed"))
  const bytes = info.size > limit ? undefined : yield* readAtMost(fs, path, limit).pipe(
    Effect.mapError(refusedBy(shown, "can't be read"))
  )
  return { path, info, bytes } satisfies FileSnapshot
})

/** The file may grow while it is read: not more than the limit is. `undefined`: it is larger. */
export const readAtMost = (fs: FileSystem.FileSystem, path: string, limit: number) =>
  Effect.scoped(Effect.gen(function*() {
    const file = yield* fs.open(path, { flag: "r" })
    const { size } = yield* file.stat
    if (size > limit) return undefined
    const bytes = new Uint8Array(Number(size))
    let length = 0
    while (length < bytes.length) {
      const read = yield* file.read(bytes.subarray(length), { position: BigInt(length) })
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  }))

export const kindOf = (type: FileSystem.File.Type): string => kinds[type] ?? "special file"

const kinds: Readonly<Partial<Record<FileSystem.File.Type, string>>> = {
  BlockDevice: "device",
  CharacterDevice: "device",
  Directory: "directory",
  FIFO: "named pipe",
  Socket: "socket"
}

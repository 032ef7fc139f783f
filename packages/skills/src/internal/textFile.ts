/** Reading files of unknown size and kind: never more than a limit, never from a pipe or a device. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"

/** Most heads end within the first piece. */
const PIECE = 16 * 1024

/** An error of the file system in words that don't repeat the path. */
export const explain = ({ reason }: PlatformError): string => {
  switch (reason._tag) {
    case "NotFound":
      return "it does not exist"
    case "PermissionDenied":
      return "it may not be read"
    case "BadArgument":
      return "its path is not legal"
    default:
      // e.g. `ENOTDIR: not a directory, scandir '...'`, of which the path is already known
      return reason.cause instanceof Error ? reason.cause.message.replace(/, \w+ '.*$/s, "") : reason._tag
  }
}

/** Opening a pipe would wait for its writer, for ever and without a way to stop it. */
export const isRegularFile = Effect.fnUntraced(function*(path: string) {
  const fs = yield* FileSystem.FileSystem
  return (yield* fs.stat(path)).type === "File"
})

/**
 * Reads pieces until the file ends, the limit is passed, or `isEnough` says so. `isWhole` is whether the file ended.
 */
export const readStart = Effect.fnUntraced(function*(
  path: string,
  limit: number,
  isEnough: (bytes: Uint8Array) => boolean
) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "r" })
  let bytes: Uint8Array = new Uint8Array(0)
  while (bytes.length <= limit) {
    const piece = yield* file.readAlloc(PIECE)
    if (Option.isNone(piece)) return { bytes, isWhole: true }
    bytes = concat(bytes, piece.value)
    if (isEnough(bytes)) return { bytes, isWhole: false }
  }
  return { bytes, isWhole: false }
}, Effect.scoped)

const concat = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  if (first.length === 0) return second
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** Reads a whole file; nothing if it is larger than the limit. */
export const readWhole = (path: string, limit: number) =>
  Effect.map(
    readStart(path, limit, () => false),
    ({ bytes, isWhole }) => isWhole && bytes.length <= limit ? Option.some(bytes) : Option.none()
  )

/** UTF-8, a byte order mark left out; what is none becomes U+FFFD. */
export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

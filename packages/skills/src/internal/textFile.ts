/** Reading files of unknown size and kind: never more than a limit, never from a pipe or a device. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"

/** Most heads end within the first piece; each further one is as long as all before it. */
const FIRST_PIECE = 4 * 1024

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
 * Reads pieces until `find` makes something of what there is, or the limit is passed; `isWhole` is whether the file has
 * ended, and then, as at the limit, `find` is asked for the last time.
 */
export const readUntil = Effect.fnUntraced(function*<A>(
  path: string,
  limit: number,
  find: (bytes: Uint8Array, isWhole: boolean) => A | undefined
) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "r" })
  let bytes: Uint8Array = new Uint8Array(0)
  while (bytes.length <= limit) {
    const piece = yield* file.readAlloc(Math.max(FIRST_PIECE, bytes.length))
    if (Option.isNone(piece)) return find(bytes, true)
    bytes = concat(bytes, piece.value)
    const found = find(bytes, false)
    if (found !== undefined) return found
  }
  return undefined
}, Effect.scoped)

const concat = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  if (first.length === 0) return second
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** Reads a whole file; nothing if it is larger than the limit. */
const readWhole = (path: string, limit: number) =>
  Effect.map(
    readUntil(path, limit, (bytes, isWhole) => isWhole && bytes.length <= limit ? bytes : undefined),
    Option.fromUndefinedOr
  )

/** The same of what is no pipe and no device; nothing if it is one. */
export const readRegular = Effect.fnUntraced(function*(path: string, limit: number) {
  return (yield* isRegularFile(path)) ? yield* readWhole(path, limit) : Option.none<Uint8Array>()
})

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** UTF-8, a byte order mark left out; what is none becomes U+FFFD. */
export const decode = (bytes: Uint8Array): string => decoder.decode(bytes)

/** The same text in memory of its own: a part of a text keeps the whole of it, here the start of a body. */
export const detach = (text: string): string => decoder.decode(encoder.encode(text))

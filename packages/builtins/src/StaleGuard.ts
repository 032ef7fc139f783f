/**
 * Keeps a model from changing a file on the strength of what it has seen of it when that is no longer so: an editor, a
 * formatter, another agent may have changed it. What `read` shows and what the tools write is remembered for the session,
 * and a file that is found otherwise is not changed until it is read again.
 *
 * **Gotchas**
 *
 * A change is seen by size, time and inode; where the time can't tell, because the file was written a moment before it was
 * looked at, also by content, up to 1 MiB.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

/**
 * @category models
 * @since 0.1.0
 */
export interface Guard {
  /** A file was shown. `bytes` gives all of it, where that is asked for; `undefined`: it is too large by now. */
  readonly noteRead: <E>(
    path: string,
    info: FileSystem.File.Info,
    bytes: Effect.Effect<Uint8Array | undefined, E>
  ) => Effect.Effect<void>
  /** A file was written. */
  readonly noteWritten: (path: string, info: FileSystem.File.Info, bytes: Uint8Array) => Effect.Effect<void>
  /** Whether a file is no longer what was seen of it. What was never seen, or is gone, is not stale. */
  readonly isStale: (
    path: string,
    info: FileSystem.File.Info | undefined,
    bytes: Uint8Array | undefined
  ) => Effect.Effect<boolean>
}

const off: Guard = {
  noteRead: () => Effect.void,
  noteWritten: () => Effect.void,
  isStale: () => Effect.succeed(false)
}

/**
 * The guard of the session. Default: none, nothing is refused.
 *
 * @category references
 * @since 0.1.0
 */
export const StaleGuard: Context.Reference<Guard> = Context.Reference<Guard>(
  "@effect-toolnexus/builtins/StaleGuard",
  { defaultValue: () => off }
)

/**
 * A guard for one session.
 *
 * **Details**
 *
 * `undefined`: files that were read are guarded; `true`: also those that were only written; `false`: none.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (setting?: boolean): Guard => {
  if (setting === false) return off
  const seen = new Map<string, Seen>()
  const note = (path: string, next: Seen) => {
    // what was seen last is guarded longest
    seen.delete(path)
    seen.set(path, next)
    if (seen.size <= MAX_FILES) return
    for (const oldest of seen.keys()) {
      seen.delete(oldest)
      return
    }
  }
  return {
    noteRead: Effect.fnUntraced(function*(path, info, bytes) {
      const isFresh = isWrittenJustBefore(info, yield* Clock.currentTimeMillis) && info.size <= MAX_HASHED
      const content = isFresh ? Option.getOrUndefined(yield* Effect.option(bytes)) : undefined
      note(path, { stamp: stampOf(info), hash: content && (yield* hashOf(content)) })
    }),
    noteWritten: Effect.fnUntraced(function*(path, info, bytes) {
      if (setting === true || seen.has(path)) note(path, { stamp: stampOf(info), hash: yield* hashOf(bytes) })
    }),
    isStale: Effect.fnUntraced(function*(path, info, bytes) {
      const last = seen.get(path)
      if (last === undefined || info === undefined) return false
      if (last.stamp !== stampOf(info)) return true
      return last.hash !== undefined && bytes !== undefined && last.hash !== (yield* hashOf(bytes))
    })
  }
}

interface Seen {
  readonly stamp: string
  /** Where the stamp alone doesn't tell. */
  readonly hash: string | undefined
}

/** More files than a session looks at; a path and a stamp each. */
const MAX_FILES = 10_000

/** Larger files are told by their stamp alone: hashing one takes longer than showing a part of it. */
const MAX_HASHED = 1024 * 1024

/** In milliseconds; the coarsest clocks of file systems in use tick every two seconds. */
const COARSEST_TICK = 2000

const isWrittenJustBefore = ({ mtime }: FileSystem.File.Info, now: number): boolean =>
  Option.isNone(mtime) || now - mtime.value.getTime() < COARSEST_TICK

const stampOf = ({ ino, mtime, size }: FileSystem.File.Info): string =>
  [Option.getOrUndefined(ino), size, Option.getOrUndefined(mtime)?.getTime()].join(":")

const hashOf = Effect.fnUntraced(
  function*(bytes: Uint8Array) {
    const digest = yield* Digest.Digest
    return yield* digest.digestHex(Digest.sha256, bytes)
  },
  Effect.provide(Digest.layerWebCrypto),
  Effect.orDie
)

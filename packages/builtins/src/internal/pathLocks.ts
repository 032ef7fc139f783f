/** One lock for each path, there only while somebody holds it or waits for it. */
import { ToolName } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

export type PathLocks = <A, E, R>(
  paths: Iterable<string>,
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R>

interface Lock {
  readonly semaphore: Semaphore.Semaphore
  /** Who holds it or waits for it. */
  users: number
}

export const makeLocks = (): PathLocks => {
  const locks = new Map<string, Lock>()

  const withLock = <A, E, R>(path: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => join(locks, path)),
      ({ semaphore }) => semaphore.withPermits(1)(effect),
      (lock) => Effect.sync(() => leave(locks, path, lock))
    )

  // all take them in one order, so that no two wait for each other
  return (paths, effect) =>
    [...new Set(paths)].toSorted(ToolName.byCodePoints).reduceRight((inner, path) => withLock(path, inner), effect)
}

const join = (locks: Map<string, Lock>, path: string): Lock => {
  const lock = locks.get(path) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
  lock.users++
  locks.set(path, lock)
  return lock
}

const leave = (locks: Map<string, Lock>, path: string, lock: Lock): void => {
  if (--lock.users === 0) locks.delete(path)
}

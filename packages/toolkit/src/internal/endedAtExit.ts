/**
 * A spawner whose children end with this process, also where nobody closes anything: `process.exit`, an error that nobody
 * catches. They lead process groups of their own, which nothing else would end. A signal that ends the process as
 * signals do by default runs no code of ours, and so not this either.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChildProcessSpawner, make, makeHandle } from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import { spawnSync } from "node:child_process"

/** By the id of their leader. One for all toolkits, as there is one process: each with a listener of its own is too many. */
const groups = new Set<number>()

const killAll = (): void => groups.forEach(kill)

const kill = (leader: number): void => {
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(leader), "/T", "/F"], { windowsHide: true })
    return
  }
  try {
    process.kill(-leader, "SIGKILL")
  } catch {
    // it has ended, or there is no such group: nothing is left to end
  }
}

const add = (leader: number) =>
  Effect.sync(() => {
    if (groups.size === 0) process.on("exit", killAll)
    groups.add(leader)
  })

const remove = (leader: number) =>
  Effect.sync(() => {
    if (groups.delete(leader) && groups.size === 0) process.off("exit", killAll)
  })

const spawnWith = (spawner: ChildProcessSpawner["Service"]): ChildProcessSpawner["Service"]["spawn"] =>
  Effect.fnUntraced(function*(command) {
    // one after the other: a group counts until all of it is released, and that may take its time
    const lifetime = yield* Scope.fork(yield* Effect.scope, "sequential")
    let leader: number | undefined
    yield* Scope.addFinalizer(lifetime, Effect.suspend(() => leader === undefined ? Effect.void : remove(leader)))
    const handle = yield* Scope.provide(spawner.spawn(command), lifetime)
    leader = handle.pid
    yield* add(handle.pid)
    return makeHandle({
      ...handle,
      // it is to live on then
      unref: Effect.map(Effect.tap(handle.unref, remove(handle.pid)), (ref) => Effect.tap(ref, add(handle.pid)))
    })
  })

/** Over the spawner that there is. */
export const layer = Layer.effect(
  ChildProcessSpawner,
  Effect.map(ChildProcessSpawner, (spawner) => make(spawnWith(spawner)))
)

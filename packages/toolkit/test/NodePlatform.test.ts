import { NodePlatform } from "@effect-toolnexus/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"

describe("NodePlatform", () => {
  // that they are killed there is tested where a program ends: in the client's tests of `createToolkit`
  it.live("waits for the exit of this process as long as a child is open that may not outlive it", () =>
    Effect.gen(function*() {
      const before = process.listenerCount("exit")
      const open = () => process.listenerCount("exit") - before
      const spawner = yield* ChildProcessSpawner
      const start = spawner.spawn(ChildProcess.make("sleep", ["60"], { forceKillAfter: "1 second" }))
      yield* Effect.scoped(Effect.gen(function*() {
        const first = yield* start
        yield* Effect.scoped(Effect.andThen(start, Effect.sync(() => assert.strictEqual(open(), 1))))
        assert.strictEqual(open(), 1)
        const ref = yield* first.unref
        assert.strictEqual(open(), 0)
        yield* ref
        assert.strictEqual(open(), 1)
      }))
      assert.strictEqual(open(), 0)
      yield* Effect.ignore(Effect.scoped(spawner.spawn(ChildProcess.make("/does/not/exist"))))
      assert.strictEqual(open(), 0)
    }).pipe(Effect.provide(NodePlatform.layer)))
})

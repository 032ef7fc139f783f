import { alive, assertNothingLeft, awaitDead, type Options, SomethingLeft } from "@effect-toolnexus/testing/NothingLeft"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"

const listener = () => {}

const brief: Options = { grace: 200 }

const start = (command: string, args: ReadonlyArray<string>, options: SpawnOptions) =>
  Effect.promise(async () => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"], ...options })
    await once(child, "spawn")
    return child
  })

const kill = (pid: number) =>
  Effect.sync(() => {
    process.kill(pid, "SIGKILL")
  })

const pidOf = (child: ChildProcess) => child.pid ?? -1

/** What is left by an effect; `cleanUp` is run afterwards in any case. */
const leftBy = <A, E>(effect: Effect.Effect<A, E>, options: Options = brief) =>
  Effect.flip(assertNothingLeft(effect, options)).pipe(
    Effect.filterOrFail((error) => error instanceof SomethingLeft, () => "something else failed")
  )

/** A shell that starts a `sleep`, prints its pid and dies; gives that pid. */
const orphan = (options: SpawnOptions) =>
  Effect.gen(function*() {
    const child = yield* start("sh", ["-c", "sleep 60 >/dev/null & echo $!"], options)
    const [printed] = yield* Effect.promise(() =>
      Promise.all([once(child.stdout ?? child, "data"), once(child, "close")])
    )
    return Number(String(printed[0]))
  })

describe("assertNothingLeft", () => {
  it.live("passes the value of an effect that cleans up, as soon as all is gone", () =>
    Effect.gen(function*() {
      const value = yield* assertNothingLeft(Effect.gen(function*() {
        const child = yield* Effect.acquireRelease(
          start("sleep", ["60"], { detached: true }),
          (started) => kill(pidOf(started))
        )
        yield* Effect.acquireRelease(
          Effect.sync(() => setInterval(() => {}, 1000)),
          (timer) => Effect.sync(() => clearInterval(timer))
        )
        return pidOf(child)
      }))
      assert.isFalse(yield* alive(value))
    }))

  it.live("finds a process", () =>
    Effect.gen(function*() {
      let pid = -1
      const left = yield* leftBy(Effect.map(start("sleep", ["61"], { stdio: "ignore" }), (child) => {
        pid = pidOf(child)
      }))
      yield* kill(pid)
      assert.deepInclude(left.processes, { pid, command: "sleep 61" })
      assert.include(left.message, `process ${pid}: sleep 61`)
    }))

  for (const detached of [true, false]) {
    it.live(`finds a grandchild whose parent died, ${detached ? "in a group of its own" : "in our group"}`, () =>
      Effect.gen(function*() {
        let pid = -1
        const left = yield* leftBy(Effect.map(orphan({ detached }), (printed) => {
          pid = printed
        }))
        yield* kill(pid)
        // in our group are the other workers of the test runner as well, and may just now have an orphan
        assert.include(left.processes.map((found) => found.pid), pid)
      }))
  }

  it.live("finds a timer", () =>
    Effect.gen(function*() {
      let timer: NodeJS.Timeout | undefined
      const left = yield* leftBy(Effect.sync(() => {
        timer = setInterval(() => {}, 1000)
      }))
      clearInterval(timer)
      assert.deepStrictEqual(left.resources.map(({ count, kind }) => [kind, count]), [["Timeout", 1]])
      assert.match(left.message, /^Something was left behind:\n  1 more of Timeout, made at .*NothingLeft\.test\.ts/)
    }))

  it.live("finds a listening socket", () =>
    Effect.gen(function*() {
      const server = createServer()
      const left = yield* leftBy(Effect.promise(() => {
        server.listen(0, "127.0.0.1")
        return once(server, "listening")
      }))
      server.close()
      assert.deepStrictEqual(left.resources.map(({ count, kind }) => [kind, count]), [["TCPSERVERWRAP", 1]])
    }))

  it.live("finds a listener on the process", () =>
    Effect.gen(function*() {
      const left = yield* leftBy(Effect.sync(() => process.on("SIGUSR2", listener)), {
        ...brief,
        ignore: ["SIGNALWRAP"]
      })
      process.off("SIGUSR2", listener)
      assert.deepStrictEqual(left.resources, [{ kind: "process.on(SIGUSR2)", count: 1 }])
    }))

  it.live("lets a named kind grow", () =>
    Effect.gen(function*() {
      const timer = yield* assertNothingLeft(Effect.sync(() => setInterval(() => {}, 1000)), {
        grace: 0,
        ignore: ["Timeout"]
      })
      clearInterval(timer)
    }))

  it.live("waits for what goes away within the grace period", () =>
    assertNothingLeft(start("sleep", ["0.3"], { detached: true }), { grace: 2000 }))

  it.live("keeps the effect's own failure, and adds what it left", () =>
    Effect.gen(function*() {
      let timer: NodeJS.Timeout | undefined
      const cause = yield* Effect.sync(() => {
        timer = setInterval(() => {}, 1000)
      }).pipe(
        Effect.andThen(Effect.fail("own")),
        (effect) => assertNothingLeft(effect, brief),
        Effect.sandbox,
        Effect.flip
      )
      clearInterval(timer)
      const failures = cause.reasons.filter(Cause.isFailReason).map(({ error }) => error)
      assert.strictEqual(failures[0], "own")
      assert.instanceOf(failures[1], SomethingLeft)
    }))

  it.live("is interruptible, and closes the effect's scope then", () =>
    Effect.gen(function*() {
      let isClosed = false
      const fiber = yield* Effect.addFinalizer(() => Effect.sync(() => void (isClosed = true))).pipe(
        Effect.andThen(Effect.never),
        assertNothingLeft,
        Effect.forkChild({ startImmediately: true })
      )
      yield* Effect.sleep(50)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(isClosed)
    }))

  // under a test clock, nothing would ever pass
  it.effect("waits in real time", () => assertNothingLeft(start("sleep", ["0.1"], { detached: true })))

  it.live("isn't disturbed by what was there before", () =>
    Effect.gen(function*() {
      const child = yield* start("sleep", ["62"], { detached: true })
      yield* assertNothingLeft(Effect.void, { grace: 0 })
      yield* kill(pidOf(child))
    }))
})

describe("an orphan in our group", () => {
  it.live("is none of ours where no process was started", () =>
    Effect.gen(function*() {
      const stranger = yield* start("sh", ["-c", "read line; sleep 63 >/dev/null & echo $!"], {
        stdio: ["pipe", "pipe", "ignore"]
      })
      const pid = yield* assertNothingLeft(
        Effect.promise(async () => {
          stranger.stdin?.end("\n")
          const [[printed]] = await Promise.all([once(stranger.stdout ?? stranger, "data"), once(stranger, "close")])
          return Number(String(printed))
        }),
        brief
      )
      assert.isTrue(yield* alive(pid))
      yield* kill(pid)
    }))
})

describe("alive", () => {
  it.live("tells a living process from a dead one", () =>
    Effect.gen(function*() {
      const pid = pidOf(yield* start("sleep", ["60"], {}))
      assert.isTrue(yield* alive(pid))
      assert.deepStrictEqual(yield* awaitDead([pid], 50), [pid])
      yield* kill(pid)
      assert.deepStrictEqual(yield* awaitDead([pid]), [])
      assert.isFalse(yield* alive(pid))
    }))

  it.live("counts a zombie as dead", () =>
    Effect.gen(function*() {
      // the shell never waits for the child that it became the parent of before `exec`
      const child = yield* start("sh", ["-c", "sleep 0.05 & echo $!; exec sleep 60"], {})
      const [printed] = yield* Effect.promise(() => once(child.stdout ?? child, "data"))
      assert.deepStrictEqual(yield* awaitDead([Number(String(printed))], 2000), [])
      yield* kill(pidOf(child))
    }))
})

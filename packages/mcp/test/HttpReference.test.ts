/** The reference server of the protocol's authors, over both of its HTTP transports. */
import { HostResolver, type Resolver } from "@effect-toolnexus/core/HostResolver"
import { ClientRoots } from "@effect-toolnexus/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { createServer } from "node:net"
import { call, define, entryOf, eventually, everythingProgram, open, platform, toolOf } from "./support.ts"

const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" ? address?.port ?? 0 : 0)))
  })
})

/** Runs until the scope closes; done when it listens. */
const start = Effect.fnUntraced(function*(transport: "streamableHttp" | "sse", port: number) {
  const spawner = yield* ChildProcessSpawner
  const env = { PATH: process.env["PATH"] ?? "", PORT: String(port) }
  const handle = yield* spawner.spawn(
    ChildProcess.make(process.execPath, [everythingProgram, transport], {
      env,
      extendEnv: false,
      forceKillAfter: "1 second"
    })
  )
  yield* Effect.forkScoped(Effect.ignore(Stream.runDrain(handle.stdout)))
  const lines = handle.stderr.pipe(Stream.decodeText, Stream.splitLines)
  yield* Stream.runDrain(Stream.takeUntil(lines, (line) => line.includes("port")))
  yield* Effect.forkScoped(Effect.ignore(Stream.runDrain(handle.stderr)))
  return handle
})

const ann: Resolver = ({ id }) => Effect.succeed({ id, ok: true, data: { name: "Ann" } })

const RESOURCE = "demo://resource/dynamic/text/1"

const useServer = Effect.gen(function*() {
  return { port: yield* freePort }
})

describe("the reference server", () => {
  it.live.each(
    [["streamableHttp", "mcp", {}], ["sse", "sse", {}], ["sse", "sse", { type: "sse" }]] as const
  )(
    "lists, calls, reports progress, asks, and tells of a resource, over %s at /%s %o",
    ([transport, path, config]) =>
      Effect.gen(function*() {
        const { port } = yield* useServer
        yield* start(transport, port)
        const server = define({ url: `http://127.0.0.1:${port}/${path}`, ...config })
        const opened = yield* open({ everything: server }).pipe(
          Effect.provideService(HostResolver, ann),
          Effect.provideService(ClientRoots, [{ uri: "file:///project" }])
        )
        const entries = yield* opened.entries
        assert.isAtLeast(entryOf(entries, "everything").tools.length, 14)
        const echo = yield* call(toolOf(entries, "everything_echo"), { message: "hi" })
        assert.strictEqual(echo.output, "Echo: hi")
        const seen: Array<number> = []
        const onProgress = ({ progress }: { readonly progress: number }) => Effect.sync(() => void seen.push(progress))
        const long = toolOf(entries, "everything_trigger-long-running-operation")
        yield* call(long, { duration: 0.3, steps: 3 }, { onProgress })
        assert.deepStrictEqual(seen, [1, 2, 3])
        const elicit = toolOf(entries, "everything_trigger-elicitation-request")
        assert.include((yield* call(elicit)).output, "Ann")
        assert.strictEqual((yield* opened.source.readResource("everything", RESOURCE)).contents.length, 1)
        const updates = opened.source.subscribe("everything", RESOURCE)
        const followed = yield* Effect.forkChild(Stream.runCollect(Stream.take(updates, 2)))
        yield* Effect.sleep("200 millis")
        yield* call(toolOf(entries, "everything_toggle-subscriber-updates"))
        assert.deepStrictEqual(yield* Fiber.join(followed), [RESOURCE, RESOURCE])
      }).pipe(Effect.provide(platform)),
    30_000
  )

  it.live("is found again after a restart, with a session of its own", () =>
    Effect.gen(function*() {
      const { port } = yield* useServer
      const first = yield* start("streamableHttp", port)
      const opened = yield* open({ everything: define({ url: `http://127.0.0.1:${port}/mcp` }) })
      const echo = toolOf(yield* opened.entries, "everything_echo")
      const heard: Array<string> = []
      const updates = opened.source.subscribe("everything", RESOURCE)
      yield* Effect.forkChild(Stream.runForEach(updates, (uri) => Effect.sync(() => heard.push(uri))))
      yield* eventually(() => heard.length === 1)
      yield* first.kill()
      yield* start("streamableHttp", port)
      assert.strictEqual((yield* call(echo, { message: "again" })).output, "Echo: again")
      yield* eventually(() => SubscriptionRef.getUnsafe(opened.ref).every(({ _tag }) => _tag === "Loaded"))
      // who followed a resource follows it in the new session
      yield* eventually(() => heard.length === 2)
    }).pipe(Effect.provide(platform)), 30_000)
})

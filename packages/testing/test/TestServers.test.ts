import { assertNothingLeft, InMemoryMcpServer, TestServers } from "@effect-toolnexus/testing"
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessHandle } from "effect/process/ChildProcessSpawner"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

const Platform = NodeChildProcessSpawner.layer.pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer]))

const server = InMemoryMcpServer.make({
  tools: [{ name: "weather", handler: ({ city }) => `sunny in ${String(city)}` }]
})

const Servers = TestServers.layer({ "npx -y weather-server": server }).pipe(Layer.provide(Platform))

const command = ChildProcess.make("npx", ["-y", Redacted.make("weather-server")], { env: { TOKEN: "t" } })

const frame = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"

const hello = frame({
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
})
const call = frame({ id: 1, method: "tools/call", params: { name: "weather", arguments: { city: "Tromsø" } } })

const write = (handle: ChildProcessHandle, chunks: ReadonlyArray<Uint8Array>) =>
  Stream.run(Stream.fromIterable(chunks), handle.stdin)

const bytes = (text: string) => new TextEncoder().encode(text)

const linesOf = (handle: ChildProcessHandle) => handle.stdout.pipe(Stream.decodeText(), Stream.splitLines)

describe("TestServers", () => {
  it.effect("serves a command line, lines and characters in any number of pieces, and ends with stdin", () =>
    Effect.gen(function*() {
      const handle = yield* command
      assert.isTrue(yield* handle.isRunning)
      const output = yield* Effect.forkChild(Stream.runCollect(Stream.take(linesOf(handle), 2)))
      const pieces = [...bytes(hello + "no json\n\n" + call)].map((byte) => Uint8Array.of(byte))
      const input = Stream.concat(Stream.fromIterable(pieces), Stream.fromEffectDrain(Fiber.await(output)))
      yield* Stream.run(input, handle.stdin)
      const lines = yield* Fiber.join(output)
      assert.include(lines[1], "sunny in Tromsø")
      assert.strictEqual(yield* handle.exitCode, 0)
      assert.isFalse(yield* handle.isRunning)
    }).pipe(Effect.provide(Servers)))

  it.effect("takes its input from a stream of the command, and stays open without its end", () =>
    Effect.gen(function*() {
      const handle = yield* ChildProcess.make("npx", ["-y", "weather-server"], {
        stdin: { stream: Stream.make(bytes(hello + call)), endOnDone: false }
      })
      assert.strictEqual((yield* Stream.runCollect(Stream.take(linesOf(handle), 2))).length, 2)
      assert.isTrue(yield* handle.isRunning)
      yield* handle.kill()
      assert.strictEqual(yield* handle.exitCode, 0)
      assert.deepStrictEqual(yield* Stream.runCollect(linesOf(handle)), [])
      yield* write(handle, [bytes(call)])
    }).pipe(Effect.provide(Servers)))

  it.effect("ends a session with its scope", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const handle = yield* Scope.provide(command, scope)
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(yield* handle.isRunning)
    }).pipe(Effect.provide(Servers)))

  it.effect("takes a server that the test holds", () =>
    Effect.gen(function*() {
      const held = yield* server
      yield* Effect.scoped(Effect.gen(function*() {
        const handle = yield* ChildProcess.make("run")
        const output = yield* Effect.forkChild(Stream.runHead(Stream.drop(linesOf(handle), 1)))
        yield* write(handle, [bytes(hello + call)])
        yield* Fiber.join(output)
      })).pipe(Effect.provide(TestServers.layer({ run: held }).pipe(Layer.provide(Platform))))
      assert.deepStrictEqual(yield* held.calls, [{ name: "weather", arguments: { city: "Tromsø" } }])
    }))

  it.live("starts every other command as ever, and leaves nothing", () =>
    assertNothingLeft(
      Effect.gen(function*() {
        yield* command
        const echo = yield* ChildProcess.make("echo", ["real"])
        assert.deepStrictEqual(yield* Stream.runCollect(linesOf(echo)), ["real"])
        const piped = yield* ChildProcess.pipeTo(ChildProcess.make("echo", ["real"]), ChildProcess.make("cat"))
        assert.deepStrictEqual(yield* Stream.runCollect(linesOf(piped)), ["real"])
      }).pipe(Effect.provide(Servers))
    ))
})

/**
 * In-process MCP servers in place of commands. A program under test keeps its real configuration
 * (`npx -y some-server`); where it starts that command, it talks to a server of the test instead, over streams that look
 * like those of a process. Every other command is started as ever.
 *
 * @since 0.1.0
 */
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { InProcessServer } from "./InMemoryMcpServer.ts"

/**
 * Serves command lines (the command and its arguments, joined by blanks) from servers in this process.
 *
 * **Details**
 *
 * A server may be given as an Effect that makes it; it then lives as long as the layer. Each start of the command is a
 * session of its own. It ends, with exit code 0, when its stdin is closed, when it is killed, and with its scope;
 * environment and working directory play no part. Its pid is one that no process has.
 *
 * **Example**
 *
 * ```ts
 * const servers = TestServers.layer({
 *   "npx -y @acme/weather-server": InMemoryMcpServer.make({
 *     tools: [{ name: "forecast", handler: () => "sunny" }]
 *   })
 * }).pipe(Layer.provide(NodeChildProcessSpawner.layer))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E = never, R = never>(
  servers: Readonly<Record<string, InProcessServer | Effect.Effect<InProcessServer, E, R>>>
): Layer.Layer<
  ChildProcessSpawner.ChildProcessSpawner,
  E,
  ChildProcessSpawner.ChildProcessSpawner | Exclude<R, Scope.Scope>
> =>
  Layer.effect(
    ChildProcessSpawner.ChildProcessSpawner,
    Effect.gen(function*() {
      const real = yield* ChildProcessSpawner.ChildProcessSpawner
      const byCommandLine = new Map<string, InProcessServer>()
      for (const [commandLine, server] of Object.entries(servers)) {
        byCommandLine.set(commandLine, Effect.isEffect(server) ? yield* server : server)
      }
      return ChildProcessSpawner.make((command) => {
        if (!ChildProcess.isStandardCommand(command)) return real.spawn(command)
        const server = byCommandLine.get(commandLineOf(command))
        return server === undefined ? real.spawn(command) : spawnInProcess(server, command.options)
      })
    })
  )

const commandLineOf = ({ args, command }: ChildProcess.StandardCommand): string =>
  [command, ...args.map((word) => Redacted.isRedacted(word) ? Redacted.value(word) : word)].join(" ")

/** Above any pid that a system hands out, so that a stray signal to it reaches nobody. */
const NO_PID = ChildProcessSpawner.ProcessId(2 ** 31 - 1)

const spawnInProcess = Effect.fnUntraced(function*(server: InProcessServer, options: ChildProcess.CommandOptions) {
  const stdout = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const exitCode = yield* Deferred.make<ChildProcessSpawner.ExitCode>()
  const encoder = new TextEncoder()

  const transport = server.connect()
  transport.onmessage = (message) => void Queue.offerUnsafe(stdout, encoder.encode(serializeMessage(message)))
  transport.onclose = () => {
    Queue.endUnsafe(stdout)
    Deferred.doneUnsafe(exitCode, Exit.succeed(ChildProcessSpawner.ExitCode(0)))
  }
  const close = Effect.promise(() => transport.close())
  yield* Effect.addFinalizer(() => close)
  yield* Effect.promise(() => transport.start())

  const receive = (line: string) =>
    // what isn't a message is skipped, and after the end nobody reads any more: as a real server would have it
    Effect.ignore(Effect.tryPromise(() => transport.send(deserializeMessage(line))))
  const { endOnDone = true, stream: input } = stdinOf(options)
  const stdin = lines(receive, endOnDone ? close : Effect.void)
  if (Stream.isStream(input)) yield* Effect.forkScoped(Effect.ignore(Stream.run(input, stdin)))

  const output = Stream.fromQueue(stdout)
  return ChildProcessSpawner.makeHandle({
    pid: NO_PID,
    exitCode: Deferred.await(exitCode),
    isRunning: Effect.map(Deferred.isDone(exitCode), (isDone) => !isDone),
    kill: () => close,
    stdin,
    stdout: output,
    stderr: Stream.empty,
    all: output,
    getInputFd: () => Sink.drain,
    getOutputFd: () => Stream.empty,
    unref: Effect.succeed(Effect.void)
  })
})

const stdinOf = ({ stdin }: ChildProcess.CommandOptions): Partial<ChildProcess.StdinConfig> =>
  typeof stdin === "object" && !Stream.isStream(stdin) ? stdin : stdin === undefined ? {} : { stream: stdin }

/** Takes bytes apart into lines. A line may come in any number of pieces, and so may a character. */
const lines = (onLine: (line: string) => Effect.Effect<void>, onEnd: Effect.Effect<void>) => {
  const decoder = new TextDecoder()
  let rest = ""
  return Sink.forEach((bytes: Uint8Array) => {
    const [...complete] = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = complete.pop() ?? ""
    return Effect.forEach(complete, onLine, { discard: true })
  }).pipe(Sink.mapEffect(() => onEnd))
}

/**
 * Runs one command in a shell and says how it ended and what it printed. The shell leads a process group of its own,
 * which is gone when this returns, however it returns.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessHandle, ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { OutputBuffer } from "./outputBuffer.ts"

export interface ShellCommand {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds from the start of the shell. */
  readonly timeout: number
  /** What is printed goes there. */
  readonly output: OutputBuffer
  /** Told after each arrival of output. */
  readonly onOutput: Effect.Effect<void>
}

export type Ending = Data.TaggedEnum<{
  Exited: { readonly code: number }
  Signalled: { readonly signal: string }
  TimedOut: {}
}>

export const Ending = Data.taggedEnum<Ending>()

export interface ShellRun {
  readonly ending: Ending
  /** Whether somebody still held the output open when the shell had ended. */
  readonly leftRunning: boolean
  readonly ms: number
}

type Spawner = ChildProcessSpawner["Service"]

/** Fails only when no shell can be started. */
export const run = Effect.fnUntraced(function*(spawner: Spawner, spec: ShellCommand) {
  const started = yield* Clock.currentTimeMillis
  const { output } = spec
  // a scope of its own, because at a timeout the group ends before the last of its output is read
  const group = yield* Scope.fork(yield* Effect.scope)
  const handle = yield* Scope.provide(start(spawner, spec), group)
  const reading: Reading = { output, busy: 0 }
  const reader = yield* Effect.forkScoped(
    // the second pipe is that of a first shell that couldn't become the second
    Effect.all([read(handle.stdout, spec, reading), read(handle.stderr, spec, reading)], {
      concurrency: 2,
      discard: true
    })
  )
  const ended = yield* Effect.timeoutOption(awaitEnding(handle), spec.timeout)
  if (Option.isNone(ended)) yield* Scope.close(group, Exit.void)
  const isClosed = yield* awaitQuiet(reader, reading)
  return {
    ending: Option.getOrElse(ended, () => Ending.TimedOut()),
    leftRunning: Option.isSome(ended) && !isClosed,
    ms: (yield* Clock.currentTimeMillis) - started
  } satisfies ShellRun
}, Effect.scoped)

/**
 * How long a group that was asked to end may take before it is killed. Where nobody reaps orphans (a container without
 * an init) zombies keep a group alive to the eye, and a call that leaves some waits this long, and a second more.
 */
const FORCE_KILL_AFTER = "250 millis"

/** Tries `bash`, and `sh` where there is none. */
const start = (spawner: Spawner, spec: ShellCommand) =>
  Effect.catchIf(spawnShell(spawner, "bash", spec), isNotFound, () => spawnShell(spawner, "sh", spec))

const isNotFound = (error: PlatformError.PlatformError): boolean => error.reason._tag === "NotFound"

/**
 * Errors go into the pipe of the output, by a first shell that becomes the second: with a pipe each, what is printed in
 * one moment would arrive as all output, then all errors.
 */
const INTO_ONE_PIPE = "exec \"$@\" 2>&1"

const spawnShell = (spawner: Spawner, shell: "bash" | "sh", { command, cwd, env }: ShellCommand) =>
  spawner.spawn(ChildProcess.make(shell, ["-c", INTO_ONE_PIPE, shell, shell, "-c", command], {
    cwd,
    env,
    // a command that reads must see the end at once, and never the input of the host
    stdin: "ignore",
    forceKillAfter: FORCE_KILL_AFTER
  }))

const awaitEnding = (handle: ChildProcessHandle): Effect.Effect<Ending> =>
  Effect.match(handle.exitCode, {
    onSuccess: (code): Ending => Ending.Exited({ code }),
    onFailure: (error) => Ending.Signalled({ signal: signalOf(error) })
  })

/** The platform names the signal nowhere but in the text of the cause. */
const signalOf = ({ reason: { cause } }: PlatformError.PlatformError): string =>
  (Predicate.isError(cause) ? /SIG[A-Z0-9]+/.exec(cause.message)?.[0] : undefined) ?? "a signal"

interface Reading {
  readonly output: OutputBuffer
  /** How many readers are seeing to what came, and take nothing in meanwhile. */
  busy: number
}

/** A pipe that breaks ends the reading; what came before is kept. */
const read = (
  stream: Stream.Stream<Uint8Array, PlatformError.PlatformError>,
  { onOutput, output }: Pick<ShellCommand, "onOutput" | "output">,
  reading: Reading
) =>
  Effect.suspend(() => {
    const writer = output.writer()
    return Stream.runForEachArray(stream, (chunks) => {
      chunks.forEach(writer.write)
      reading.busy++
      return Effect.ensuring(onOutput, Effect.sync(() => reading.busy--))
    }).pipe(
      Effect.ignore,
      Effect.ensuring(Effect.sync(writer.end))
    )
  })

/** In milliseconds. Each turn lets the event loop take in what has arrived, so a busy machine loses nothing. */
const TURN = 25
const QUIET_TURNS = 4
const MOST_TURNS = 10
/** Ten seconds: a disk that is slower holds nobody up. */
const MOST_BUSY_TURNS = 400

/**
 * The shell has ended, its last output may still be on the way: reads until the pipes close. A background child may
 * hold them for ever, so silence, or a quarter of a second of its noise, counts as the end too; but not that nothing more
 * is taken in while what came is written to a slow disk. Says whether they closed.
 */
const awaitQuiet = Effect.fnUntraced(function*(reader: Fiber.Fiber<void>, reading: Reading) {
  const { output } = reading
  let seen = output.total
  let [turns, busyTurns, quiet] = [0, 0, 0]
  while (turns < MOST_TURNS && quiet < QUIET_TURNS && busyTurns < MOST_BUSY_TURNS) {
    if (Option.isSome(yield* Effect.timeoutOption(Fiber.await(reader), TURN))) return true
    if (reading.busy > 0) {
      busyTurns++
      continue
    }
    turns++
    quiet = output.total === seen ? quiet + 1 : 0
    seen = output.total
  }
  return false
})

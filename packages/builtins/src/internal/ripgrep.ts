/** Runs ripgrep in one folder, hands over what it prints as it comes, and says how it ended. */
import { ToolError } from "@effect-toolnexus/core"
import { Environment, inheritable } from "@effect-toolnexus/core/Environment"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessHandle, ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { MISSING, Ripgrep } from "../Ripgrep.ts"
import { OutputBuffer } from "./outputBuffer.ts"

export interface Search {
  /** Absolute; everything is named relative to it. */
  readonly cwd: string
  readonly args: ReadonlyArray<string>
  readonly take: Take
}

/** Takes what is printed, as it comes. */
export type Take = (chunk: Uint8Array) => void

export interface Ended {
  /** False where the time was up: what came until then is a part. */
  readonly isWhole: boolean
  /** 0: something found; 1: nothing; 2: something was wrong. */
  readonly code: number
  /** What it complained of, the beginning and the end. */
  readonly complaints: string
}

/**
 * The ignore rule of both tools: `.gitignore` and `.ignore` of the tree and its parents, with or without a repository, and
 * nothing of the user's own. No configuration, and no complaint about an ignore file that can't be understood.
 */
const RULES = [
  "--no-config",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--no-ignore-messages",
  "--color=never",
  "--null",
  "--path-separator=/",
  // a file that shrinks while it is mapped would kill the process
  "--no-mmap"
]

/** A tree that takes longer is one to search in parts. */
const TIMEOUT = "60 seconds"

const FORCE_KILL_AFTER = "250 millis"

const COMPLAINTS = 16_384

type Spawner = ChildProcessSpawner["Service"]

/** Fails where there is no ripgrep to run. */
export type Run = (
  search: Search,
  toolName: string
) => Effect.Effect<Ended, ToolError.ToolUnavailable | ToolError.ToolFailed>

/** With the environment and the commands of the context that it is made in. */
export const make = Effect.fnUntraced(function*(spawner: Spawner) {
  const starter = { spawner, commands: yield* Ripgrep, env: inheritable(yield* Environment, []) }
  return (search: Search, toolName: string) => Effect.scoped(runSearch(starter, search, toolName))
}) satisfies (spawner: Spawner) => Effect.Effect<Run>

interface Starter {
  readonly spawner: Spawner
  readonly commands: Effect.Effect<ReadonlyArray<string>>
  readonly env: Readonly<Record<string, string>>
}

const runSearch = Effect.fnUntraced(function*(starter: Starter, search: Search, toolName: string) {
  const handle = yield* start(starter, search, toolName)
  const complaints = new OutputBuffer(COMPLAINTS)
  const read = Effect.all([
    eachChunk(handle.stdout, search.take),
    eachChunk(handle.stderr, complaints.writer().write)
  ], { concurrency: 2, discard: true })
  const code = yield* Effect.timeoutOption(Effect.andThen(read, codeOf(handle)), TIMEOUT)
  return {
    isWhole: Option.isSome(code),
    code: Option.getOrElse(code, () => 0),
    complaints: complaints.text()
  } satisfies Ended
})

/** Tries each command that there may be. */
const start = Effect.fnUntraced(
  function*({ commands, env, spawner }: Starter, { args, cwd }: Search, toolName: string) {
    for (const command of yield* commands) {
      const started = yield* Effect.result(
        spawner.spawn(ChildProcess.make(command, [...RULES, ...args], {
          cwd,
          env,
          stdin: "ignore",
          forceKillAfter: FORCE_KILL_AFTER
        }))
      )
      if (Result.isSuccess(started)) return started.success
      const { _tag } = started.failure.reason
      if (!ABSENT.has(_tag)) {
        return yield* new ToolError.ToolFailed({ toolName, message: `ripgrep can't be started (${_tag})` })
      }
    }
    return yield* new ToolError.ToolUnavailable({ toolName, reason: MISSING })
  }
)

const ABSENT: ReadonlySet<string> = new Set(["NotFound", "PermissionDenied"])

/** A pipe that breaks ends the reading; the code says what that was about. */
const eachChunk = (
  stream: Stream.Stream<Uint8Array, PlatformError.PlatformError>,
  take: Take
): Effect.Effect<void> =>
  Effect.ignore(Stream.runForEachArray(stream, (chunks) => Effect.sync(() => chunks.forEach(take))))

const KILLED = 2

const codeOf = (handle: ChildProcessHandle): Effect.Effect<number> =>
  Effect.match(handle.exitCode, { onSuccess: (code) => code, onFailure: () => KILLED })

/**
 * The tool `bash`: runs one command in a shell of its own (CONTRACT 7).
 *
 * **Details**
 *
 * - `bash -c`, and `sh -c` where there is no `bash`; standard input is empty.
 * - Output and errors in order of arrival, as they are (also escape sequences); bytes that are no UTF-8 become U+FFFD.
 *   Of more than `output` bytes the beginning and the end are kept, and the cut and the total said; the whole, up to
 *   50 MB, is then in a file that `read` can open, also under a `root`, until the toolkit closes (the latest 16 are kept);
 *   an `output` of 50 MB and more makes no file.
 * - While it runs, what arrives is reported as progress: `progress` is the bytes so far, `message` the latest 4096 of those
 *   that are new. A call that is interrupted has its last words there.
 * - The call ends when the shell ends. What it left running in the background is stopped with its process group; the
 *   answer says so where that still held the output open.
 * - A code other than 0, a signal and a timeout are each a `ToolFailed` that says which, with all that was printed.
 * - The environment is the base list and what the host names, never the rest of the host's.
 *
 * **Gotchas**
 *
 * A command can do what the host's user can: neither `root` nor the environment confines it. A process that leaves the
 * group (`setsid`) outlives the call.
 *
 * @since 0.1.0
 */
import { type Json, type Tool, type ToolCall, ToolError, ToolResult } from "@effect-toolnexus/core"
import { Environment, inheritable } from "@effect-toolnexus/core/Environment"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { BuiltinLimits } from "./BuiltinOptions.ts"
import { defineBuiltin } from "./internal/defineBuiltin.ts"
import { DEFAULT_OUTPUT } from "./internal/limits.ts"
import { OutputBuffer } from "./internal/outputBuffer.ts"
import { badArgument } from "./internal/refused.ts"
import * as Shell from "./internal/shell.ts"
import * as SpillFiles from "./internal/spillFiles.ts"
import { Workspace } from "./Workspace.ts"

/** Milliseconds. */
const DEFAULT_TIMEOUT = 60_000
const MAX_TIMEOUT = 600_000

/**
 * What `bash` takes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Input = Schema.Struct({
  command: Schema.String.annotate({ description: "The command, as one would type it into a shell" }),
  workdir: Schema.optionalKey(
    Schema.String.annotate({ description: "Directory to run in; default: the workspace" })
  ),
  timeout: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_TIMEOUT })).annotate({
      description: `Milliseconds until the command is stopped; default ${DEFAULT_TIMEOUT}, at most ${MAX_TIMEOUT}`
    })
  ),
  description: Schema.optionalKey(
    Schema.String.annotate({ description: "What the command does, in a few words, for the person who watches" })
  )
})

/**
 * @category schemas
 * @since 0.1.0
 */
export interface Input extends Schema.Schema.Type<typeof Input> {}

/**
 * @category models
 * @since 0.1.0
 */
export interface BashOptions extends Pick<BuiltinLimits, "output"> {
  /** Names of variables of the host that a command gets beside the base list. Default: none. */
  readonly env?: ReadonlyArray<string>
}

/**
 * Makes the tool. The environment is taken from `Environment` when it is made.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  options?: BashOptions
) => Effect.Effect<Tool.Tool, never, Workspace | Scope.Scope> = Effect.fnUntraced(
  function*(options?: BashOptions) {
    const workspace = yield* Workspace
    const { spawner } = workspace
    const locate = locateIn(workspace)
    const env = inheritable(yield* Environment, options?.env ?? [])
    const outputLimit = options?.output ?? DEFAULT_OUTPUT
    const spillFiles = yield* SpillFiles.make(workspace)

    return defineBuiltin({
      name: "bash",
      description: "Run a command in a shell and get what it prints. Standard input is empty. The call ends when the "
        + "shell does; what it leaves running in the background is stopped.",
      input: Input,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      handler: Effect.fnUntraced(function*({ command, timeout = DEFAULT_TIMEOUT, workdir = "." }, call) {
        const { toolName } = call
        yield* checkCommand(command, toolName)
        const cwd = yield* locate(workdir, toolName)
        // a file that holds no more than the answer is of no use
        const output = new OutputBuffer(outputLimit, outputLimit < SpillFiles.MAX_SPILL ? SpillFiles.MAX_SPILL : 0)
        const spill = yield* spillFiles.open
        const onOutput = yield* inTurn(Effect.suspend(() => spill.write(output.takeOverflow())))
        const run = yield* Shell.run(spawner, { command, cwd, env, timeout, output, onOutput }).pipe(
          Effect.mapError((error) => notStarted(toolName, error)),
          showingProgress(output, call)
        )
        // a last character that never came whole
        yield* onOutput
        return yield* answer({ toolName, run, timeout, output, spilled: yield* spill.result })
      }, Effect.scoped)
    })
  }
)

/** Linux takes no longer single argument, NUL at its end included; elsewhere the bound is of this order too. */
const MAX_COMMAND_BYTES = 128 * 1024 - 1

const checkCommand = (command: string, toolName: string): Effect.Effect<void, ToolError.InvalidArguments> => {
  const refuse = (message: string) => Effect.fail(badArgument(toolName, "command", message))
  if (command.includes("\0")) return refuse("a command can't contain NUL")
  const { length } = new TextEncoder().encode(command)
  if (length > MAX_COMMAND_BYTES) {
    return refuse(`${length} bytes are too long for a command (at most ${MAX_COMMAND_BYTES}): run it from a file`)
  }
  return Effect.void
}

/** Looked at before the start, because a platform blames the shell for a directory that is missing. */
const locateIn = (workspace: Workspace["Service"]) =>
  Effect.fnUntraced(function*(workdir: string, toolName: string) {
    const fail = (detail: string) => new ToolError.ToolFailed({ toolName, message: `workdir ${detail}` })
    const cwd = yield* Effect.mapError(workspace.resolve(workdir), (error) => fail(error.message))
    const { type } = yield* Effect.mapError(
      workspace.fs.stat(cwd),
      (error) => fail(error.reason._tag === "NotFound" ? `${cwd} doesn't exist` : `${cwd} can't be opened`)
    )
    if (type !== "Directory") return yield* fail(`${cwd} is not a directory`)
    return cwd
  })

const notStarted = (toolName: string, { reason }: PlatformError.PlatformError): ToolError.ToolFailed =>
  new ToolError.ToolFailed({
    toolName,
    message: reason._tag === "NotFound"
      ? "there is neither bash nor sh on the PATH"
      : `the shell can't be started (${reason._tag})`
  })

/** Output and errors may arrive at one time, and what they make must stay in their order. */
const inTurn = (effect: Effect.Effect<void>) =>
  Effect.map(Semaphore.make(1), (semaphore) => semaphore.withPermits(1)(effect))

/** In milliseconds: often enough for whoever watches. */
const PROGRESS_EVERY = 250

/** Bytes of the latest output in one report. */
const PROGRESS_LIMIT = 4096

/**
 * Reports what has arrived since the report before: how much it is in all, in bytes, and the latest of it. Where the call
 * is interrupted nobody gets an answer any more, so the last report has what there is.
 */
const showingProgress =
  (output: OutputBuffer, call: Pick<ToolCall.ToolCall, "progress">) =>
  <A, E, R>(running: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    let reported = 0
    const report = (note = "") =>
      Effect.suspend(() => {
        const { total } = output
        if (total === reported && note === "") return Effect.void
        const message = output.textSince(reported, PROGRESS_LIMIT) + note
        reported = total
        return call.progress({ progress: total, message })
      })
    const watching = Effect.forever(Effect.andThen(Effect.sleep(PROGRESS_EVERY), report()))
    return Effect.scoped(Effect.andThen(Effect.forkScoped(watching), running)).pipe(
      Effect.onInterrupt(() => report("\n[interrupted; the command was stopped]"))
    )
  }

interface Finished {
  readonly toolName: string
  readonly run: Shell.ShellRun
  readonly timeout: number
  readonly output: OutputBuffer
  readonly spilled: SpillFiles.Spilled | undefined
}

const answer = (
  { output, run: { ending, leftRunning, ms }, spilled, timeout, toolName }: Finished
): Effect.Effect<ToolResult.ToolResult, ToolError.ToolFailed> => {
  const { metadata, problem } = describe(ending, timeout)
  const text = withNotes(output.text(), [spillNote(output, spilled), leftRunning ? STOPPED : undefined, problem])
  const file = spilled === undefined || Result.isFailure(spilled) ? {} : { outputFile: { ...spilled.success } }
  const extras = { metadata: { ...metadata, ms, bytes: output.total, ...file } }
  if (problem === undefined) return Effect.succeed(ToolResult.success(text, extras))
  return Effect.fail(new ToolError.ToolFailed({ toolName, message: problem, result: ToolResult.failure(text, extras) }))
}

const spillNote = ({ total }: OutputBuffer, spilled: SpillFiles.Spilled | undefined): string | undefined => {
  if (spilled === undefined) return undefined
  return Result.match(spilled, {
    onFailure: (detail) => `the whole output is lost: ${detail}`,
    onSuccess: ({ bytes, path }) =>
      `${
        bytes < total ? `the first ${bytes} bytes of the output are` : `the whole output, ${bytes} bytes, is`
      } in ${path}`
  })
}

const STOPPED = "the shell left something running in the background; its process group was stopped"

interface Description {
  readonly metadata: Json.JsonObject
  /** What is wrong with ending so; `undefined`: nothing. */
  readonly problem: string | undefined
}

const describe = (ending: Shell.Ending, timeout: number): Description =>
  Shell.Ending.$match(ending, {
    Exited: ({ code }): Description => ({
      metadata: { exitCode: code },
      problem: code === 0 ? undefined : `exit code ${code}`
    }),
    Signalled: ({ signal }) => ({ metadata: { signal }, problem: `killed by ${signal}` }),
    TimedOut: () => ({ metadata: { timedOut: true }, problem: `timed out after ${timeout} ms and was stopped` })
  })

/** The output as it is, then each note in brackets on a line of its own. */
const withNotes = (output: string, notes: ReadonlyArray<string | undefined>): string => {
  const said = notes.flatMap((note) => note === undefined ? [] : [`[${note}]`])
  if (said.length === 0) return output
  const separator = output === "" || output.endsWith("\n") ? "" : "\n"
  return `${output}${separator}${said.join("\n")}`
}

/** Prompts of effect/cli at the terminal of standard error, for standard output is the tool's alone. */
import type * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { errorColumns, writeError } from "./errorOutput.ts"

/** Whether somebody sits there who sees a prompt and can answer it. */
export const isAttended: Effect.Effect<boolean, never, Stdio.Stdio> = Effect.gen(function*() {
  const { stderrIsTerminal, stdinIsTerminal } = yield* Stdio.Stdio
  return (yield* stdinIsTerminal) && (yield* stderrIsTerminal)
})

/**
 * Runs prompts there. Whoever quits one (Ctrl-C, Ctrl-D, Esc) means the command: the terminal gives these as keys then,
 * and no signal comes.
 */
export const atTerminal = <A, R>(
  prompts: Effect.Effect<A, Terminal.QuitError, R>
): Effect.Effect<A, never, Stdio.Stdio | Prompt.Environment | R> =>
  Effect.andThen(discardTypeAhead, prompts).pipe(
    // the shell goes on in a line of its own
    Effect.catchTag("QuitError", () => Effect.andThen(writeError("\n"), Effect.interrupt)),
    Effect.provideServiceEffect(Terminal.Terminal, onStandardError)
  )

const onStandardError = Effect.gen(function*() {
  const { readInput, readLine, rows, size } = yield* Terminal.Terminal
  const context = yield* Effect.context<Stdio.Stdio | Terminal.Terminal>()
  return Terminal.make({
    columns: Effect.provideContext(errorColumns, context),
    rows,
    size,
    readInput,
    readLine,
    display: (text) => Effect.provideContext(writeError(text), context)
  })
})

/** Long enough for the terminal to hand over what it holds, too short to be noticed. */
const TYPE_AHEAD = "50 millis"

/** The next command, typed while the call ran, must not approve anything: `yarn` begins like yes. */
const discardTypeAhead = Effect.gen(function*() {
  const terminal = yield* Terminal.Terminal
  const input = yield* terminal.readInput
  yield* Effect.timeoutOption(Effect.forever(Queue.take(input)), TYPE_AHEAD)
}).pipe(
  Effect.scoped,
  // the keys end where the command is quit
  Effect.mapError(() => new Terminal.QuitError({}))
)

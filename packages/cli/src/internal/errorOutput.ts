/** What is drawn on standard error for whoever sits there. Nothing depends on it, so its troubles are no failure. */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"

/** Where the terminal doesn't tell its width. */
const DEFAULT_COLUMNS = 80

/** The width of the terminal, in columns. It tells that of standard output only, which may be a pipe. */
export const errorColumns: Effect.Effect<number, never, Terminal.Terminal> = Effect.flatMap(
  Terminal.Terminal,
  ({ columns }) => Effect.map(columns, (width) => width || DEFAULT_COLUMNS)
)

/** Writes text as it is. */
export const writeError = (text: string): Effect.Effect<void, never, Stdio.Stdio> =>
  Effect.flatMap(Stdio.Stdio, (stdio) => Effect.ignore(Stream.run(Stream.make(text), stdio.stderr())))

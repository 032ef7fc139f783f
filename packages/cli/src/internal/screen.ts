/** How standard output shows text: cut to the width of a terminal, or whole. */
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import type { Screen } from "./table.ts"

/** Terminals that don't tell their width, like some of CI, are at least this wide. */
const DEFAULT_COLUMNS = 80

/** The screen behind standard output. */
export const screen: Effect.Effect<Screen, never, Stdio.Stdio | Terminal.Terminal> = Effect.gen(function*() {
  const { stdoutIsTerminal } = yield* Stdio.Stdio
  if (!(yield* stdoutIsTerminal)) return { width: undefined, colors: false }
  const { columns } = yield* Terminal.Terminal
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  return { width: (yield* columns) || DEFAULT_COLUMNS, colors: canColor }
})

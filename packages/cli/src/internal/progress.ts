/** What is being waited for while a toolkit is built: one line on a terminal's standard error, gone when it is there. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { CLEAR_LINE } from "./logger.ts"
import { oneLine } from "./plainText.ts"
import { cut } from "./table.ts"

/** A build that is quicker than this shows nothing. */
const DELAY = "300 millis"

/** Where the terminal doesn't tell its width. */
const DEFAULT_COLUMNS = 80

/** Shows that these entries are waited for, while the effect runs and standard error is a terminal. */
export const withProgress = <A, E, R>(
  names: ReadonlyArray<string>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | Stdio.Stdio | Terminal.Terminal> =>
  Effect.gen(function*() {
    const { stderrIsTerminal } = yield* Stdio.Stdio
    if (names.length === 0 || !(yield* stderrIsTerminal)) return yield* effect
    const drawing = yield* Effect.forkChild(Effect.delay(draw(names), DELAY))
    return yield* Effect.ensuring(effect, Fiber.interrupt(drawing))
  })

const draw = Effect.fnUntraced(
  function*(names: ReadonlyArray<string>) {
    const terminal = yield* Terminal.Terminal
    const list = names.map(oneLine).join(", ")
    for (let seconds = 0;; seconds++) {
      const time = seconds === 0 ? "" : ` (${seconds} s)`
      // the last column stays empty: some terminals would go to the next line
      const room = ((yield* terminal.columns) || DEFAULT_COLUMNS) - 1 - time.length
      yield* writeError(`${CLEAR_LINE}${cut(`Connecting to ${list}`, room)}${time}`)
      yield* Effect.sleep("1 second")
    }
  },
  Effect.ensuring(Effect.suspend(() => writeError(CLEAR_LINE)))
)

const writeError = (text: string) =>
  Effect.flatMap(Stdio.Stdio, (stdio) => Effect.ignore(Stream.run(Stream.make(text), stdio.stderr())))

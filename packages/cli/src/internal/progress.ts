/** What is still being waited for: one line on a terminal's standard error, gone when it is there. */
import type { CallOptions, Progress } from "@effect-toolnexus/core/ToolCall"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { errorColumns, writeError } from "./errorOutput.ts"
import { CLEAR_LINE } from "./logger.ts"
import { oneLine } from "./plainText.ts"
import { cut } from "./table.ts"

/** A build that is quicker than this shows nothing. */
const DELAY = "300 millis"

/** In a pipe: a start that is quicker than this is as usual. */
const PIPE_DELAY = "5 seconds"

/** Says which entries are waited for, while the effect runs: a terminal shows it, elsewhere it is one line of the log. */
export const withProgress = <A, E, R>(
  names: () => ReadonlyArray<string>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | Stdio.Stdio | Terminal.Terminal> =>
  Effect.gen(function*() {
    const { stderrIsTerminal } = yield* Stdio.Stdio
    const telling = (yield* stderrIsTerminal)
      ? Effect.delay(drawNames(names), DELAY)
      : Effect.delay(Effect.suspend(() => Effect.logInfo(waitingFor(names()))), PIPE_DELAY)
    const told = yield* Effect.forkChild(telling)
    return yield* Effect.ensuring(effect, Fiber.interrupt(told))
  })

const waitingFor = (names: ReadonlyArray<string>): string => oneLine(`Connecting to ${names.join(", ")}`)

const drawNames = Effect.fnUntraced(
  function*(names: () => ReadonlyArray<string>) {
    for (let seconds = 0;; seconds++) {
      yield* draw(waitingFor(names()), seconds === 0 ? "" : ` (${seconds} s)`)
      yield* Effect.sleep("1 second")
    }
  },
  Effect.ensuring(Effect.suspend(() => writeError(CLEAR_LINE)))
)

/** More often than this nobody can read it, in milliseconds. */
const MIN_INTERVAL = 100

/** Shows how far a call is as the tool tells it, while it runs and standard error is a terminal. */
export const withCallProgress = <A, E, R>(
  toolName: string,
  call: (options: Pick<CallOptions, "onProgress">) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | Stdio.Stdio | Terminal.Terminal> =>
  Effect.gen(function*() {
    const { stderrIsTerminal } = yield* Stdio.Stdio
    if (!(yield* stderrIsTerminal)) return yield* call({})
    const context = yield* Effect.context<Stdio.Stdio | Terminal.Terminal>()
    let drawnAt: number | undefined
    let isOver = false
    const onProgress = Effect.fnUntraced(function*(progress: Progress) {
      const now = yield* Clock.currentTimeMillis
      if (isOver || (drawnAt !== undefined && now - drawnAt < MIN_INTERVAL)) return
      drawnAt = now
      yield* draw(`${toolName}: ${describe(progress)}`, "")
    }, Effect.provideContext(context))
    const end = Effect.suspend(() => {
      isOver = true
      return drawnAt === undefined ? Effect.void : writeError(CLEAR_LINE)
    })
    return yield* Effect.ensuring(call({ onProgress }), end)
  })

const describe = ({ message = "", progress, total }: Progress): string =>
  `${total === undefined ? progress : `${progress}/${total}`} ${message}`

/** A text is cut to what the line has room for beside its end. */
const draw = Effect.fnUntraced(function*(text: string, end: string) {
  // the last column stays empty: some terminals would go to the next line
  const room = (yield* errorColumns) - 1 - end.length
  yield* writeError(`${CLEAR_LINE}${cut(oneLine(text.slice(0, room * 16)), room)}${end}`)
})

/** What breaks unexpectedly may say anything: its text goes to the log, and people get the id to find it under. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"

/** What is shown of a defect, once it is logged. */
export const broken = Effect.fnUntraced(function*(defect: unknown) {
  const id = yield* correlationId
  const log = Effect.logError(`reading the skills broke unexpectedly (${id})`, describe(defect))
  // a logger that breaks as well must not keep the entry from settling
  yield* Effect.catchDefect(log, () => Effect.void)
  return `reading them broke unexpectedly (${id})`
})

/** A defect may even break whoever reads it. */
const describe = (defect: unknown): string =>
  Result.getOrElse(Result.try(() => Cause.pretty(Cause.die(defect))), () => "its cause can't be read")

const correlationId = Effect.map(
  Random.nextIntBetween(0, 0x1_0000_0000),
  (word) => word.toString(16).padStart(8, "0")
)

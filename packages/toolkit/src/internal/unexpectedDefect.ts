/** What breaks unexpectedly may say anything: its text goes to the log, and people get the id to find it under. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Logs a defect once, and gives the id under which it stands in the log. */
export const logDefect = Effect.fnUntraced(function*(subject: string, defect: unknown) {
  const id = (yield* Random.nextIntBetween(0, 0x1_0000_0000)).toString(16).padStart(8, "0")
  yield* Effect.logError(`${subject} broke unexpectedly (${id})`, defect)
  return id
})

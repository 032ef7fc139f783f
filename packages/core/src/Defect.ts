/**
 * Defects at the edges where the contract turns them into a failed entry or a result (CONTRACT 1): what broke
 * unexpectedly may say anything, so its text goes to the log, and people get the id to find it under.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type { Redaction } from "./Redaction.ts"

/**
 * Logs a defect once, and gives the id under which it stands in the log: eight hex digits. Never fails, also where the
 * logger breaks as well, or the defect breaks whoever reads it.
 *
 * **Example**
 *
 * ```ts
 * const id = yield* Defect.log(`mcp server "a"`, defect, redact)
 * // ERROR mcp server "a" broke unexpectedly (1f00c2b7) ...
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const log = Effect.fnUntraced(function*(subject: string, defect: unknown, redact: Redaction = (text) => text) {
  const id = yield* correlationId
  const logged = Effect.logError(`${subject} broke unexpectedly (${id})`, redact(describe(defect)))
  yield* Effect.catchDefect(logged, () => Effect.void)
  return id
})

const describe = (defect: unknown): string =>
  Result.getOrElse(Result.try(() => Cause.pretty(Cause.die(defect))), () => "its cause can't be read")

const correlationId = Effect.map(
  Random.nextIntBetween(0, 0x1_0000_0000),
  (word) => word.toString(16).padStart(8, "0")
)

/** What breaks unexpectedly may say anything: its text goes to the log, and people get the id to find it under. */
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import type { EntryError, Phase } from "@effect-toolnexus/core/SourceEntry"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { entryError } from "./entryError.ts"

/** Fails with what is shown of a defect, once it is logged. */
export const broken = Effect.fnUntraced(
  function*(
    server: string,
    phase: Phase,
    redact: Redaction,
    defect: unknown
  ): Effect.fn.Return<never, EntryError> {
    const id = yield* correlationId
    const log = Effect.logError(`mcp server "${server}" broke unexpectedly (${id})`, redact(describe(defect)))
    // a logger that breaks as well must not keep the entry from settling
    yield* Effect.catchDefect(log, () => Effect.void)
    return yield* entryError(server, phase, `it broke unexpectedly (${id})`)
  }
)

/** A defect may even break whoever reads it. */
const describe = (defect: unknown): string =>
  Result.getOrElse(Result.try(() => Cause.pretty(Cause.die(defect))), () => "its cause can't be read")

const correlationId = Effect.map(
  Random.nextIntBetween(0, 0x1_0000_0000),
  (word) => word.toString(16).padStart(8, "0")
)

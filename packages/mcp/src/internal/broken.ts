/** What breaks unexpectedly costs its own entry: it is logged, and the entry says under which id. */
import * as Defect from "@effect-toolnexus/core/Defect"
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import type { EntryError, Phase } from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import { entryError } from "./entryError.ts"

/** Fails with what is shown of a defect, once it is logged. */
export const broken = Effect.fnUntraced(
  function*(
    server: string,
    phase: Phase,
    redact: Redaction,
    defect: unknown
  ): Effect.fn.Return<never, EntryError> {
    const id = yield* Defect.log(`mcp server "${server}"`, defect, redact)
    return yield* entryError(server, phase, `it broke unexpectedly (${id})`)
  }
)

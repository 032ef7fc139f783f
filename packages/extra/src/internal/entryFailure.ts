/** Why a document has no tools. */
import { Defect, type Redaction, SourceEntry } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"

export const failure = (entry: string, phase: SourceEntry.Phase, detail: string): SourceEntry.EntryError =>
  new SourceEntry.EntryError({ kind: "extra", entry, phase, detail })

/** What breaks whoever reads it is its own failure, and told to whoever keeps the log (CONTRACT 1). */
export const brokeUnexpectedly = (
  entry: string,
  defect: unknown,
  redact?: Redaction.Redaction
): Effect.Effect<never, SourceEntry.EntryError> =>
  Effect.flatMap(
    Defect.log(`source "${entry}"`, defect, redact),
    (id) => Effect.fail(failure(entry, "list", `it broke unexpectedly (${id})`))
  )

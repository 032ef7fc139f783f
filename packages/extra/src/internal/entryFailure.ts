/** Why a document has no tools. */
import { SourceEntry } from "@effect-toolnexus/core"

export const failure = (entry: string, phase: SourceEntry.Phase, detail: string): SourceEntry.EntryError =>
  new SourceEntry.EntryError({ kind: "extra", entry, phase, detail })

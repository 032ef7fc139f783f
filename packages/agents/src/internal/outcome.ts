/** What became of an entry before names are given: those depend on all of them. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import type { AgentCard } from "../AgentCard.ts"
import type { ConnectedAgent } from "./agentCall.ts"

export interface Connection {
  readonly agent: ConnectedAgent
  readonly card: AgentCard
  readonly as: "skills" | "agent"
  readonly diagnostics: ReadonlyArray<Diagnostic>
  readonly flags: Pick<SourceEntry.EntryFields, "required" | "trusted">
}

export type Outcome =
  | { readonly _tag: "Connected"; readonly connection: Connection }
  | { readonly _tag: "Settled"; readonly entry: SourceEntry.SourceEntry }

export const settled = (entry: SourceEntry.SourceEntry): Outcome => ({ _tag: "Settled", entry })

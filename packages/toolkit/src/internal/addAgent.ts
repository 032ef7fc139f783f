/** A remote agent that joins a toolkit which is already there. */
import { type AgentRegistry, SourceEntry, type ToolkitEntry, type ToolkitService } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { FoldedSources } from "./foldedSources.ts"
import type { RunningCalls } from "./runningCalls.ts"

interface Toolkit extends Pick<RunningCalls, "closed" | "isClosed">, Pick<FoldedSources, "current"> {
  /** Of the source of agents, where there is one. */
  readonly registry: Option.Option<AgentRegistry["Service"]>
}

export const makeAddAgent =
  ({ closed, current, isClosed, registry }: Toolkit): ToolkitService["addAgent"] => (agent, name) => {
    if (isClosed()) return Effect.succeed(failed(name, "connect", CLOSED))
    if (Option.isNone(registry)) return Effect.succeed(failed(name, "config", WITHOUT))
    const added = Effect.gen(function*() {
      const entry = yield* registry.value.add(agent, name)
      const { entries } = yield* current
      return entries.findLast((listed) => listed.kind === "agent" && listed.entry.name === entry.name) ?? asEntry(entry)
    })
    // a toolkit that closes meanwhile stops the connection, and the entry would stay on its way for ever
    return Effect.raceFirst(added, Effect.as(closed, failed(name, "connect", CLOSED)))
  }

const CLOSED = "the toolkit is closed"

const WITHOUT = "this toolkit has no source of agents; add AgentSource.layer({ agents: [] }) to its sources"

const asEntry = (entry: SourceEntry.SourceEntry): ToolkitEntry => ({ id: entry.name, kind: "agent", entry })

const failed = (name: string = "agent", phase: SourceEntry.Phase, detail: string): ToolkitEntry =>
  asEntry(SourceEntry.failed(new SourceEntry.EntryError({ kind: "agent", entry: name, phase, detail })))

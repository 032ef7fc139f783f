/** A remote agent that joins a toolkit which is already there. */
import { type RemoteAgent, Source, SourceEntry, type ToolkitService } from "@effect-toolnexus/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { FoldedSources } from "./foldedSources.ts"

/** Without a name the entry is called after the card. */
export type AgentSource = (agent: RemoteAgent, name: string | undefined) => Layer.Layer<Source>

/** In the sources' scope: the agent goes when they go. */
export const addAgent = (
  { add, snapshots }: FoldedSources,
  agentSource: AgentSource = without,
  scope: Scope.Scope
): ToolkitService["addAgent"] =>
  Effect.fnUntraced(function*(agent, name) {
    const context = yield* Layer.buildWithScope(agentSource(agent, name), yield* Scope.fork(scope))
    const source = Context.get(context, Source)
    yield* add(source)
    const [entry = SourceEntry.disabled(name ?? UNNAMED)] = yield* Source.settled(source)
    const { entries } = SubscriptionRef.getUnsafe(snapshots)
    return entries.findLast((listed) => listed.entry === entry) ?? { id: entry.name, kind: "agent", entry }
  })

const UNNAMED = "agent"

const without: AgentSource = (_, name = UNNAMED) =>
  Source.fromEntries("agent", [
    SourceEntry.failed(
      new SourceEntry.EntryError({
        kind: "agent",
        entry: name,
        phase: "config",
        detail: "this toolkit was made of single sources and can't connect agents; give it the setting agentSource"
      })
    )
  ])

/** A remote agent that joins a toolkit which is already there. */
import { type RemoteAgent, Source, SourceEntry, type ToolkitEntry, type ToolkitService } from "@effect-toolnexus/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { FoldedSources } from "./foldedSources.ts"
import type { RunningCalls } from "./runningCalls.ts"

/** Without a name the entry is called after the card. */
export type AgentSource = (agent: RemoteAgent, name: string | undefined) => Layer.Layer<Source>

interface Toolkit extends FoldedSources, Pick<RunningCalls, "closed" | "isClosed"> {
  /** The sources' scope: the agent goes when they go. */
  readonly scope: Scope.Scope
}

/** An agent that is added again under its name takes the place of the earlier one. */
export const makeAddAgent = (
  { add, closed, isClosed, remove, scope, snapshots }: Toolkit,
  agentSource: AgentSource = without
): ToolkitService["addAgent"] => {
  const added = new Map<string, { readonly source: Source["Service"]; readonly scope: Scope.Closeable }>()
  return Effect.fnUntraced(function*(agent, name) {
    if (isClosed()) return asEntry(closedEntry(name))
    const own = yield* Scope.fork(scope)
    const source = Context.get(yield* Layer.buildWithScope(agentSource(agent, name), own), Source)
    const called = (yield* SubscriptionRef.get(source.entries))[0]?.name ?? name ?? UNNAMED
    const earlier = added.get(called)
    added.set(called, { source, scope: own })
    if (earlier !== undefined) {
      yield* remove(earlier.source)
      yield* Scope.close(earlier.scope, Exit.void)
    }
    yield* add(source)
    // a toolkit that closes meanwhile stops the connection, and the entry would stay on its way for ever
    const settled = yield* Effect.raceFirst(Effect.asSome(Source.settled(source)), Effect.as(closed, Option.none()))
    if (Option.isNone(settled)) return asEntry(closedEntry(called))
    const listed = SubscriptionRef.getUnsafe(snapshots).entries.filter(({ entry, kind }) =>
      kind === "agent" && entry.name === called
    )
    return listed.at(-1) ?? asEntry(settled.value[0] ?? closedEntry(called))
  })
}

const asEntry = (entry: SourceEntry.SourceEntry): ToolkitEntry => ({ id: entry.name, kind: "agent", entry })

const failedEntry = (name: string, phase: SourceEntry.Phase, detail: string) =>
  SourceEntry.failed(new SourceEntry.EntryError({ kind: "agent", entry: name, phase, detail }))

const closedEntry = (name: string = UNNAMED) => failedEntry(name, "connect", "the toolkit is closed")

const UNNAMED = "agent"

const without: AgentSource = (_, name = UNNAMED) =>
  Source.fromEntries("agent", [
    failedEntry(
      name,
      "config",
      "this toolkit was made of single sources and can't connect agents; give it the setting agentSource"
    )
  ])

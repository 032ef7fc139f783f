/**
 * Remote A2A agents as a source: each advertised skill is a tool, or each agent, and a call follows the agent's task to its
 * end (CONTRACT 8). How it is called, suspended and configured is in docs/agents.md.
 *
 * @since 0.1.0
 */
import { AgentRegistry } from "@effect-toolnexus/core/AgentRegistry"
import * as EntryOptions from "@effect-toolnexus/core/EntryOptions"
import type { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import { Source } from "@effect-toolnexus/core/Source"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { type AgentDefinition, entryNameOf } from "./AgentDefinition.ts"
import { type Outcome, settled } from "./internal/outcome.ts"

export {
  type AgentDefinition,
  type Decoded,
  decodeDefinition,
  diagnose,
  entryName,
  entryNameOf
} from "./AgentDefinition.ts"

/**
 * `agents`: each with the name of its entry, which must be distinct: its key in a configuration, or {@link entryName}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly agents: Iterable<readonly [entry: string, definition: AgentDefinition]>
  /** Entries whose definition couldn't even be decoded, to be listed after the agents; an agent added later may replace one. */
  readonly failed?: ReadonlyArray<SourceEntry.SourceEntry>
}

/**
 * A source of remote agents.
 *
 * **Details**
 *
 * All cards are fetched at once, each within its `timeout` and at most 30 seconds, while its entry is `Connecting`;
 * what goes wrong is the entry's own failure, a definition that makes no sense included. Entries and their tools come in
 * the order given. Every five minutes a card is read again, and a changed one changes the entry.
 *
 * **Example**
 *
 * ```ts
 * AgentSource.layer({
 *   agents: [["weather", { card: "https://agents.example/weather", headers: { Authorization: "Bearer ${TOKEN}" }, folder: "." }]]
 * })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = ({ agents, failed = [] }: Options): Layer.Layer<Source | AgentRegistry, never, Platform> =>
  Layer.effectContext(Effect.gen(function*() {
    const listed = [...agents]
    const onTheirWay = listed.map(([entry, definition]) => onItsWay(entry, definition))
    const board = yield* makeBoard([...onTheirWay, ...failed])
    for (const [entry, definition] of listed) yield* begin(board, entry, definition)
    return Context.make(Source, { kind: "agent", entries: board.entries }).pipe(
      Context.add(AgentRegistry, { add: yield* makeAdd(board) })
    )
  }))

type Platform = HttpConnections | FileSystem.FileSystem | Path.Path

/** What is known of all agents, and the entries made of it. */
interface Board {
  readonly outcomes: Map<string, Outcome>
  readonly entries: SubscriptionRef.SubscriptionRef<ReadonlyArray<SourceEntry.SourceEntry>>
  /** One life for each entry: a new one takes the place of the one before. */
  readonly lives: FiberMap.FiberMap<string>
}

const makeBoard = Effect.fnUntraced(
  function*(initial: ReadonlyArray<SourceEntry.SourceEntry>): Effect.fn.Return<Board, never, Scope.Scope> {
    const outcomes = new Map(initial.map((entry) => [entry.name, settled(entry)]))
    const entries = yield* SubscriptionRef.make(yield* toEntries([...outcomes.values()]))
    return { outcomes, entries, lives: yield* FiberMap.make<string>() }
  }
)

/** A toolkit without agents, which is most of them, doesn't load what speaks to them. */
const speech = Effect.promise(() => import("./internal/agentLife.ts"))
const naming = Effect.promise(() => import("./internal/agentTools.ts"))

const toEntries = (
  outcomes: ReadonlyArray<Outcome>
): Effect.Effect<ReadonlyArray<SourceEntry.SourceEntry>> => {
  const entries = outcomes.flatMap((outcome) => outcome._tag === "Settled" ? [outcome.entry] : [])
  return entries.length === outcomes.length
    ? Effect.succeed(entries)
    : Effect.flatMap(naming, (module) => module.toEntries(outcomes))
}

const onItsWay = (entry: string, definition: AgentDefinition): SourceEntry.SourceEntry =>
  SourceEntry.connecting(entry, EntryOptions.flagsOf(definition))

const begin = (board: Board, entry: string, definition: AgentDefinition) =>
  FiberMap.run(
    board.lives,
    entry,
    Effect.flatMap(speech, ({ live }) => live(entry, definition, (outcome) => put(board, entry, outcome)))
  )

/** Inside the update, since two agents may answer at once and names are given over all of them. */
const put = ({ entries, outcomes }: Board, entry: string, outcome: Outcome) =>
  SubscriptionRef.updateEffect(entries, () => {
    outcomes.set(entry, outcome)
    return toEntries([...outcomes.values()])
  })

const makeAdd = Effect.fnUntraced(function*(board: Board) {
  const platform = yield* Effect.context<Platform>()
  const folder = Context.get(platform, Path.Path).resolve(".")
  const add: AgentRegistry["Service"]["add"] = Effect.fnUntraced(function*(agent, name = entryNameOf(agent)) {
    const definition = { ...agent, folder }
    // first, or the earlier agent's answer could still come and be taken for this one's
    yield* FiberMap.remove(board.lives, name)
    yield* put(board, name, settled(onItsWay(name, definition)))
    yield* Effect.provideContext(begin(board, name, definition), platform)
    const isOwn = (entry: SourceEntry.SourceEntry) => entry.name === name
    const entries = yield* Source.settled({ kind: "agent", entries: board.entries }, isOwn)
    return entries.find(isOwn) ?? SourceEntry.disabled(name)
  })
  return add
})

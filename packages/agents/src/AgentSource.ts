/**
 * Remote A2A agents as a source: each advertised skill is a tool, and a call follows the agent's task to its end
 * (CONTRACT 8).
 *
 * @since 0.1.0
 */
import { AgentRegistry, Defect, type Redaction, Source, SourceEntry, Tracing } from "@effect-toolnexus/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as FileSystem from "effect/FileSystem"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as A2aClient from "./A2aClient.ts"
import type { A2aError } from "./A2aError.ts"
import type { AgentCard } from "./AgentCard.ts"
import { type AgentDefinition, check, entryNameOf, flagsOf, isDisabled } from "./AgentDefinition.ts"
import { type AgentAddress, resolve } from "./internal/agentAddress.ts"
import { type Outcome, toEntries } from "./internal/agentTools.ts"
import { discover } from "./internal/cardDiscovery.ts"
import * as Wire from "./internal/wire.ts"

export {
  type AgentDefinition,
  type Decoded,
  decodeDefinition,
  diagnose,
  entryName,
  entryNameOf,
  flagsOf
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
 * the order given.
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
    for (const [entry, definition] of listed) yield* connectInto(board, entry, definition)
    return Context.make(Source, { kind: "agent", entries: board.entries }).pipe(
      Context.add(AgentRegistry, { add: yield* makeAdd(board) })
    )
  }))

type Platform = HttpClient.HttpClient | FileSystem.FileSystem | Path.Path

/** What is known of all agents, and the entries made of it. */
interface Board {
  readonly outcomes: Map<string, Outcome>
  readonly entries: SubscriptionRef.SubscriptionRef<ReadonlyArray<SourceEntry.SourceEntry>>
  /** One connection for each entry: a new one takes the place of the one before. */
  readonly connecting: FiberMap.FiberMap<string>
  /** Holds calls in flight, which end together when the source is closed, not one after the other. */
  readonly calls: Scope.Scope
}

const makeBoard = Effect.fnUntraced(
  function*(initial: ReadonlyArray<SourceEntry.SourceEntry>): Effect.fn.Return<Board, never, Scope.Scope> {
    const calls = yield* Scope.fork(yield* Effect.scope, "parallel")
    const outcomes = new Map(initial.map((entry) => [entry.name, settled(entry)]))
    const entries = yield* SubscriptionRef.make(yield* toEntries([...outcomes.values()]))
    return { outcomes, entries, connecting: yield* FiberMap.make<string>(), calls }
  }
)

const settled = (entry: SourceEntry.SourceEntry): Outcome => ({ _tag: "Settled", entry })

const onItsWay = (entry: string, definition: AgentDefinition): SourceEntry.SourceEntry =>
  SourceEntry.connecting(entry, flagsOf(definition))

const connectInto = (board: Board, entry: string, definition: AgentDefinition) =>
  FiberMap.run(
    board.connecting,
    entry,
    Effect.flatMap(load(entry, definition, board.calls), (outcome) => put(board, entry, outcome))
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
    yield* FiberMap.remove(board.connecting, name)
    yield* put(board, name, settled(onItsWay(name, definition)))
    yield* Effect.provideContext(connectInto(board, name, definition), platform)
    const isOwn = (entry: SourceEntry.SourceEntry) => entry.name === name
    const entries = yield* Source.settled({ kind: "agent", entries: board.entries }, isOwn)
    return entries.find(isOwn) ?? SourceEntry.disabled(name)
  })
  return add
})

const load = (entry: string, given: AgentDefinition, calls: Scope.Scope) =>
  Effect.suspend(() => Effect.fromResult(check(entry, given))).pipe(
    Effect.flatMap((definition) =>
      isDisabled(definition) ? Effect.succeed(settled(SourceEntry.disabled(entry))) : open(entry, definition, calls)
    ),
    Effect.catchDefect((defect) => broken(entry, (text) => text, defect)),
    Effect.catch((error) => Effect.succeed(settled(SourceEntry.failed(error, flagsOf(given)))))
  )

const open = (entry: string, definition: AgentDefinition, calls: Scope.Scope) =>
  Effect.flatMap(
    resolve(entry, definition),
    (address) =>
      // a card that breaks us costs its own entry (CONTRACT 1)
      Effect.catchDefect(
        connect(entry, definition, address, calls),
        (defect) => broken(entry, address.credentials.redact, defect)
      )
  )

const broken = Effect.fnUntraced(function*(entry: string, redact: Redaction.Redaction, defect: unknown) {
  const id = yield* Defect.log(`agent "${entry}"`, defect, redact)
  return yield* fail(entry, "initialize", `it broke unexpectedly (${id})`)
})

const fail = (entry: string, phase: SourceEntry.Phase, detail: string) =>
  new SourceEntry.EntryError({ kind: "agent", entry, phase, detail })

/** Milliseconds; agents work for minutes (CONTRACT 8). */
const DEFAULT_TIMEOUT = 300_000
const DEFAULT_POLL_EVERY = 1000

const connect = Effect.fnUntraced(function*(
  entry: string,
  definition: AgentDefinition,
  address: AgentAddress,
  calls: Scope.Scope
) {
  const { maxConcurrent, pollEvery = DEFAULT_POLL_EVERY, timeout = DEFAULT_TIMEOUT } = definition
  const card = yield* Tracing.entrySpan(fetchCard(entry, address, timeout), "source.connect", {
    "toolnexus.source": "a2a",
    "toolnexus.entry": entry
  })
  const client = yield* A2aClient.make({ card, headers: address.credentials.headersFor(address.url) })
  const { redact } = address.credentials
  const permits = maxConcurrent === undefined ? undefined : yield* Semaphore.make(Math.max(1, maxConcurrent))
  const agent = { entry, name: redact(card.name), client, timeout, pollEvery, permits, redact, scope: calls }
  const outcome: Outcome = { _tag: "Connected", connection: { agent, card, flags: flagsOf(definition) } }
  return outcome
})

/** Milliseconds: a card is a small file, however long the agent works (CONTRACT 8). */
const CARD_TIMEOUT = 30_000

const fetchCard = Effect.fnUntraced(
  function*(
    entry: string,
    { credentials, url }: AgentAddress,
    timeout: number
  ): Effect.fn.Return<AgentCard, SourceEntry.EntryError, HttpClient.HttpClient> {
    const limit = Math.min(timeout, CARD_TIMEOUT)
    const answered = yield* Ref.make(false)
    const wire = yield* Wire.make(credentials)
    return yield* discover(wire, url, Ref.set(answered, true)).pipe(
      Effect.mapError((error) => fail(entry, phaseOf(error), credentials.redact(error.message))),
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () =>
          Effect.flatMap(
            Ref.get(answered),
            (isAnswering) =>
              fail(entry, isAnswering ? "initialize" : "connect", `its card did not come within ${limit} ms`)
          )
      })
    )
  }
)

const phaseOf = ({ reason }: A2aError): SourceEntry.Phase => reason._tag === "Unreachable" ? "connect" : "initialize"

/** What is known of all servers, and the entries made of it. */
import type { SourceEntry } from "@effect-toolnexus/core/SourceEntry"
import * as ToolName from "@effect-toolnexus/core/ToolName"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { ReadServer } from "./readServers.ts"
import { connecting, type ServerState } from "./serverState.ts"
import { makeToEntries } from "./toEntries.ts"

export interface ServerBoard {
  readonly entries: SubscriptionRef.SubscriptionRef<ReadonlyArray<SourceEntry>>
  readonly states: Effect.Effect<ReadonlyMap<string, ServerState>>
  /** Sets what is known of a server; nothing is kept of one whose change gives nothing. */
  readonly update: (
    name: string,
    change: (state: ServerState | undefined) => ServerState | undefined
  ) => Effect.Effect<void>
}

export const makeBoard = Effect.fnUntraced(function*(sorted: ReadonlyArray<ReadServer>) {
  let states: ReadonlyMap<string, ServerState> = new Map(sorted.map((server) => [server.name, connecting(server)]))
  const toEntries = makeToEntries()
  const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry>>(yield* toEntries(states))
  const lock = yield* Semaphore.make(1)
  // two servers may change at once, and names are given over all of them; a state that breaks that is not kept
  const update: ServerBoard["update"] = (name, change) =>
    lock.withPermit(Effect.uninterruptible(Effect.suspend(() => {
      const state = change(states.get(name))
      if (state === states.get(name)) return Effect.void
      const next = withState(states, name, state)
      return Effect.flatMap(toEntries(next), (made) => {
        states = next
        return SubscriptionRef.set(entries, made)
      })
    })))
  const board: ServerBoard = { entries, states: Effect.sync(() => states), update }
  return board
})

/** In the order of names. */
const withState = (
  states: ReadonlyMap<string, ServerState>,
  name: string,
  state: ServerState | undefined
): ReadonlyMap<string, ServerState> => {
  const next = new Map(states)
  if (state === undefined) next.delete(name)
  else next.set(name, state)
  return states.has(name) ? next : new Map([...next].toSorted(([left], [right]) => ToolName.byCodePoints(left, right)))
}

/** What differs between two snapshots, as a reader of the stream of changes sees it. */
import type { Change, Snapshot, Tool } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"

/** Snapshots that wait for a slow reader; older ones are skipped, and the difference is to the one it saw last. */
const WAITING = 16

export const changesOf = (
  snapshots: SubscriptionRef.SubscriptionRef<Snapshot>,
  closed: Effect.Effect<void>,
  show: (snapshot: Snapshot) => Snapshot
): Stream.Stream<Change> =>
  SubscriptionRef.changes(snapshots).pipe(
    Stream.map(show),
    Stream.changesWith((left, right) => left === right),
    Stream.buffer({ capacity: WAITING, strategy: "sliding" }),
    Stream.interruptWhen(closed),
    Stream.mapAccum((): Snapshot | undefined => undefined, (before, snapshot) => [
      snapshot,
      [{ snapshot, ...difference(before ?? snapshot, snapshot) }]
    ])
  )

const difference = (before: Snapshot, now: Snapshot) => ({
  added: now.toolNames.filter((name) => !before.byName.has(name)),
  removed: before.toolNames.filter((name) => !now.byName.has(name)),
  changed: now.toolNames.filter((name) => {
    const [old, tool] = [before.byName.get(name), now.byName.get(name)]
    return old !== undefined && tool !== undefined && old !== tool && !Equal.equals(described(old), described(tool))
  })
})

/** All of a tool that a model or a person can tell the difference of. */
const described = ({ annotations, description, inputSchema, origin, outputSchema }: Tool.Tool) => [
  description,
  inputSchema,
  outputSchema,
  annotations,
  origin
]

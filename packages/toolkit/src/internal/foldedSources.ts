/** The sources of a toolkit while it lives, and the snapshot that is folded anew whenever one of them changes. */
import { Defect, type Snapshot, type Source } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { fold, type FoldOptions } from "./fold.ts"

export interface FoldedSources {
  /** Every snapshot, for those who follow; one comes soon after what it is made of. */
  readonly snapshots: SubscriptionRef.SubscriptionRef<Snapshot>
  /** Whatever the sources hold now: who just added a server, and was told that it is there, finds its tools. */
  readonly current: Effect.Effect<Snapshot>
  /** Adds a source below those of its kind. */
  readonly add: (source: Source["Service"]) => Effect.Effect<void>
}

export const foldSources = Effect.fnUntraced(
  function*(initial: ReadonlyArray<Source["Service"]>, options: FoldOptions): Effect.fn.Return<
    FoldedSources,
    never,
    Scope.Scope
  > {
    const scope = yield* Effect.scope
    let sources = initial
    const read = () => sources.map(({ entries, kind }) => ({ kind, entries: SubscriptionRef.getUnsafe(entries) }))
    let folded = read()
    const isFolded = () =>
      sources.length === folded.length &&
      sources.every(({ entries }, index) => SubscriptionRef.getUnsafe(entries) === folded[index]?.entries)
    const snapshots = yield* SubscriptionRef.make(fold(folded, options))
    // inside the update, so that a slower fold can't put an older state over a newer one
    const refold = SubscriptionRef.update(snapshots, (snapshot) => {
      if (isFolded()) return snapshot
      folded = read()
      return fold(folded, options)
    }).pipe(
      // a fold that breaks must not end the fiber that follows a source: the next change is folded again
      Effect.catchDefect((defect) => Defect.log("folding the sources", defect)),
      Effect.asVoid
    )
    const follow = ({ entries }: Source["Service"]) =>
      Effect.forkIn(Stream.runForEach(SubscriptionRef.changes(entries), () => refold), scope, {
        startImmediately: true
      })
    yield* Effect.forEach(initial, follow, { discard: true })
    const add = (source: Source["Service"]) =>
      Effect.andThen(
        Effect.sync(() => {
          const last = sources.findLastIndex(({ kind }) => kind === source.kind)
          sources = sources.toSpliced(last === -1 ? sources.length : last + 1, 0, source)
        }),
        Effect.andThen(refold, follow(source))
      )
    const latest = SubscriptionRef.get(snapshots)
    const current = Effect.suspend(() =>
      isFolded() ? Effect.succeed(SubscriptionRef.getUnsafe(snapshots)) : Effect.andThen(refold, latest)
    )
    return { snapshots, current, add }
  }
)

/** The sources of a toolkit while it lives, and the snapshot that is folded anew whenever one of them changes. */
import { Defect, type Snapshot, type Source, type SourceEntry } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { fold, type FoldOptions } from "./fold.ts"

export interface FoldedSources {
  readonly snapshots: SubscriptionRef.SubscriptionRef<Snapshot>
  /** Adds a source below those of its kind. */
  readonly add: (source: Source["Service"]) => Effect.Effect<void>
  /** Brings the snapshot up to date at once with what the sources hold, which otherwise happens soon. */
  readonly refold: Effect.Effect<void>
}

export const foldSources = Effect.fnUntraced(
  function*(initial: ReadonlyArray<Source["Service"]>, options: FoldOptions): Effect.fn.Return<
    FoldedSources,
    never,
    Scope.Scope
  > {
    const scope = yield* Effect.scope
    let sources = initial
    const current = () => sources.map(({ entries, kind }) => ({ kind, entries: SubscriptionRef.getUnsafe(entries) }))
    let folded = current()
    const snapshots = yield* SubscriptionRef.make(fold(folded, options))
    // inside the update, so that a slower fold can't put an older state over a newer one
    const refold = SubscriptionRef.update(snapshots, (snapshot) => {
      const next = current()
      if (isSame(next, folded)) return snapshot
      folded = next
      return fold(next, options)
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
    return { snapshots, add, refold }
  }
)

type States = ReadonlyArray<{ readonly entries: ReadonlyArray<SourceEntry.SourceEntry> }>

const isSame = (next: States, folded: States): boolean =>
  next.length === folded.length && next.every(({ entries }, index) => entries === folded[index]?.entries)

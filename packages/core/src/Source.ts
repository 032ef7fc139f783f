/**
 * A source is a layer that never fails: it provides this key, and what becomes of its entries is data that may change
 * while it lives. The layer is built at once; entries that take time to connect are `Connecting` until they have. A
 * source that learns something new (a server's list changed, a connection came back) sets its entries; whoever holds them
 * sees the change.
 *
 * **Gotchas**
 *
 * Several layers of this one key never meet in `Layer.mergeAll`: the last one wins without a word. Hand them to
 * `ToolkitLayer.make`, in the order of their precedence.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { SourceEntry, SourceKind } from "./SourceEntry.ts"

/**
 * **Example** (A source of one's own)
 *
 * ```ts
 * const clock = Source.fromEntries("extra", [SourceEntry.loaded("clock", { tools: [now] })])
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Source extends Context.Service<Source, {
  readonly kind: SourceKind
  /** The entries now, and every change of them. */
  readonly entries: SubscriptionRef.SubscriptionRef<ReadonlyArray<SourceEntry>>
}>()("@effect-toolnexus/core/Source") {
  /** A source whose entries stay as they are. */
  static readonly fromEntries = (kind: SourceKind, entries: ReadonlyArray<SourceEntry>): Layer.Layer<Source> =>
    Layer.effect(
      Source,
      Effect.map(SubscriptionRef.make(entries), (ref) => ({ kind, entries: ref }))
    )

  /** Waits until none of its entries (of those that count) is on its first way any more, and gives all entries. */
  static readonly settled = (
    { entries }: Source["Service"],
    counts: (entry: SourceEntry) => boolean = () => true
  ): Effect.Effect<ReadonlyArray<SourceEntry>> =>
    SubscriptionRef.changes(entries).pipe(
      Stream.filter((current) => !current.some((entry) => entry._tag === "Connecting" && counts(entry))),
      Stream.runHead,
      Effect.map(Option.getOrElse(() => []))
    )
}

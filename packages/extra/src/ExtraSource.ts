/**
 * Functions of one's own as a source. They can't fail to load, so their entry has no status of its own; what their
 * handlers ask for, the layer asks for.
 *
 * @since 0.1.0
 */
import { Source, SourceEntry, Tool } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"

/**
 * A source of the given tools, in the given order.
 *
 * **Example**
 *
 * ```ts
 * ExtraSource.layer([defineTool({ name: "now", handler: () => Effect.map(DateTime.now, DateTime.formatIso) })])
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never>(tools: ReadonlyArray<Tool.Tool<R>>): Layer.Layer<Source, never, R> =>
  Layer.effect(
    Source,
    Effect.gen(function*() {
      const context = yield* Effect.context<R>()
      const provided = tools.map((tool) => Tool.provideContext(tool, context))
      const entries = provided.length === 0 ? [] : [SourceEntry.loaded(ENTRY, { tools: provided, unlisted: true })]
      return {
        kind: "extra" as const,
        entries: yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>(entries)
      }
    })
  )

const ENTRY = "<tools>"

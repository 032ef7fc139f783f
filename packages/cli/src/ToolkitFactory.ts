/**
 * How the command comes by its toolkit: one function from options to a layer, so that a test, or a host with a command
 * of its own, can put another in its place.
 *
 * @since 0.1.0
 */
import type { SourceEntry, Toolkit } from "@effect-toolnexus/core"
import type { ToolkitOptions } from "@effect-toolnexus/toolkit/ToolkitOptions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Where the layer also provides `SkillSource`, the command `skills` tells what was skipped, and why.
 *
 * @category models
 * @since 0.1.0
 */
export type ToolkitFactory = (options: ToolkitOptions) => Layer.Layer<Toolkit, SourceEntry.RequiredEntriesFailed>

/**
 * The function in use. Default: `ToolkitLive`, loaded when the first toolkit is built, so that `--help` doesn't wait for
 * the protocols.
 *
 * **Example** (A command over tools of one's own)
 *
 * ```ts
 * program.pipe(Effect.provideService(ToolkitFactory, () => ToolkitLayer.make([ExtraSource.layer([weather])])))
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const ToolkitFactory: Context.Reference<ToolkitFactory> = Context.Reference(
  "@effect-toolnexus/cli/ToolkitFactory",
  { defaultValue: () => live }
)

const live: ToolkitFactory = (options) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@effect-toolnexus/toolkit/ToolkitLive")),
      ({ ToolkitLive }) => ToolkitLive(options)
    )
  )

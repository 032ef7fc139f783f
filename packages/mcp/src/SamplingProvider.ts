/**
 * A model that a host lends to MCP servers (MCP 2025-11-25, Sampling). Where it provides none, servers aren't told that
 * they may ask.
 *
 * @since 0.1.0
 */
import type { JsonObject } from "@effect-toolnexus/core/Json"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * What a server asks the model: `params` of `sampling/createMessage` as they stand. `context` is what the caller attached
 * to the call in which it is asked, as far as that can be told.
 *
 * @category models
 * @since 0.1.0
 */
export interface SamplingRequest {
  readonly server: string
  readonly params: JsonObject
  readonly context: unknown
}

/**
 * The host, or a person, says no; the server is told `reason`.
 *
 * @category errors
 * @since 0.1.0
 */
export class SamplingRefused extends Schema.TaggedError<SamplingRefused>(
  "@effect-toolnexus/mcp/SamplingProvider/SamplingRefused"
)("SamplingRefused", { reason: Schema.String }) {}

/**
 * Gives the result of `sampling/createMessage`: `role`, `content`, `model` and what else the protocol has. The call in
 * which it is asked waits, and so do its limits. Interrupted when the server withdraws its request.
 *
 * **Example**
 *
 * ```ts
 * const Sampling = Layer.succeed(SamplingProvider, ({ params }) =>
 *   Effect.map(answer(params), (text) => ({ role: "assistant", content: { type: "text", text }, model: "mine" })))
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const SamplingProvider: Context.Reference<SamplingProviderService | undefined> = Context.Reference<
  SamplingProviderService | undefined
>("@effect-toolnexus/mcp/SamplingProvider", { defaultValue: () => undefined })

/**
 * @category models
 * @since 0.1.0
 */
export type SamplingProviderService = (request: SamplingRequest) => Effect.Effect<JsonObject, SamplingRefused>

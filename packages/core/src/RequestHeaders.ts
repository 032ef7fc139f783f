/**
 * Headers that a host makes for each request to a remote server, be it one of MCP, an agent or an endpoint: a token for the
 * user whose call it is, a trace, a tenant.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SourceKind } from "./SourceEntry.ts"

/**
 * `context` is what the caller attached to its call, and nothing where the request belongs to no call. They go to the
 * server's own origin only, and win over those of the configuration. A defect fails that request.
 *
 * **Example**
 *
 * ```ts
 * const Headers = Layer.succeed(RequestHeaders, ({ context }) =>
 *   Effect.map(tokenOf(context), (token) => ({ Authorization: `Bearer ${token}` })))
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const RequestHeaders: Context.Reference<RequestHeadersService | undefined> = Context.Reference<
  RequestHeadersService | undefined
>("@effect-toolnexus/core/RequestHeaders", { defaultValue: () => undefined })

/**
 * @category models
 * @since 0.1.0
 */
export type RequestHeadersService = (request: {
  readonly kind: SourceKind
  /** The entry whose request it is, by its name in the configuration. */
  readonly entry: string
  readonly context: unknown
}) => Effect.Effect<Readonly<Record<string, string>>>

/**
 * Where a remote server's tokens come from: a host's store, a login that it runs, a flow of OAuth. Without one, a server
 * that asks who we are is `NeedsAuth`, with its challenge in the error.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { SourceKind } from "./SourceEntry.ts"

/**
 * How a server asked who we are: the status (401 or 403), the URL that was asked for, and its `WWW-Authenticate` header as
 * it stands (RFC 9110, RFC 6750, RFC 9728). `context` is what the caller attached to its call, where it was one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Challenge {
  readonly kind: SourceKind
  /** The entry whose server asks, by its name in the configuration. */
  readonly entry: string
  readonly status: number
  readonly url: string
  readonly header: string
  readonly context?: unknown
}

/**
 * Asked when a server challenges a request, and not before. A token is sent as `Authorization: Bearer ...` with that request,
 * repeated once, and with those that follow in the session; nothing leaves the challenge as it is.
 *
 * **Example**
 *
 * ```ts
 * const Tokens = Layer.succeed(TokenProvider, ({ entry }) => Effect.map(vault.find(entry), Option.fromNullishOr))
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const TokenProvider: Context.Reference<TokenProviderService | undefined> = Context.Reference<
  TokenProviderService | undefined
>("@effect-toolnexus/core/TokenProvider", { defaultValue: () => undefined })

/**
 * @category models
 * @since 0.1.0
 */
export type TokenProviderService = (challenge: Challenge) => Effect.Effect<Option.Option<string>>

/**
 * How a host answers suspensions inline: a terminal prompt, a dialog, a chat message. A toolkit takes it once, when it
 * is built (CONTRACT 11); without one, a suspended call comes back to its caller.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Answer } from "./Answer.ts"
import type { Request } from "./Request.ts"

/**
 * Asks a person. Interrupted when the question is withdrawn. `context` is what the caller attached to its call.
 *
 * @category models
 * @since 0.1.0
 */
export type Resolver = (request: Request, context: unknown) => Effect.Effect<Answer>

/**
 * Default: there is nobody to ask.
 *
 * **Example**
 *
 * ```ts
 * const AlwaysYes = Layer.succeed(HostResolver, (request) => Effect.succeed(Answer.make(request, true)))
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const HostResolver: Context.Reference<Resolver | undefined> = Context.Reference<Resolver | undefined>(
  "@effect-toolnexus/core/HostResolver",
  { defaultValue: () => undefined }
)

/**
 * Who answers what is asked in the middle of a call, as an MCP server does by elicitation, where suspensions are answered
 * another way: by whoever called, once the call has come back. Default: whoever answers suspensions inline, if anybody.
 *
 * @category references
 * @since 0.1.0
 */
export const InlineResolver: Context.Reference<Resolver | undefined> = Context.Reference<Resolver | undefined>(
  "@effect-toolnexus/core/InlineResolver",
  { defaultValue: () => undefined }
)

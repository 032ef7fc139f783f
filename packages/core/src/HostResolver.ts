/**
 * The service through which a host answers suspensions inline: a terminal prompt, a dialog, a chat message. A toolkit
 * takes it once, when it is built (CONTRACT 11).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Answer } from "./Answer.ts"
import type { Request } from "./Request.ts"

/**
 * **Example**
 *
 * ```ts
 * const AlwaysYes = Layer.succeed(HostResolver, { resolve: (request) => Effect.succeed(Answer.make(request, true)) })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class HostResolver extends Context.Service<HostResolver, {
  /** Asks the person. Interrupted when the question is withdrawn. */
  readonly resolve: (request: Request) => Effect.Effect<Answer>
}>()("@effect-toolnexus/core/HostResolver") {}

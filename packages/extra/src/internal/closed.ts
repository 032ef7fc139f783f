/** How calls hear that their source is closed. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Ends the calls that are under way when the scope closes, and any that come later. */
export const makeClosed: Effect.Effect<Deferred.Deferred<void>, never, Scope.Scope> = Effect.acquireRelease(
  Deferred.make<void>(),
  (closed) => Deferred.succeed(closed, undefined)
)

import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** Starts an Effect where there is none to wait in, e.g. in a callback; its fiber ends with the scope that gave this. */
export type Run = (effect: Effect.Effect<void>) => Fiber.Fiber<unknown, unknown>

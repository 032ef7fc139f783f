/** Processes end in real time, whatever clock a test has put in place: waiting for them must never hang on that clock. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const live = Clock.Clock.defaultValue()

export const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, live)

/** In milliseconds. */
export const realTime = (): number => live.currentTimeMillisUnsafe()

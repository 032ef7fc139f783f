/** Processes end in real time, whatever clock a test has put in place: waiting for them must never hang on that clock. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const live = Clock.Clock.defaultValue()

export const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, live)

/** Milliseconds since some moment: it never jumps, as the time of day does. */
export const elapsedMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe() / NANOS_PER_MICRO) / 1000

const NANOS_PER_MICRO = 1000n

export const realTime = (): number => elapsedMillis(live)

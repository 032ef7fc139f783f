/** When a stream of events that ended too early is asked for again. */
import type { Position } from "@effect-toolnexus/core/EventStream"
import * as Effect from "effect/Effect"

/** So often in a row a stream is asked for that brings nothing. */
export const MAX_IDLE_STREAMS = 5

const FIRST_DELAY_MILLIS = 1000
/** A server that asks us back at once, for ever, must not keep a processor busy. */
const MIN_DELAY_MILLIS = 100
const MAX_DELAY_MILLIS = 30_000

/** Before the n-th attempt in a row: what the server wants, or longer each time. */
export const pauseBefore = (attempt: number, { retry }: Position): Effect.Effect<void> =>
  Effect.sleep(
    Math.max(MIN_DELAY_MILLIS, Math.min(retry ?? FIRST_DELAY_MILLIS * 2 ** (attempt - 1), MAX_DELAY_MILLIS))
  )

/** When a server whose connection was lost is connected again, and when that is given up. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { EnabledServer } from "../McpConfig.ts"

/** So often in a row; a connection that lasts starts the count anew. A server elsewhere that is away has no such bound. */
export const MAX_REPAIRS = 8

/** Who was connected for so long is no server that keeps crashing. */
const LASTING_MILLIS = 60_000

/** A connection to a server elsewhere may be ended by a proxy on the way, each time that it was quiet for less than that. */
const LASTING_ELSEWHERE_MILLIS = 10_000

const FIRST_DELAY_MILLIS = 250
const MAX_DELAY_MILLIS = 30_000

export const isLasting = ({ _tag }: EnabledServer, millis: number): boolean =>
  millis >= (_tag === "Remote" ? LASTING_ELSEWHERE_MILLIS : LASTING_MILLIS)

/**
 * How long to wait before the next of so many attempts, in milliseconds: twice as long each time, and less by up to a
 * half, so that servers which were lost together don't come back all at once.
 */
export const repairDelay = (attempt: number): Effect.Effect<number> => {
  const longest = Math.min(FIRST_DELAY_MILLIS * 2 ** (attempt - 1), MAX_DELAY_MILLIS)
  return Effect.map(Random.nextBetween(0.5, 1), (share) => Math.round(longest * share))
}

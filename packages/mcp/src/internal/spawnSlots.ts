/** How many processes are being spawned at once. */
import * as Semaphore from "effect/Semaphore"

/** More at once are not ready sooner, they only fight for the machine. */
const SPAWNED_AT_ONCE = 16

export const makeSlots = Semaphore.make(SPAWNED_AT_ONCE)

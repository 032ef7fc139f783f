/** A limit that stands still while a person is waited for. */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export class Countdown {
  readonly #clock: Clock.Clock
  #end: number
  #holds = 0
  #heldAt = 0
  #released = Deferred.makeUnsafe<void>()

  /** `limit` is in milliseconds, from now on. */
  constructor(clock: Clock.Clock, limit: number) {
    this.#clock = clock
    this.#end = this.#now + limit
  }

  /** Stops it; what it gives, called once, lets it go on. Several may hold it. */
  readonly hold = (): () => void => {
    if (this.#holds++ === 0) {
      this.#heldAt = this.#now
      this.#released = Deferred.makeUnsafe()
    }
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      if (--this.#holds > 0) return
      this.#end += this.#now - this.#heldAt
      Deferred.doneUnsafe(this.#released, Effect.void)
    }
  }

  /** Done when the time is over. */
  readonly over: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#holds > 0) return Effect.andThen(Deferred.await(this.#released), this.over)
    const left = this.#end - this.#now
    return left <= 0 ? Effect.void : Effect.andThen(this.#clock.sleep(Duration.millis(left)), this.over)
  })

  /** Time as it passes, whatever somebody sets the clock to. */
  get #now(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / 1e6
  }
}

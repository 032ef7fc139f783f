/** When open requests have to end. One timer serves them all, set for the first that is due. */
import { InFlight, type Member } from "@effect-toolnexus/core/InFlight"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { elapsedMillis } from "./liveClock.ts"
import type { Run } from "./run.ts"

/** Something that ends in time unless it is removed; `due` may move on meanwhile. In milliseconds. */
export interface Deadline extends Member {
  readonly due: number
  readonly expire: (now: number) => void
}

export class Deadlines {
  readonly #clock: Clock.Clock
  readonly #run: Run
  readonly #open = new InFlight<Deadline>()
  #timer: ReturnType<Run> | undefined
  #timerDue = Infinity

  /** `run` starts the timer. */
  constructor(clock: Clock.Clock, run: Run) {
    this.#clock = clock
    this.#run = run
  }

  /** Time as it passes, whatever somebody sets the clock to. */
  get now(): number {
    return elapsedMillis(this.#clock)
  }

  add(deadline: Deadline) {
    this.#open.add(deadline)
    this.#setTimer(deadline.due)
  }

  /** It is due earlier than it was. */
  renew(deadline: Deadline) {
    if (this.#open.has(deadline)) this.#setTimer(deadline.due)
  }

  /** The timer stays: what is due next is seen when it rings, which is cheaper than to set it anew for every request. */
  remove(deadline: Deadline) {
    this.#open.delete(deadline)
  }

  #setTimer(due: number) {
    if (due >= this.#timerDue || due === Infinity) return
    this.#timer?.interruptUnsafe()
    this.#timerDue = due
    const wait = Duration.millis(Math.max(0, due - this.now))
    this.#timer = this.#run(Effect.andThen(this.#clock.sleep(wait), Effect.sync(() => this.#ring())))
  }

  #ring() {
    this.#timerDue = Infinity
    const now = this.now
    let next = Infinity
    for (const deadline of this.#open.now) {
      if (deadline.due > now) {
        next = Math.min(next, deadline.due)
      } else {
        this.#open.delete(deadline)
        deadline.expire(now)
      }
    }
    if (next < Infinity) this.#setTimer(next)
  }
}

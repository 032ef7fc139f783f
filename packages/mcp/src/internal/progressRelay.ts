/**
 * Progress comes in callbacks of whoever reads the connection, and is reported as Effects of the caller's: in order, all
 * of it before the result, and none after the call was interrupted. A call without progress pays nothing for it.
 */
import type { Progress } from "@effect-toolnexus/core/ToolCall"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Run } from "./run.ts"

/** Reports that may wait for a slow caller; of more, the oldest are dropped: the newer ones say what they said. */
const MAX_WAITING = 64

/** For so long a listener may hold up an answer that is there already, or the end of its call. */
const MAX_HOLD_UP = "1 second"

export class ProgressRelay {
  readonly #run: Run
  readonly #context: Context.Context<never>
  readonly #report: (progress: Progress) => Effect.Effect<void>
  readonly #waiting: Array<Progress> = []
  #fiber: Fiber.Fiber<unknown, unknown> | undefined
  #isRelaying = false
  #isStopped = false

  constructor(run: Run, context: Context.Context<never>, report: (progress: Progress) => Effect.Effect<void>) {
    this.#run = run
    this.#context = context
    this.#report = report
  }

  push(progress: Progress) {
    if (this.#isStopped) return
    this.#waiting.push(progress)
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()
    if (this.#isRelaying) return
    this.#isRelaying = true
    this.#fiber = this.#run(Effect.provideContext(this.#relay(), this.#context))
  }

  /** All that was pushed has been reported; or the listener is too slow, and was stopped. */
  get drained(): Effect.Effect<void> {
    return this.#isRelaying ? Effect.onExit(this.#ended, () => Effect.sync(() => this.#halt())) : Effect.void
  }

  /** No report begins after this. */
  get stop(): Effect.Effect<void> {
    return Effect.uninterruptible(Effect.suspend(() => {
      this.#halt()
      return this.#ended
    }))
  }

  #halt() {
    this.#isStopped = true
    this.#waiting.length = 0
    this.#fiber?.interruptUnsafe()
  }

  /** The listener's end, which it may put off, but not for ever. */
  get #ended(): Effect.Effect<void> {
    if (!this.#isRelaying || this.#fiber === undefined) return Effect.void
    return Effect.asVoid(Effect.timeoutOption(Fiber.await(this.#fiber), MAX_HOLD_UP))
  }

  #relay(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const next = this.#waiting.shift()
      if (next === undefined) {
        this.#isRelaying = false
        return Effect.void
      }
      // a defect of whoever listens is no reason to end the call it listens to
      return Effect.andThen(Effect.exit(this.#report(next)), this.#relay())
    })
  }
}

/**
 * The calls in flight belong to the toolkit: closing it ends them, and waits a while until their finalizers have run. A call
 * that can't be ended is left to itself: the servers behind it must not wait for it.
 */
import { InFlight, type Middleware, type Tool, type ToolError, type ToolResult } from "@effect-toolnexus/core"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { leave, type Leaving, type Outcome, unavailable } from "./outcome.ts"

export interface RunningCalls {
  /** The outermost stage: runs a call in a fiber of the toolkit's own, and lets its results leave in their final form. */
  readonly stage: Middleware.Middleware
  /** Done when the toolkit begins to close. */
  readonly closed: Effect.Effect<void>
  readonly isClosed: () => boolean
}

/** A call that isn't over, and whoever waits for its outcome. */
class RunningCall extends InFlight.Member {
  readonly fiber: Fiber.Fiber<ToolResult.ToolResult, ToolError.ToolError>
  readonly #toOutcome: (exit: Outcome) => Outcome
  #resume: ((outcome: Outcome) => void) | undefined

  constructor(fiber: RunningCall["fiber"], toOutcome: (exit: Outcome) => Outcome) {
    super()
    this.fiber = fiber
    this.#toOutcome = toOutcome
  }

  readonly settle = (exit: Outcome) => this.#resume?.(this.#toOutcome(exit))

  /** Gives the caller its answer, though the call itself goes on. */
  abandon() {
    this.settle(Exit.interrupt())
  }

  get outcome(): ReturnType<Tool.Handler> {
    return Effect.callback((resume) => {
      this.#resume = resume
      this.fiber.addObserver(this.settle)
    })
  }
}

type Running = InFlight.InFlight<RunningCall>

/** How long the close waits for calls to end; with what sources need, it stays within three seconds. */
const PATIENCE = "500 millis"

/** Whatever clock a test has stopped: a close must not wait for that. */
const live = Clock.Clock.defaultValue()

export const makeRunningCalls = Effect.fnUntraced(function*(
  maxOutput: number
): Effect.fn.Return<RunningCalls, never, Scope.Scope> {
  const running = new InFlight.InFlight<RunningCall>()
  const closed = yield* Deferred.make<void>()
  let isClosed = false
  yield* Effect.addFinalizer(() =>
    Effect.withFiber((closing) => {
      isClosed = true
      Deferred.doneUnsafe(closed, Effect.void)
      // a handler may close the toolkit it was called by, and can't wait for itself
      const others = running.now.filter(({ fiber }) => fiber !== closing)
      for (const { fiber } of running.now) fiber.interruptUnsafe()
      return Effect.forEach(others, ({ fiber }) => Fiber.await(fiber), { concurrency: "unbounded" }).pipe(
        Effect.timeoutOption(PATIENCE),
        Effect.provideService(Clock.Clock, live),
        Effect.andThen(Effect.sync(() => running.now.forEach((call) => call.abandon())))
      )
    })
  )
  const leaving: Leaving = { isClosed: () => isClosed, maxOutput }
  const stage: Middleware.Middleware = (_, next) => (args, call) =>
    isClosed
      ? Effect.fail(unavailable(call.toolName, "the toolkit is closed"))
      : runIn(running, next(args, call), leaving.isClosed, (exit) => leave(exit, call.toolName, leaving))
  return { stage, closed: Deferred.await(closed), isClosed: leaving.isClosed }
})

/** In a fiber of its own, that ends with its caller as well. */
const runIn = (
  running: Running,
  effect: ReturnType<Tool.Handler>,
  isClosed: () => boolean,
  toOutcome: (exit: Outcome) => Outcome
): ReturnType<Tool.Handler> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) => {
      // it closed the toolkit before it could be counted
      if (isClosed()) fiber.interruptUnsafe()
      const exit = fiber.pollUnsafe() ?? (isClosed() ? Exit.interrupt() : undefined)
      if (exit !== undefined) return toOutcome(exit)
      const call = new RunningCall(fiber, toOutcome)
      running.add(call)
      return Effect.onExit(restore(call.outcome), (outcome) => {
        running.delete(call)
        return Exit.hasInterrupts(outcome) ? Fiber.interrupt(fiber) : Effect.void
      })
    })
  )

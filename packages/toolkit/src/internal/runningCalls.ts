/**
 * The calls in flight belong to the toolkit: closing it ends them, and waits a while until their finalizers have run. A call
 * that can't be ended is left to itself: the servers behind it must not wait for it.
 */
import { InFlight, type Middleware, type Tool, ToolError, type ToolResult } from "@effect-toolnexus/core"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

export interface RunningCalls {
  /** The outermost stage: runs a call in a fiber of the toolkit's own. */
  readonly stage: Middleware.Middleware
  /** Done when the toolkit begins to close. */
  readonly closed: Effect.Effect<void>
  readonly isClosed: () => boolean
}

type Outcome = Exit.Exit<ToolResult.ToolResult, ToolError.ToolError>

class RunningCall extends InFlight.Member {
  readonly fiber: Fiber.Fiber<ToolResult.ToolResult, ToolError.ToolError>
  /** Gives the caller its answer, though the call itself goes on. */
  readonly abandon: () => void
  constructor(fiber: RunningCall["fiber"], abandon: () => void) {
    super()
    this.fiber = fiber
    this.abandon = abandon
  }
}

type Running = InFlight.InFlight<RunningCall>

/** How long the close waits for calls to end; with what sources need, it stays within three seconds. */
const PATIENCE = "500 millis"

/** Whatever clock a test has stopped: a close must not wait for that. */
const live = Clock.Clock.defaultValue()

export const makeRunningCalls: Effect.Effect<RunningCalls, never, Scope.Scope> = Effect.gen(function*() {
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
        Effect.andThen(Effect.sync(() => running.now.forEach(({ abandon }) => abandon())))
      )
    })
  )
  const stage: Middleware.Middleware = (_, next) => (args, call) =>
    isClosed
      ? Effect.fail(unavailable(call.toolName, "the toolkit is closed"))
      : runIn(running, next(args, call), () => isClosed, (exit) => settle(exit, call.toolName, isClosed))
  return { stage, closed: Deferred.await(closed), isClosed: () => isClosed }
})

const unavailable = (toolName: string, reason: string) => new ToolError.ToolUnavailable({ toolName, reason })

/** In a fiber of its own, that ends with its caller as well. */
const runIn = (
  running: Running,
  effect: ReturnType<Tool.Handler>,
  isClosed: () => boolean,
  settle: (exit: Outcome) => ReturnType<Tool.Handler>
): ReturnType<Tool.Handler> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) => {
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return settle(exit)
      return Effect.onInterrupt(restore(settled(running, fiber, isClosed, settle)), () => Fiber.interrupt(fiber))
    })
  )

const settled = (
  running: Running,
  fiber: RunningCall["fiber"],
  isClosed: () => boolean,
  settle: (exit: Outcome) => ReturnType<Tool.Handler>
): ReturnType<Tool.Handler> =>
  Effect.callback((resume) => {
    const call = new RunningCall(fiber, () => resume(settle(Exit.interrupt())))
    running.add(call)
    fiber.addObserver((exit) => {
      running.delete(call)
      resume(settle(exit))
    })
    // it was closed before this call could be counted
    if (isClosed()) {
      fiber.interruptUnsafe()
      call.abandon()
    }
    return Effect.sync(() => running.delete(call))
  })

/**
 * The caller is alive here; so an interruption was the toolkit's, or one that the tool brought upon itself. Beside another
 * reason it says nothing, and would be taken for the caller's own.
 */
const settle = (
  exit: Outcome,
  toolName: string,
  isClosed: boolean
): Effect.Effect<ToolResult.ToolResult, ToolError.ToolError> => {
  if (Exit.isSuccess(exit) || !Cause.hasInterrupts(exit.cause)) return exit
  const others = exit.cause.reasons.filter((reason) => !Cause.isInterruptReason(reason))
  if (others.length > 0) return Effect.failCause(Cause.fromReasons(others))
  return Effect.fail(
    isClosed
      ? unavailable(toolName, "the toolkit was closed during the call")
      : new ToolError.ToolFailed({ toolName, message: "The tool interrupted itself before it had an answer" })
  )
}

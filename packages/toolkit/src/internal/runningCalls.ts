/**
 * The calls in flight belong to the toolkit: closing it ends them, and waits a while until their finalizers have run. A call
 * that can't be ended is left to itself: the servers behind it must not wait for it.
 */
import { type Middleware, type Tool, ToolError, type ToolResult } from "@effect-toolnexus/core"
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

interface RunningCall {
  readonly fiber: Fiber.Fiber<ToolResult.ToolResult, ToolError.ToolError>
  /** Gives the caller its answer, though the call itself goes on. */
  readonly abandon: () => void
}

/** How long the close waits for calls to end; with what sources need, it stays within three seconds. */
const PATIENCE = "500 millis"

/** Whatever clock a test has stopped: a close must not wait for that. */
const live = Clock.Clock.defaultValue()

export const makeRunningCalls: Effect.Effect<RunningCalls, never, Scope.Scope> = Effect.gen(function*() {
  const running = new Set<RunningCall>()
  const closed = yield* Deferred.make<void>()
  let isClosed = false
  yield* Effect.addFinalizer(() =>
    Effect.withFiber((closing) => {
      isClosed = true
      Deferred.doneUnsafe(closed, Effect.void)
      // a handler may close the toolkit it was called by, and can't wait for itself
      const others = Array.from(running).filter(({ fiber }) => fiber !== closing)
      for (const { fiber } of running) fiber.interruptUnsafe()
      return Effect.forEach(others, ({ fiber }) => Fiber.await(fiber), { concurrency: "unbounded" }).pipe(
        Effect.timeoutOption(PATIENCE),
        Effect.provideService(Clock.Clock, live),
        Effect.andThen(Effect.sync(() => running.forEach(({ abandon }) => abandon())))
      )
    })
  )
  const stage: Middleware.Middleware = (_, next) => (args, call) =>
    isClosed
      ? Effect.fail(unavailable(call.toolName, "the toolkit is closed"))
      : Effect.flatMap(
        runIn(running, next(args, call), () => isClosed),
        (exit) => settle(exit, call.toolName, isClosed)
      )
  return { stage, closed: Deferred.await(closed), isClosed: () => isClosed }
})

const unavailable = (toolName: string, reason: string) => new ToolError.ToolUnavailable({ toolName, reason })

/** In a fiber of its own, that ends with its caller as well. */
const runIn = (
  running: Set<RunningCall>,
  effect: ReturnType<Tool.Handler>,
  isClosed: () => boolean
): Effect.Effect<Outcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkDetach(restore(effect), { startImmediately: true }),
      (fiber) => Effect.onInterrupt(restore(outcomeOf(running, fiber, isClosed)), () => Fiber.interrupt(fiber))
    )
  )

const outcomeOf = (
  running: Set<RunningCall>,
  fiber: RunningCall["fiber"],
  isClosed: () => boolean
): Effect.Effect<Outcome> =>
  Effect.callback((resume) => {
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return resume(Effect.succeed(exit))
    const call: RunningCall = { fiber, abandon: () => resume(Effect.succeed(Exit.interrupt())) }
    running.add(call)
    fiber.addObserver((outcome) => {
      running.delete(call)
      resume(Effect.succeed(outcome))
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

/** The calls in flight belong to the toolkit: closing it ends them, and waits until their finalizers have run. */
import { type Middleware, type Tool, ToolError, type ToolResult } from "@effect-toolnexus/core"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

export interface RunningCalls {
  /** The outermost stage: runs a call in the toolkit's own scope. */
  readonly stage: Middleware.Middleware
  /** Done when the toolkit begins to close. */
  readonly closed: Effect.Effect<void>
}

export const makeRunningCalls: Effect.Effect<RunningCalls, never, Scope.Scope> = Effect.gen(function*() {
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const closed = yield* Deferred.make<void>()
  let isClosed = false
  // registered after the calls' scope, and so first to run: a call that is ended by the close knows why
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isClosed = true
      return Deferred.succeed(closed, undefined)
    })
  )
  const stage: Middleware.Middleware = (_, next) => (args, call) =>
    isClosed
      ? Effect.fail(new ToolError.ToolUnavailable({ toolName: call.toolName, reason: "the toolkit is closed" }))
      : Effect.flatMap(runIn(scope, next(args, call)), (exit) => settle(exit, call.toolName, isClosed))
  return { stage, closed: Deferred.await(closed) }
})

type Outcome = Exit.Exit<ToolResult.ToolResult, ToolError.ToolError>

/** In a fiber of the scope, that ends with its caller as well. */
const runIn = (scope: Scope.Scope, effect: ReturnType<Tool.Handler>): Effect.Effect<Outcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkIn(restore(effect), scope, { startImmediately: true }),
      (fiber) => Effect.onInterrupt(restore(Fiber.await(fiber)), () => Fiber.interrupt(fiber))
    )
  )

/** The caller is alive here; so an interruption was the toolkit's, or one that the tool brought upon itself. */
const settle = (exit: Outcome, toolName: string, isClosed: boolean) => {
  if (Exit.isSuccess(exit) || !Cause.hasInterruptsOnly(exit.cause)) return exit
  return Effect.fail(
    isClosed
      ? new ToolError.ToolUnavailable({ toolName, reason: "the toolkit was closed during the call" })
      : new ToolError.ToolFailed({ toolName, message: "The tool interrupted itself before it had an answer" })
  )
}

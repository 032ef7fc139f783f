/** The one pipeline that every call of every tool goes through, made of middleware. */
import { type Json, Middleware, type Tool, type ToolCall, ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { Countdown } from "./countdown.ts"

/** A tool behind its stages, or what a stage threw when it was put there. */
export type Piped = Result.Result<Tool.Tool, unknown>

/** Puts a tool behind its stages, once for as long as the tool is the same. */
export const makePipeline = (stages: ReadonlyArray<Middleware.Middleware>): (tool: Tool.Tool) => Piped => {
  const made = new WeakMap<Tool.Tool, Piped>()
  return (tool) => {
    const before = made.get(tool)
    if (before !== undefined) return before
    const piped = Result.try(() => Middleware.apply(tool, stages))
    made.set(tool, piped)
    return piped
  }
}

/** The caller's own limit, over everything behind this stage. */
export const limitTime: Middleware.Middleware = (_, next) => (args, call) => {
  const { timeout } = call
  return timeout === undefined || timeout === Number.POSITIVE_INFINITY
    ? next(args, call)
    : within(timeout, next, args, call)
}

/** Also where no compiler has looked: a text would be compared as a number, and break what counts it down. */
export const isLimit = (timeout: unknown): boolean => Predicate.isNumber(timeout) && timeout > 0

export const noLimit = (timeout: unknown): string => {
  const given = Predicate.isNumber(timeout) || Predicate.isBigInt(timeout)
    ? `${timeout}`
    : Predicate.isString(timeout)
    ? JSON.stringify(timeout)
    : `of type ${typeof timeout}`
  return `must be a number of milliseconds above 0, but is ${given}`
}

const within = (timeout: number, next: Tool.Handler, args: Json.JsonObject, call: ToolCall.ToolCall) => {
  const { toolName } = call
  if (!isLimit(timeout)) {
    const issue = { path: "timeout", message: noLimit(timeout) }
    return Effect.fail(new ToolError.InvalidArguments({ toolName, issues: [issue] }))
  }
  return Effect.clockWith((clock) => {
    const countdown = new Countdown(clock, timeout)
    const over = Effect.andThen(
      countdown.over,
      Effect.fail(new ToolError.ToolTimeout({ toolName, limit: timeout, phase: "total" }))
    )
    return Effect.raceFirst(next(args, { ...call, hold: countdown.hold }), over)
  })
}

/** A success of a call is never an error result, whoever answered it: the handler or a stage before it. */
export const failOnErrorResult: Middleware.Middleware = (_, next) => (args, call) =>
  Effect.flatMap(next(args, call), (result) =>
    result.isError
      ? Effect.fail(new ToolError.ToolFailed({ toolName: call.toolName, message: result.output, result }))
      : Effect.succeed(result))

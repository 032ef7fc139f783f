/** What a function of one's own returns, throws or rejects with, made a result or a typed error. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { isJson, type Json } from "../Json.ts"
import type { OwnToolCall } from "../Tool.ts"
import type { ToolCall } from "../ToolCall.ts"
import { isToolError, type ToolError, ToolFailed } from "../ToolError.ts"
import * as ToolResult from "../ToolResult.ts"

/** The services the Effects among a handler's return types ask for. */
export type HandlerServices<Out> = Out extends Effect.Effect<infer _A, infer _E, infer R> ? R : never

/** A Promise can't be stopped, but its signal tells it; around everything, since the handler itself may be interrupted. */
export const runHandler = <A, Out>(
  handler: (args: A, call: OwnToolCall) => Out,
  args: A,
  call: ToolCall
): Effect.Effect<ToolResult.ToolResult, ToolError, HandlerServices<Out>> =>
  Effect.suspend(() => {
    const own = new OwnCall(call)
    return Effect.try({ try: () => handler(args, own), catch: (cause) => toToolError(cause, call.toolName) }).pipe(
      Effect.flatMap((out) => settle(out, call.toolName)),
      Effect.flatMap((value) => toResult(value, call.toolName)),
      Effect.onInterrupt(() => own.abort)
    )
  })

/** Awaits what a handler returned. */
const settle = <Out>(out: Out, toolName: string): Effect.Effect<unknown, ToolError, HandlerServices<Out>> => {
  if (isEffectOf<Out>(out)) return Effect.mapError(out, (cause) => toToolError(cause, toolName))
  if (Predicate.isPromiseLike(out)) {
    return Effect.tryPromise({ try: () => out, catch: (cause) => toToolError(cause, toolName) })
  }
  return Effect.succeed(out)
}

const isEffectOf = <Out>(out: unknown): out is Effect.Effect<unknown, unknown, HandlerServices<Out>> =>
  Effect.isEffect(out)

const toToolError = (cause: unknown, toolName: string): ToolError =>
  isToolError(cause) ? cause : new ToolFailed({ toolName, message: toMessage(cause), cause })

const toMessage = (cause: unknown): string => {
  if (cause instanceof Error && cause.message !== "") return cause.message
  if (typeof cause === "string" && cause.trim() !== "") return cause
  return Predicate.hasProperty(cause, "_tag") ? String(cause._tag) : "The tool failed without saying why"
}

const toResult = (value: unknown, toolName: string): Effect.Effect<ToolResult.ToolResult, ToolFailed> => {
  if (typeof value === "string") return Effect.succeed(ToolResult.success(value))
  if (value === undefined) return Effect.succeed(ToolResult.success(""))
  if (ToolResult.isToolResult(value)) return Effect.succeed(value)
  if (isJson(value)) return Effect.succeed(ToolResult.success(render(value), { structured: value }))
  return Effect.fail(
    new ToolFailed({ toolName, message: "The tool returned something that is neither text, a result, nor JSON" })
  )
}

const render = (value: Json): string => JSON.stringify(value)

/** Adds the signal, made only when a handler asks for it: most never do, and it costs more than the call. */
class OwnCall implements OwnToolCall {
  readonly #call: ToolCall
  #controller: AbortController | undefined
  constructor(call: ToolCall) {
    this.#call = call
  }
  get id() {
    return this.#call.id
  }
  get toolName() {
    return this.#call.toolName
  }
  get context() {
    return this.#call.context
  }
  get progress() {
    return this.#call.progress
  }
  get resumed() {
    return this.#call.resumed
  }
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }
  readonly abort = Effect.sync(() => this.#controller?.abort())
}

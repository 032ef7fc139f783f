/** What a function of one's own returns, throws or rejects with, made a result or a typed error. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { isWithin, type Json } from "../Json.ts"
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
    const { toolName } = call
    const result = Effect.suspend(() => {
      // what a foreign value does when it is looked at is its own affair
      const begun = Result.try(() => awaited(handler(args, own), toolName))
      if (Result.isFailure(begun)) return Effect.fail(toToolError(begun.failure, toolName))
      return Effect.flatMapEager(begun.success, (value) => toResult(value, toolName))
    })
    return Effect.onInterrupt(result, () => Effect.sync(() => own.abort()))
  })

/** What a handler returned, when it is there. */
const awaited = <Out>(out: Out, toolName: string): Effect.Effect<unknown, ToolError, HandlerServices<Out>> => {
  if (isEffectOf<Out>(out)) return Effect.mapErrorEager(out, (cause) => toToolError(cause, toolName))
  if (Predicate.isPromiseLike(out)) {
    return Effect.tryPromise({ try: () => out, catch: (cause) => toToolError(cause, toolName) })
  }
  return Effect.succeed(out)
}

const isEffectOf = <Out>(out: unknown): out is Effect.Effect<unknown, unknown, HandlerServices<Out>> =>
  Effect.isEffect(out)

/** The errors of the call itself pass, and a suspension; those of a call that the tool made in turn are its failure. */
const toToolError = (cause: unknown, toolName: string): ToolError =>
  isToolError(cause) && (cause.toolName === toolName || cause._tag === "ToolSuspended")
    ? cause
    : new ToolFailed({ toolName, message: toMessage(cause), cause })

const toMessage = (cause: unknown): string => {
  if (typeof cause === "string" && cause.trim() !== "") return cause
  if (Predicate.hasProperty(cause, "message") && typeof cause.message === "string" && cause.message !== "") {
    return cause.message
  }
  return Predicate.hasProperty(cause, "_tag") ? describeTagged(cause) : describeData(cause)
}

/** A failure that is data, as one that `effect/ai` declares, says why by that. */
const describeData = (cause: unknown): string =>
  Option.match(toJson(cause), {
    onNone: () => SILENT,
    onSome: ([json, text]) => Predicate.isObject(json) && text !== "{}" ? text : SILENT
  })

const SILENT = "The tool failed without saying why"

/** A tagged error without words of its own is at least told by its fields. */
const describeTagged = (error: { readonly _tag: unknown }): string => {
  const { _tag, ...fields } = error
  const rest = Option.getOrElse(Option.map(toJson(fields), ([, text]) => text), () => "{}")
  return rest === "{}" ? String(_tag) : `${String(_tag)} ${rest}`
}

const toResult = (value: unknown, toolName: string): Effect.Effect<ToolResult.ToolResult, ToolFailed> => {
  if (typeof value === "string") return Effect.succeed(ToolResult.success(value))
  if (value === undefined) return Effect.succeed(ToolResult.success(""))
  const json = isForgotten(value) ? Option.none() : toJson(value)
  return Option.match(json, {
    onNone: () => Effect.fail(new ToolFailed({ toolName, message: `The tool returned ${describe(value)}` })),
    onSome: ([parsed, text]) =>
      Effect.succeed(ToolResult.fromJson(parsed) ?? ToolResult.success(text, { structured: parsed }))
  })
}

/** What nobody means to return, though it could be written as JSON: an Effect or a generator that nobody ran. */
const isForgotten = (value: unknown): boolean => Effect.isEffect(value) || isGenerator(value)

const isGenerator = (value: unknown): boolean =>
  Predicate.hasProperty(value, "next") && typeof value.next === "function" && Predicate.isIterable(value)

const describe = (value: unknown): string => {
  if (Effect.isEffect(value)) return "an Effect inside an Effect: is a yield* missing?"
  if (isGenerator(value)) return "a generator: wrap the handler in Effect.fn or Effect.fnUntraced"
  return `${typeof value === "object" ? "an object" : `a ${typeof value}`} that is neither text, a result, nor JSON`
}

/** As `JSON.stringify` sees it: keys without a value are left out, a date is text; a function or a cycle is nothing. */
const toJson = (value: unknown): Option.Option<readonly [Json, string]> =>
  Option.filter(parseAgain(value), ([json]) => isWithin(json, BOUNDS))

const parseAgain = Option.liftThrowable((value: unknown): readonly [Json, string] => {
  const text = JSON.stringify(value)
  const json: Json = JSON.parse(text)
  return [json, text]
})

/** Deeper values end the stack of whatever works on them. */
const BOUNDS = { levels: 500, values: 1_000_000 }

/** Adds the signal, made only when a handler asks for it: most never do, and it costs more than the call. */
class OwnCall implements OwnToolCall {
  readonly id: string
  readonly toolName: string
  readonly context: unknown
  readonly progress: ToolCall["progress"]
  readonly timeout: number | undefined
  readonly hold: ToolCall["hold"]
  readonly resumed: ToolCall["resumed"]
  readonly isApproved: boolean
  #controller: AbortController | undefined
  #isAborted = false
  constructor(call: ToolCall) {
    this.id = call.id
    this.toolName = call.toolName
    this.context = call.context
    this.progress = call.progress
    this.timeout = call.timeout
    this.hold = call.hold
    this.resumed = call.resumed
    this.isApproved = call.isApproved
  }
  /** A handler that goes on after it was aborted and asks only then is told at once. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isAborted) this.#controller.abort()
    return this.#controller.signal
  }
  abort() {
    this.#isAborted = true
    this.#controller?.abort()
  }
}

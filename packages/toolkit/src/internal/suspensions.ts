/**
 * The stage at which calls wait for people (CONTRACT 11; the states are drawn in docs/suspension.md). Behind it a call
 * runs to an end or to a suspension; here the suspension gets its id, and is answered by the host's resolver, or
 * leaves for whoever made the call. With the answer the call runs again from the start, and its limit goes on where it
 * stood: time spent waiting doesn't count.
 */
import {
  type Json,
  type Middleware,
  RandomId,
  type Request,
  type Resolver,
  Suspension,
  type Tool,
  type ToolCall,
  ToolError
} from "@effect-toolnexus/core"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { answeredBefore, type AnsweredRequests } from "./answeredRequests.ts"
import { askResolver } from "./askResolver.ts"
import { checkAnswer, isYes } from "./checkedAnswer.ts"
import { readTime } from "./expiry.ts"
import { type Memory, recall, remember } from "./suspensionState.ts"
import type { Validation } from "./validation.ts"

export interface SuspensionOptions {
  readonly resolver: Resolver | undefined
  readonly check: Validation["check"]
  readonly answered: AnsweredRequests
  /** Whether the pipeline itself made the request, before the handler ran. */
  readonly isGate: (suspension: ToolError.ToolSuspended) => boolean
}

export const makeSuspensions = (options: SuspensionOptions): Middleware.Middleware => (tool, next) => (args, call) => {
  const { resumed } = call
  const serving: Serving = { options, tool, next, args }
  if (resumed === undefined) return run(serving, call, 0)
  const { memory, state } = recall(resumed.state)
  if (resumed.answer.ok) return goOn(serving, call, { ...resumed, state }, memory)
  const denied = Effect.fail(declined(call.toolName, resumed.request?.prompt ?? ""))
  return Effect.andThen(withdraw(tool, call, memory.isGate ? memory.resumed : { state }), denied)
}

/** One call, whatever becomes of it. */
interface Serving {
  readonly options: SuspensionOptions
  readonly tool: Tool.Tool
  readonly next: Tool.Handler
  readonly args: Json.JsonObject
}

type Outcome = ReturnType<Tool.Handler>

/** `asked`: how many answers the handler has had. */
const run = (serving: Serving, call: ToolCall.ToolCall, asked: number): Outcome =>
  call.timeout === undefined
    ? Effect.catchIf(attempt(serving, call), isSuspended, (suspension) => wait(serving, call, asked, suspension))
    : Effect.flatMap(Clock.currentTimeMillis, (started) =>
      Effect.catchIf(attempt(serving, call), isSuspended, (suspension) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          wait(serving, spend(call, now - started), asked, suspension))))

const isSuspended = (error: ToolError.ToolError): error is ToolError.ToolSuspended => error._tag === "ToolSuspended"

/** A call that was to go on, and is refused by a rule by now, leaves nothing behind either. */
const attempt = ({ args, next, tool }: Serving, call: ToolCall.ToolCall): Outcome =>
  call.resumed === undefined
    ? next(args, call)
    : Effect.tapErrorTag(next(args, call), "ToolDenied", () => withdraw(tool, call, call.resumed))

/** A limit that has passed would be no limit at all: a thousandth of a second is as good as none. */
const spend = (call: ToolCall.ToolCall, elapsed: number): ToolCall.ToolCall =>
  call.timeout === undefined ? call : { ...call, timeout: Math.max(call.timeout - elapsed, 0.001) }

/** Until there is an answer; then the call runs again. Whatever ends the wait otherwise leaves nothing behind. */
const wait = Effect.fnUntraced(function*(
  serving: Serving,
  call: ToolCall.ToolCall,
  asked: number,
  suspension: ToolError.ToolSuspended
): Effect.fn.Return<Effect.Success<Outcome>, ToolError.ToolError> {
  const isGate = serving.options.isGate(suspension)
  const resumed = isGate ? call.resumed : undefined
  const memory: Memory = { isGate, isApproved: call.isApproved, asked, resumed }
  const held = isGate ? resumed : { state: suspension.request.state }
  const answer = yield* Effect.onExit(
    ask(serving, call, suspension.request, memory),
    (exit) => Exit.isSuccess(exit) || isHandedOut(exit) ? Effect.void : withdraw(serving.tool, call, held)
  )
  return yield* goOn(serving, call, answer, memory)
})

const isHandedOut = (exit: Exit.Exit<unknown, ToolError.ToolError>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error._tag === "ToolSuspended")

const ask = Effect.fnUntraced(function*(
  serving: Serving,
  call: ToolCall.ToolCall,
  given: Request.Request,
  memory: Memory
): Effect.fn.Return<ToolCall.Resumed, ToolError.ToolError> {
  const { options: { answered, check, resolver }, tool } = serving
  const { toolName } = call
  if (!memory.isGate && !(memory.asked < (tool.suspension?.rounds ?? 1))) {
    return yield* new ToolError.ToolFailed({ toolName, message: `unresolved: ${given.prompt}` })
  }
  const problem = problemOf(given)
  if (problem !== undefined) return yield* new ToolError.ToolFailed({ toolName, message: problem })
  const request = yield* identify(serving, call, given, memory)
  if (resolver === undefined) return yield* new ToolError.ToolSuspended({ toolName, request })
  // a resolver may hand the request on: whoever answers first has answered, and nobody does when the caller is gone
  const answer = yield* Effect.onInterrupt(
    askResolver(resolver, request, call.context),
    () => Effect.sync(() => answered.take(request.id))
  )
  if (!answered.take(request.id)) return yield* answeredBefore(toolName, request)
  if (!isYes(answer)) return yield* declined(toolName, given.prompt)
  return { answer: yield* checkAnswer(check, toolName, request, answer), state: given.state, request }
})

/** With an answer that is yes: past the gate, or to the handler that asked. */
const goOn = (serving: Serving, call: ToolCall.ToolCall, resumed: ToolCall.Resumed, memory: Memory): Outcome =>
  memory.isGate
    ? run(serving, { ...call, isApproved: true, resumed: memory.resumed }, memory.asked)
    : run(serving, { ...call, isApproved: memory.isApproved, resumed }, memory.asked + 1)

const declined = (toolName: string, prompt: string) =>
  new ToolError.ToolDenied({ toolName, rule: `declined/expired: ${prompt}` })

/** Whoever said no doesn't wait longer for what was left elsewhere to be cleared up. */
const WITHDRAW_LIMIT = "2 seconds"

const withdraw = (
  { suspension }: Tool.Tool,
  call: ToolCall.ToolCall,
  held: { readonly state: Json.Json | undefined } | undefined
) => {
  const clearUp = suspension?.withdraw
  if (clearUp === undefined || held === undefined) return Effect.void
  return Effect.suspend(() => clearUp(held.state, call)).pipe(
    Effect.interruptible,
    Effect.timeoutOption(WITHDRAW_LIMIT),
    Effect.catchCause((cause) => Effect.logWarning("What a suspended call left behind could not be cleared up", cause))
  )
}

/**
 * An id that no other process makes up again, and all that is needed to go on there. The arguments are a copy: what
 * somebody does to what they are shown changes nothing of what is run.
 */
const identify = (
  { args }: Serving,
  call: ToolCall.ToolCall,
  { state: own, ...given }: Request.Request,
  memory: Memory
) =>
  Effect.map(RandomId.make, (id): Request.Request => {
    const state = remember(memory, own)
    return {
      ...given,
      id,
      call: { id: call.id, name: call.toolName, arguments: copy(args) },
      ...(state === undefined ? {} : { state })
    }
  })

/** Arguments too deep to be copied are too deep to be shown or stored. */
const copy = (args: Json.JsonObject): Json.JsonObject =>
  Result.getOrElse(Result.try(() => structuredClone(args)), () => args)

const problemOf = ({ expiresAt, kind, url }: Request.Request): string | undefined => {
  if (expiresAt !== undefined && readTime(expiresAt) === undefined) {
    return "It says in no way that can be read when it expires"
  }
  if (url === undefined) return kind === "authorization" ? "It asks for a login without saying where" : undefined
  return Suspension.isSafeUrl(url)
    ? undefined
    : "It sends people to an address that is neither https nor on this machine, or has user info in it"
}

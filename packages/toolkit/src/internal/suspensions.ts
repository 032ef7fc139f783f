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
  type Tool,
  type ToolCall,
  ToolError
} from "@effect-toolnexus/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { askResolver } from "./askResolver.ts"
import { checkAnswer } from "./checkedAnswer.ts"
import { type Memory, recall, remember } from "./suspensionState.ts"
import type { Validation } from "./validation.ts"

export interface SuspensionOptions {
  readonly resolver: Resolver | undefined
  readonly check: Validation["check"]
  /** Whether the pipeline itself made the request, before the handler ran. */
  readonly isGate: (suspension: ToolError.ToolSuspended) => boolean
}

export const makeSuspensions = (options: SuspensionOptions): Middleware.Middleware => (tool, next) => (args, call) => {
  const serving: Serving = { ...options, tool, next, args }
  const { resumed } = call
  if (resumed === undefined) return run(serving, call, 0)
  const { memory, state } = recall(resumed.state)
  return resumed.answer.ok
    ? goOn(serving, call, { ...resumed, state }, memory)
    : deny(serving, call, resumed.request?.prompt ?? "", state)
}

/** One call, whatever becomes of it. */
interface Serving extends SuspensionOptions {
  readonly tool: Tool.Tool
  readonly next: Tool.Handler
  readonly args: Json.JsonObject
}

type Outcome = ReturnType<Tool.Handler>

/** `asked`: how many answers the handler has had. */
const run = (serving: Serving, call: ToolCall.ToolCall, asked: number): Outcome =>
  call.timeout === undefined
    ? Effect.catchTag(
      serving.next(serving.args, call),
      "ToolSuspended",
      (suspension) => suspend(serving, call, asked, suspension)
    )
    : Effect.flatMap(Clock.currentTimeMillis, (started) =>
      Effect.catchTag(serving.next(serving.args, call), "ToolSuspended", (suspension) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          suspend(serving, spend(call, now - started), asked, suspension))))

/** A limit that has passed would be no limit at all: a thousandth of a second is as good as none. */
const spend = (call: ToolCall.ToolCall, elapsed: number): ToolCall.ToolCall =>
  call.timeout === undefined ? call : { ...call, timeout: Math.max(call.timeout - elapsed, 0.001) }

const suspend = Effect.fnUntraced(function*(
  serving: Serving,
  call: ToolCall.ToolCall,
  asked: number,
  suspension: ToolError.ToolSuspended
): Effect.fn.Return<Effect.Success<Outcome>, ToolError.ToolError> {
  const { check, resolver, tool } = serving
  const { toolName } = call
  const given = suspension.request
  const isGate = serving.isGate(suspension)
  if (!isGate && asked >= (tool.suspension?.rounds ?? 1)) {
    yield* withdraw(tool, call, given.state)
    return yield* new ToolError.ToolFailed({ toolName, message: `unresolved: ${given.prompt}` })
  }
  const problem = problemOf(given)
  if (problem !== undefined) return yield* new ToolError.ToolFailed({ toolName, message: problem })
  const memory: Memory = { isGate, isApproved: call.isApproved, asked, resumed: isGate ? call.resumed : undefined }
  const request = yield* identify(serving, call, given, memory)
  if (resolver === undefined) return yield* new ToolError.ToolSuspended({ toolName, request })
  const answer = yield* askResolver(resolver, request, call.context)
  if (!answer.ok) return yield* deny(serving, call, given.prompt, given.state)
  const checked = yield* checkAnswer(check, toolName, request, answer)
  return yield* goOn(serving, call, { answer: checked, state: given.state, request }, memory)
})

/** With an answer that is yes: past the gate, or to the handler that asked. */
const goOn = (serving: Serving, call: ToolCall.ToolCall, resumed: ToolCall.Resumed, memory: Memory): Outcome =>
  memory.isGate
    ? run(serving, { ...call, isApproved: true, resumed: memory.resumed }, memory.asked)
    : run(serving, { ...call, isApproved: memory.isApproved, resumed }, memory.asked + 1)

const deny = (serving: Serving, call: ToolCall.ToolCall, prompt: string, state: Json.Json | undefined): Outcome =>
  Effect.andThen(
    withdraw(serving.tool, call, state),
    Effect.fail(new ToolError.ToolDenied({ toolName: call.toolName, rule: `declined/expired: ${prompt}` }))
  )

/** What is left elsewhere is cleared up by its source, within its own bound; that it may fail is its affair. */
const withdraw = ({ suspension }: Tool.Tool, call: ToolCall.ToolCall, state: Json.Json | undefined) =>
  suspension?.withdraw === undefined
    ? Effect.void
    : Effect.catchCause(
      suspension.withdraw(state, call),
      (cause) => Effect.logWarning("What a suspended call left behind could not be cleared up", cause)
    )

/** An id that no other process makes up again, and all that is needed to go on there. */
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
      call: { id: call.id, name: call.toolName, arguments: args },
      ...(state === undefined ? {} : { state })
    }
  })

/** We send nobody to a place where what they type can be read on the way. */
const problemOf = ({ kind, url }: Request.Request): string | undefined => {
  if (url === undefined) return kind === "authorization" ? "It asks for a login without saying where" : undefined
  const parsed = URL.parse(url)
  const isSafe = parsed !== null &&
    (parsed.protocol === "https:" || parsed.protocol === "http:" && LOOPBACK.test(parsed.hostname))
  return isSafe ? undefined : "It sends people to an address that is neither https nor on this machine"
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

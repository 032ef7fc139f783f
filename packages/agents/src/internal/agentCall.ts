/**
 * One call of a remote agent. It runs in the source's scope, so that whoever gives up on it leaves at once while the remote
 * task is still being canceled, and so that closing the source ends it.
 */
import type * as Json from "@effect-toolnexus/core/Json"
import type * as Redaction from "@effect-toolnexus/core/Redaction"
import type * as Tool from "@effect-toolnexus/core/Tool"
import type * as ToolCall from "@effect-toolnexus/core/ToolCall"
import * as ToolError from "@effect-toolnexus/core/ToolError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type * as Semaphore from "effect/Semaphore"
import { type A2aError, isTransient, isUnknownTask } from "../A2aError.ts"
import type { Part, Reply } from "../A2aTask.ts"
import type { A2aClient } from "./a2aClient.ts"
import { toParts } from "./agentInput.ts"
import { settle } from "./agentResult.ts"
import type { OutgoingMessage } from "./dialect.ts"
import { attend, CANCEL_LIMIT, MAX_LOST_POLLS, type Opening } from "./followTask.ts"
import { readSuspended, type SuspendedTask } from "./suspendedTask.ts"

/** An agent whose card was read. Calls run in `scope`, which closes them all at once. */
export interface ConnectedAgent {
  readonly entry: string
  /** What its card says, redacted. */
  readonly name: string
  readonly client: A2aClient
  /** Where it listens, as it may be shown. */
  readonly url: string
  readonly outputModes: ReadonlyArray<string>
  /** Over a whole call, in milliseconds. */
  readonly timeout: number
  /** The first interval, in milliseconds. */
  readonly pollEvery: number
  /** Bounds the calls that run at once, where there is a bound. */
  readonly permits: Semaphore.Semaphore | undefined
  readonly redact: Redaction.Redaction
  readonly scope: Scope.Scope
  /** The conversation that new tasks go on with, where one is kept. */
  readonly conversation: Conversation | undefined
}

export interface Conversation {
  contextId: string | undefined
}

/** `skill`: the one that the model chose, where it chooses. */
export const handler = (agent: ConnectedAgent, skill: string | undefined): Tool.Handler => (args, call) =>
  Effect.gen(function*() {
    const started = yield* Clock.currentTimeMillis
    const { message, suspended } = yield* toMessage(agent, skill, args, call)
    const spent = suspended?.spent ?? 0
    const opening = suspended?.isLogin === true
      ? afterLogin(agent, message, suspended, call)
      : send(agent, message, call)
    const reply = yield* runIn(agent, call, spent, attend(agent, call, opening, suspended))
    remember(agent, reply)
    const ms = spent + (yield* Clock.currentTimeMillis) - started
    return yield* settle(reply, call, { entry: agent.entry, agentName: agent.name, redact: agent.redact, ms })
  })

interface Outgoing {
  readonly message: OutgoingMessage
  /** The task that is gone on with. */
  readonly suspended: SuspendedTask | undefined
}

/** Opens a task, or goes on with the one that was suspended. */
const toMessage = Effect.fnUntraced(function*(
  { conversation, outputModes }: ConnectedAgent,
  skill: string | undefined,
  args: Json.JsonObject,
  call: ToolCall.ToolCall
): Effect.fn.Return<Outgoing, ToolError.ToolError> {
  const { resumed, toolName } = call
  if (resumed === undefined) {
    const contextId = conversation?.contextId
    const message = {
      parts: yield* toParts(args, toolName),
      outputModes,
      ...(contextId === undefined ? {} : { contextId }),
      // there is no routing by skill in A2A; agents that care find here which one the model chose
      ...(skill === undefined ? {} : { metadata: { skillId: skill } })
    }
    return { message, suspended: undefined }
  }
  const suspended = Option.getOrUndefined(readSuspended(resumed.state))
  if (suspended === undefined) {
    const message = "The suspended call doesn't say which task to go on with; make the call anew"
    return yield* new ToolError.ToolFailed({ toolName, message })
  }
  const { contextId, taskId } = suspended
  const message = {
    parts: answerParts(resumed.answer.data),
    outputModes,
    taskId,
    ...(contextId === undefined ? {} : { contextId })
  }
  return { message, suspended }
})

/** An answer without data says that what was asked for (a login) is done. Agents that read only text get data as such too. */
const answerParts = (data: Json.Json | undefined): ReadonlyArray<Part> => {
  if (data === undefined || data === null) return [{ kind: "text", text: "Done." }]
  if (typeof data === "string") return [{ kind: "text", text: data }]
  const text: Part = { kind: "text", text: JSON.stringify(data) }
  return typeof data === "object" && !Array.isArray(data) ? [text, { kind: "data", data }] : [text]
}

const send =
  ({ client }: ConnectedAgent, message: OutgoingMessage, { context }: ToolCall.ToolCall): Opening => (listener) =>
    client.open(message, context, listener)

/** Many agents see by themselves that somebody has logged in, and are not to be told in the middle of their work. */
const afterLogin = (
  agent: ConnectedAgent,
  message: OutgoingMessage,
  { taskId }: SuspendedTask,
  call: ToolCall.ToolCall
): Opening =>
(listener) =>
  Effect.flatMap(lookPatiently(agent, taskId, call), ({ size, task }) =>
    task.state === "auth-required"
      ? send(agent, message, call)(listener)
      : Effect.sync(() => {
        listener({ _tag: "Task", task }, size)
      }))

/** A look that is lost is taken again: the answer of a person would be lost with it. */
const lookPatiently = ({ client, pollEvery }: ConnectedAgent, taskId: string, { context }: ToolCall.ToolCall) =>
  Effect.retry(client.getTask(taskId, context), {
    while: isTransient,
    times: MAX_LOST_POLLS - 1,
    schedule: Schedule.exponential(pollEvery)
  })

const remember = ({ conversation }: ConnectedAgent, reply: Reply) => {
  const { contextId } = reply._tag === "Task" ? reply.task : reply.message
  if (conversation !== undefined && contextId !== undefined) conversation.contextId = contextId
}

/** An agent may ask several times, as people do; past this it is going in circles (CONTRACT 11). */
const MAX_ROUNDS = 10

/** How its calls wait for people: when the answer is no, the agent is told, behind whoever gave it. */
export const suspension = ({ client, scope }: ConnectedAgent): Tool.SuspensionRules => ({
  rounds: MAX_ROUNDS,
  withdraw: (state, { context }) =>
    Option.match(readSuspended(state), {
      onNone: () => Effect.void,
      onSome: ({ taskId }) =>
        client.cancelTask(taskId, context).pipe(
          Effect.timeoutOption(CANCEL_LIMIT),
          Effect.ignore,
          // also where the toolkit is closed right after, as by a program that makes one call
          Effect.uninterruptible,
          Effect.forkIn(scope, { startImmediately: true }),
          Effect.asVoid
        )
    })
})

/** How long whoever gave up waits for the agent to be told; the rest happens behind them. */
const LEAVE_LIMIT = 500

const runIn = (
  agent: ConnectedAgent,
  { toolName }: ToolCall.ToolCall,
  spent: number,
  work: Effect.Effect<Reply, A2aError>
): Effect.Effect<Reply, ToolError.ToolError> => {
  const { permits, scope, timeout } = agent
  const attempt = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkIn(work, scope), (fiber) =>
      restore(Fiber.await(fiber)).pipe(
        Effect.onInterrupt(() => Effect.timeoutOption(Fiber.interrupt(fiber), LEAVE_LIMIT)),
        Effect.flatMap((exit) => fromExit(exit, toolName, agent))
      ))
  )
  // waiting for a turn is part of the whole, and so is what was before a person was asked
  return Effect.timeoutOrElse(permits === undefined ? attempt : permits.withPermit(attempt), {
    duration: Math.max(0, timeout - spent),
    orElse: () => Effect.fail(new ToolError.ToolTimeout({ toolName, limit: timeout, phase: "total" }))
  })
}

/** Nobody interrupts the work but its caller, who isn't here any more, and the closing scope. */
const fromExit = (exit: Exit.Exit<Reply, A2aError>, toolName: string, agent: ConnectedAgent) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? Effect.fail(new ToolError.ToolUnavailable({ toolName, reason: "the toolkit was closed, or the agent replaced" }))
    : Effect.mapError(exit, (error) => toToolError(error, toolName, agent))

const toToolError = (
  error: A2aError,
  toolName: string,
  { conversation, redact }: ConnectedAgent
): ToolError.ToolError => {
  const reason = redact(error.message)
  // who isn't there, or doesn't let us in, can't be called; it is no failure of the task
  if (error.reason._tag === "Unreachable" || error.reason._tag === "Unauthorized") {
    return new ToolError.ToolUnavailable({ toolName, reason })
  }
  // a conversation that is refused once would be refused for ever
  if (conversation !== undefined && error.reason._tag === "Refused") conversation.contextId = undefined
  const hint = isUnknownTask(error) ? "; it has forgotten what it was asked, so make the call anew" : ""
  return new ToolError.ToolFailed({ toolName, message: reason + hint })
}

/**
 * One call of a remote agent, from the message to the end of its task. It runs in the source's scope, so that whoever
 * gives up on it leaves at once while the remote task is still being canceled, and so that closing the source ends it.
 */
import { type Json, type Redaction, type Tool, type ToolCall, ToolError } from "@effect-toolnexus/core"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Semaphore from "effect/Semaphore"
import type { A2aClient, OutgoingMessage } from "../A2aClient.ts"
import { type A2aError, isTransient } from "../A2aError.ts"
import type { Part, Reply, Task, TaskState } from "../A2aTask.ts"
import { readSuspended, settle } from "./agentResult.ts"

/** An agent whose card was read. Calls run in `scope`, which closes them all at once. */
export interface ConnectedAgent {
  readonly entry: string
  /** What its card says, redacted. */
  readonly name: string
  readonly client: A2aClient
  /** Over a whole call, in milliseconds. */
  readonly timeout: number
  /** The first interval, in milliseconds. */
  readonly pollEvery: number
  /** Bounds the calls that run at once, where there is a bound. */
  readonly permits: Semaphore.Semaphore | undefined
  readonly redact: Redaction.Redaction
  readonly scope: Scope.Scope
}

export const handler = (agent: ConnectedAgent, skill: string): Tool.Handler => (args, call) =>
  Effect.gen(function*() {
    const started = yield* Clock.currentTimeMillis
    const message = yield* toMessage(skill, args, call)
    const reply = yield* runIn(agent, call, attend(agent, message))
    const ms = (yield* Clock.currentTimeMillis) - started
    return yield* settle(reply, call, { entry: agent.entry, agentName: agent.name, redact: agent.redact, ms })
  })

/** Opens a task, or goes on with the one that was suspended. */
const toMessage = Effect.fnUntraced(function*(
  skill: string,
  args: Json.JsonObject,
  call: ToolCall.ToolCall
): Effect.fn.Return<OutgoingMessage, ToolError.ToolError> {
  const { resumed, toolName } = call
  // there is no routing by skill in A2A; agents that care find here which one the model chose
  if (resumed === undefined) {
    return { parts: [{ kind: "text", text: yield* taskOf(args, toolName) }], metadata: { skillId: skill } }
  }
  const suspended = readSuspended(resumed.state)
  if (Option.isNone(suspended)) {
    const message = "The suspended call doesn't say which task to go on with; make the call anew"
    return yield* new ToolError.ToolFailed({ toolName, message })
  }
  return { ...suspended.value, parts: answerParts(resumed.answer.data) }
})

/** An agent may ask several times, as people do; past this it is going in circles (CONTRACT 11). */
const MAX_ROUNDS = 10

/** How its calls wait for people: when the answer is no, the agent is told, behind whoever gave it. */
export const suspension = (agent: ConnectedAgent): Tool.SuspensionRules => ({
  rounds: MAX_ROUNDS,
  withdraw: (state) => {
    const suspended = readSuspended(state)
    return Option.isNone(suspended)
      ? Effect.void
      : Effect.asVoid(Effect.forkIn(cancel(agent, suspended.value.taskId), agent.scope))
  }
})

const taskOf = (args: Json.JsonObject, toolName: string): Effect.Effect<string, ToolError.InvalidArguments> => {
  const task = args["task"]
  return typeof task === "string"
    ? Effect.succeed(task)
    : Effect.fail(new ToolError.InvalidArguments({ toolName, issues: [{ path: "task", message: "must be a string" }] }))
}

/** An answer without data says that what was asked for (a login) is done. Agents that read only text get data as such too. */
const answerParts = (data: Json.Json | undefined): ReadonlyArray<Part> => {
  if (data === undefined || data === null) return [{ kind: "text", text: "Done." }]
  if (typeof data === "string") return [{ kind: "text", text: data }]
  const text: Part = { kind: "text", text: JSON.stringify(data) }
  return typeof data === "object" && !Array.isArray(data) ? [text, { kind: "data", data }] : [text]
}

/** How long whoever gave up waits for the agent to be told; the rest happens behind them. */
const LEAVE_LIMIT = 500

const runIn = (
  { permits, redact, scope, timeout }: ConnectedAgent,
  { toolName }: ToolCall.ToolCall,
  work: Effect.Effect<Reply, A2aError>
): Effect.Effect<Reply, ToolError.ToolError> => {
  const attempt = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkIn(work, scope), (fiber) =>
      restore(Fiber.await(fiber)).pipe(
        Effect.onInterrupt(() => Effect.timeoutOption(Fiber.interrupt(fiber), LEAVE_LIMIT)),
        Effect.flatMap((exit) => fromExit(exit, toolName, redact))
      ))
  )
  // waiting for a turn is part of the whole
  return Effect.timeoutOrElse(permits === undefined ? attempt : permits.withPermit(attempt), {
    duration: timeout,
    orElse: () => Effect.fail(new ToolError.ToolTimeout({ toolName, limit: timeout, phase: "total" }))
  })
}

/** Nobody interrupts the work but its caller, who isn't here any more, and the closing scope. */
const fromExit = (exit: Exit.Exit<Reply, A2aError>, toolName: string, redact: ConnectedAgent["redact"]) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? Effect.fail(new ToolError.ToolUnavailable({ toolName, reason: "the toolkit was closed" }))
    : Effect.mapError(exit, (error) => toToolError(error, toolName, redact))

const toToolError = (error: A2aError, toolName: string, redact: ConnectedAgent["redact"]): ToolError.ToolError =>
  error.reason._tag === "Unreachable"
    ? new ToolError.ToolUnavailable({ toolName, reason: redact(error.message) })
    : new ToolError.ToolFailed({ toolName, message: redact(error.message) })

/**
 * The send is a fiber of its own: interrupting it would lose the id of a task that the agent may have begun, and with it
 * the way to cancel it.
 */
const attend = (agent: ConnectedAgent, message: OutgoingMessage): Effect.Effect<Reply, A2aError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkChild(agent.client.send(message)),
      (sending) =>
        restore(Effect.flatMap(Fiber.join(sending), (reply) => follow(agent, reply))).pipe(
          Effect.onInterrupt(() => abandon(agent, sending))
        )
    )
  )

/** In all, so that closing stays within its own limits. */
const CANCEL_LIMIT = 2000

const abandon = (agent: ConnectedAgent, sending: Fiber.Fiber<Reply, A2aError>): Effect.Effect<void> =>
  Fiber.join(sending).pipe(
    Effect.flatMap((reply) =>
      reply._tag === "Task" && !isTerminal(reply.task.state) ? agent.client.cancelTask(reply.task.id) : Effect.void
    ),
    Effect.timeoutOption(CANCEL_LIMIT),
    Effect.ignore
  )

const cancel = (agent: ConnectedAgent, taskId: string): Effect.Effect<void> =>
  agent.client.cancelTask(taskId).pipe(Effect.timeoutOption(CANCEL_LIMIT), Effect.ignore)

const TERMINAL: ReadonlySet<TaskState> = new Set(["completed", "failed", "rejected", "canceled"])

const isTerminal = (state: TaskState): boolean => TERMINAL.has(state)

/** Nothing more happens until somebody else acts. */
const isSettled = (state: TaskState): boolean =>
  isTerminal(state) || state === "input-required" || state === "auth-required"

const GROWTH = 1.5
const MAX_GROWTH = 10
/** Faster than this is an attack, not a poll. */
const MIN_INTERVAL = 10
/** A restart of the agent behind its proxy takes a few intervals; more than that is an outage. */
const MAX_LOST_POLLS = 3

const follow = Effect.fnUntraced(function*(agent: ConnectedAgent, reply: Reply) {
  if (reply._tag === "Message") return reply
  const first = Math.max(MIN_INTERVAL, agent.pollEvery)
  let task: Task = reply.task
  let interval = first
  let lost = 0
  while (!isSettled(task.state)) {
    yield* Effect.sleep(interval)
    interval = Math.min(interval * GROWTH, first * MAX_GROWTH)
    const polled = yield* Effect.result(agent.client.getTask(task.id))
    if (Result.isSuccess(polled)) {
      task = polled.success
      lost = 0
    } else if (!isTransient(polled.failure) || ++lost === MAX_LOST_POLLS) {
      return yield* polled.failure
    }
  }
  const settled: Reply = { _tag: "Task", task }
  return settled
})

/**
 * One task, from the message that opens it to the point where nothing more happens by itself: over cuts of the stream, lost
 * polls, and silences that may be an end.
 */
import * as Text from "@effect-toolnexus/core/Text"
import type { Progress, ToolCall } from "@effect-toolnexus/core/ToolCall"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { A2aError, isTransient } from "../A2aError.ts"
import { isSettled, type Reply } from "../A2aTask.ts"
import type { A2aClient } from "./a2aClient.ts"
import type { Listener } from "./agentRequests.ts"
import { type GivenTask, MAX_SIZE, TaskFold } from "./taskFold.ts"

export interface Following {
  readonly client: A2aClient
  /** Where it listens, as it may be shown. */
  readonly url: string
  /** The first interval, in milliseconds. */
  readonly pollEvery: number
  readonly redact: (text: string) => string
  /** What outlives a call that is given up. */
  readonly scope: Scope.Scope
}

/** Opens a task; done when no more of it comes by itself. */
export type Opening = (listener: Listener) => Effect.Effect<void, A2aError>

/**
 * The opening is a fiber of its own: interrupting it would lose the id of a task that the agent may have begun, and with it
 * the way to cancel it.
 */
export const attend = (
  agent: Following,
  call: ToolCall,
  opening: Opening,
  given?: GivenTask
): Effect.Effect<Reply, A2aError> =>
  Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
    const fold = new TaskFold(given)
    const began = yield* Deferred.make<void>()
    const news = yield* relay(agent, call)
    const listener: Listener = (event, size) => {
      const said = fold.take(event, size)
      Deferred.doneUnsafe(began, Exit.void)
      if (said !== undefined) news.offer(said)
      if (fold.isTooLarge) return "nothing"
      return fold.isSettled ? "soon" : "more"
    }
    const following: FollowingTask = { ...agent, fold, listener, context: call.context }
    const sending = yield* Effect.forkChild(opening(listener), { startImmediately: true })
    const reply = yield* restore(follow(following, sending)).pipe(
      Effect.onExit((exit) => {
        if (Exit.isSuccess(exit)) return Effect.void
        const leaving = abandon(following, sending, Deferred.await(began))
        return Exit.hasInterrupts(exit)
          ? leaving
          : Effect.asVoid(Effect.forkIn(Effect.uninterruptible(leaving), agent.scope, { startImmediately: true }))
      })
    )
    yield* restore(news.end)
    return reply
  }))

interface FollowingTask extends Following {
  readonly fold: TaskFold
  readonly listener: Listener
  readonly context: unknown
}

type Sending = Fiber.Fiber<void, A2aError>

const follow = Effect.fnUntraced(function*(task: FollowingTask, sending: Sending) {
  const { fold } = task
  const opened = yield* Effect.result(watched(task, Fiber.join(sending)))
  // whatever is still open is not listened to any more
  yield* Fiber.interrupt(sending)
  if (fold.isTooLarge) return yield* tooLarge(task)
  if (Result.isFailure(opened)) yield* bear(task, opened.failure)
  let isTorn = false
  if (!fold.isSettled && task.client.isStreaming()) {
    isTorn = true
    yield* listenAgain(task)
  }
  if (!fold.isSettled) yield* poll(task)
  if (isTorn || fold.isBare) yield* Effect.ignore(look(task))
  if (fold.isTooLarge) return yield* tooLarge(task)
  // there is one: nothing is settled before there is
  return fold.reply ?? (yield* Effect.die(new Error("a settled task without a state")))
})

/** A task that is there may go on, whatever became of the answer that told of it. */
const bear = (task: FollowingTask, error: A2aError): Effect.Effect<void, A2aError> => {
  const { fold } = task
  if (fold.isSettled) return Effect.void
  if (fold.events === 0) return Effect.fail(error)
  if (isTransient(error)) return Effect.void
  return Effect.flatMap(Effect.ignore(look(task)), () => fold.isSettled ? Effect.void : Effect.fail(error))
}

const tooLarge = ({ url }: FollowingTask) =>
  Effect.fail(new A2aError({ url, reason: { _tag: "TooLarge", limit: MAX_SIZE } }))

/** What the agent says of it when asked. */
const look = ({ client, context, fold, listener }: FollowingTask) =>
  Effect.flatMap(
    Effect.suspend(() => client.getTask(fold.taskId ?? "", context)),
    ({ size, task }) =>
      Effect.sync(() => {
        listener({ _tag: "Task", task }, size)
      })
  )

/** So many intervals of silence on a stream are worth a question. */
const SILENT_INTERVALS = 10

/** Ends a stream that stays open although its task is settled, or that nothing comes through any more. */
const watched = <A>(task: FollowingTask, listening: Effect.Effect<A, A2aError>): Effect.Effect<void, A2aError> =>
  Effect.raceFirst(Effect.asVoid(listening), awaitSilentEnd(task))

const awaitSilentEnd = Effect.fnUntraced(function*({ client, context, fold, listener, pollEvery }: FollowingTask) {
  let seen = 0
  let isOver = false
  while (!isOver) {
    yield* Effect.sleep(pollEvery * SILENT_INTERVALS)
    if (fold.events === seen && fold.events > 0) {
      // who can't say is waited for as long as the stream is open
      const looked = yield* Effect.result(client.getTask(fold.taskId ?? "", context))
      if (Result.isFailure(looked) && !isTransient(looked.failure)) return yield* Effect.never
      // while it works, the stream knows better than a picture that may be older
      isOver = Result.isSuccess(looked) && isSettled(looked.success.task.state)
      if (Result.isSuccess(looked) && isOver) listener({ _tag: "Task", task: looked.success.task }, looked.success.size)
    }
    seen = fold.events
  }
  return undefined
})

/** So often in a row a stream is asked for that brings no news; then the task is asked for. */
const MAX_IDLE_STREAMS = 4
const FIRST_DELAY_MILLIS = 100

const listenAgain = Effect.fnUntraced(function*(task: FollowingTask) {
  const { client, context, fold, listener } = task
  let idle = 0
  let isRefused = false
  while (!fold.isSettled && !isRefused && idle < MAX_IDLE_STREAMS) {
    yield* Effect.sleep(FIRST_DELAY_MILLIS * 2 ** idle)
    const before = fold.events
    const again = yield* Effect.result(
      watched(task, Effect.suspend(() => client.resubscribe(fold.taskId ?? "", context, listener)))
    )
    if (fold.isTooLarge) return yield* tooLarge(task)
    // an agent that keeps no streams says so in many ways
    isRefused = Result.isFailure(again) && !isTransient(again.failure)
    // the first event says how things are, and is no news
    idle = fold.events > before + 1 ? 0 : idle + 1
  }
  return undefined
})

const GROWTH = 1.5
const MAX_GROWTH = 10
/** Faster than this is an attack, not a poll. */
const MIN_INTERVAL = 10
/** A restart of the agent behind its proxy takes a few intervals; more than that is an outage. */
export const MAX_LOST_POLLS = 3

const poll = Effect.fnUntraced(function*(task: FollowingTask) {
  const { fold, pollEvery } = task
  const first = Math.max(MIN_INTERVAL, pollEvery)
  let interval = first
  let lost = 0
  while (!fold.isSettled && !fold.isTooLarge) {
    yield* Effect.sleep(interval)
    interval = Math.min(interval * GROWTH, first * MAX_GROWTH)
    const polled = yield* Effect.result(look(task))
    if (Result.isSuccess(polled)) {
      lost = 0
    } else if (!isTransient(polled.failure) || ++lost === MAX_LOST_POLLS) {
      return yield* polled.failure
    } else if (polled.failure.reason._tag === "BadStatus") {
      interval = Math.max(interval, polled.failure.reason.retryAfter ?? 0)
    }
  }
  return undefined
})

/** In all, so that closing stays within its own limits; in milliseconds. */
export const CANCEL_LIMIT = 2000

/** The agent is told, as soon as it is known of which task; then what is still on its way is cut off. */
const abandon = (
  { client, context, fold }: FollowingTask,
  sending: Sending,
  began: Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.suspend(() =>
    fold.taskId === undefined ? Effect.raceFirst(began, Effect.asVoid(Fiber.await(sending))) : Effect.void
  ).pipe(
    Effect.flatMap(() => {
      const { taskId } = fold
      const isOver = fold.isSettled && fold.events > 0
      return taskId === undefined || isOver ? Effect.void : client.cancelTask(taskId, context)
    }),
    Effect.timeoutOption(CANCEL_LIMIT),
    Effect.ignore,
    Effect.ensuring(Fiber.interrupt(sending))
  )

/** So many reports wait at most; of more the latest count. */
const MAX_REPORTS = 64
const MAX_REPORT = 2000
/** No secret may be cut in two before it is blotted out. */
const READ_REPORT = 4 * MAX_REPORT
/** Whoever watches a call may be slow, and doesn't hold it up for longer. */
const REPORT_LIMIT = "1 second"

/** Hands on what the agent says, one after the other, and outside of the reading of its stream. */
const relay = Effect.fnUntraced(function*({ redact }: Following, call: ToolCall) {
  const reports = yield* Queue.sliding<string, Cause.Done>(MAX_REPORTS)
  let count = 0
  const telling = yield* Effect.forkChild(
    Queue.take(reports).pipe(
      Effect.flatMap((text) => {
        const message = Text.cut(redact(text), MAX_REPORT, "...")
        const progress: Progress = { progress: ++count, ...(message === "" ? {} : { message }) }
        return call.progress(progress)
      }),
      Effect.forever
    )
  )
  return {
    offer: (text: string) => {
      Queue.offerUnsafe(reports, beginningOf(text))
    },
    end: Queue.end(reports).pipe(
      Effect.andThen(Fiber.await(telling)),
      Effect.timeoutOption(REPORT_LIMIT),
      Effect.andThen(Fiber.interrupt(telling))
    )
  }
})

/** Of its own: a cut text keeps the whole of it in memory. */
const beginningOf = (text: string): string =>
  text.length <= READ_REPORT
    ? text.trim()
    : new TextDecoder().decode(new TextEncoder().encode(Text.cut(text.trimStart(), READ_REPORT)))

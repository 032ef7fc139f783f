/**
 * The calls of A2A over JSON-RPC, in whichever dialect the agent really speaks, streaming where it really streams.
 *
 * What the card claims is tried first. An agent that doesn't know the method or the version hasn't begun anything, so the
 * other dialect is tried once, and remembered when it works; so is a plain send where a stream is refused. Answers are read in
 * either shape, whichever dialect was spoken.
 */
import * as RandomId from "@effect-toolnexus/core/RandomId"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type A2aError, isInvalidRequest, isUnsupported, isVersionError } from "../A2aError.ts"
import { readReply, readTask } from "../A2aReading.ts"
import type { Task } from "../A2aTask.ts"
import type { AgentCard, AgentInterface } from "../AgentCard.ts"
import { type AgentRequests, type Answer, failure, type Listener, NEITHER } from "./agentRequests.ts"
import type { Operation, OutgoingMessage } from "./dialect.ts"

export interface A2aClient {
  /**
   * Sends a message. Where the agent streams, it is done at the end of the stream; else at once, with the task as it is or a
   * message. Never sent again once it may have been understood.
   */
  readonly open: (message: OutgoingMessage, context: unknown, listener: Listener) => Effect.Effect<void, A2aError>
  /** Goes on with the stream of a task, from how it is now. */
  readonly resubscribe: (id: string, context: unknown, listener: Listener) => Effect.Effect<void, A2aError>
  /** The task as it is now. */
  readonly getTask: (id: string, context: unknown) => Effect.Effect<TaskNow, A2aError>
  /** Asks the agent to stop working on a task. */
  readonly cancelTask: (id: string, context: unknown) => Effect.Effect<void, A2aError>
  /** What the agent shows of itself to those it knows. */
  readonly extendedCard: Effect.Effect<Answer, A2aError>
  /** Whether it streams, as far as is known. */
  readonly isStreaming: () => boolean
}

/** A task, and how many characters it came in. */
export interface TaskNow {
  readonly task: Task
  readonly size: number
}

/** One way to say something. */
interface Way {
  readonly target: AgentInterface
  readonly isStreaming: boolean
}

export const make = (
  { alternative, endpoint, isStreaming }: Pick<AgentCard, "alternative" | "endpoint" | "isStreaming">,
  requests: AgentRequests
): A2aClient => {
  // what has worked is believed from then on
  let proven: AgentInterface | undefined
  let streams = isStreaming

  const targets = () => proven === undefined ? [endpoint, alternative] : [proven]

  const ways = (): ReadonlyArray<Way> => [
    ...(streams ? targets().map((target) => ({ target, isStreaming: true })) : []),
    ...targets().map((target) => ({ target, isStreaming: false }))
  ]

  /** One after the other, as long as it isn't understood. The first refusal is about what the card names: it helps. */
  const tryEach = Effect.fnUntraced(function*<A>(
    candidates: ReadonlyArray<Way>,
    attempt: (way: Way) => Effect.Effect<A, A2aError>,
    isMisunderstood: (error: A2aError, way: Way) => boolean
  ) {
    let first: A2aError | undefined
    for (const way of candidates) {
      const result = yield* Effect.result(attempt(way))
      if (result._tag === "Success") return { way, value: result.success }
      // other words for the same refusal say less than the first one
      if (!isMisunderstood(result.failure, way)) return yield* result.failure
      first ??= result.failure
    }
    return yield* first ?? failure(new URL(endpoint.url), { _tag: "Malformed", detail: "there is no way to ask it" })
  })

  const ask = (operation: Operation, context: unknown): Effect.Effect<AnswerFrom, A2aError> =>
    Effect.map(
      tryEach(
        targets().map((target) => ({ target, isStreaming: false })),
        ({ target }) => requests.ask(operation, target, context),
        isVersionError
      ),
      ({ value: answer, way: { target } }) => {
        proven = target
        return { ...answer, target }
      }
    )

  return {
    open: Effect.fnUntraced(function*(message, context, listener) {
      const messageId = yield* RandomId.make
      let wasHeard = false
      const attempt = ({ isStreaming: asStream, target }: Way) => {
        const hearing: Listener = (event, size) => {
          wasHeard = true
          proven = target
          streams = asStream
          return listener(event, size)
        }
        return asStream
          ? requests.listen({ _tag: "Stream", messageId, message }, target, context, hearing)
          : Effect.flatMap(
            requests.ask({ _tag: "Send", messageId, message }, target, context),
            ({ size, value }) =>
              Option.match(readReply(value), {
                onNone: () => failure(new URL(target.url), { _tag: "Malformed", detail: NEITHER }),
                onSome: (reply) =>
                  Effect.sync(() => {
                    hearing(reply, size)
                  })
              })
          )
      }
      yield* tryEach(
        ways(),
        attempt,
        (error, tried) =>
          !wasHeard && (isVersionError(error) || (tried.isStreaming && isUnsupported(error)) ||
            (message.taskId === undefined && isInvalidRequest(error)))
      )
    }),
    resubscribe: (id, context, listener) =>
      Effect.suspend(() => requests.listen({ _tag: "Resubscribe", id }, proven ?? endpoint, context, listener)),
    getTask: (id, context) =>
      Effect.flatMap(ask({ _tag: "GetTask", id }, context), ({ size, target, value }) =>
        Option.match(readTask(value), {
          onNone: () => failure(new URL(target.url), { _tag: "Malformed", detail: "this is not a task" }),
          onSome: (task) => Effect.succeed({ task, size })
        })),
    cancelTask: (id, context) => Effect.asVoid(ask({ _tag: "CancelTask", id }, context)),
    extendedCard: ask({ _tag: "ExtendedCard" }, undefined),
    isStreaming: () => streams
  }
}

interface AnswerFrom extends Answer {
  readonly target: AgentInterface
}

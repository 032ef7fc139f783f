/**
 * The calls of A2A over JSON-RPC, in whichever dialect the agent really speaks.
 *
 * **Details**
 *
 * What the card claims is tried first. An agent that doesn't know the method or the version of a send hasn't begun
 * anything, so the other dialect is tried once, and remembered when it works. Answers are read in either shape,
 * whichever dialect was spoken.
 *
 * @since 0.1.0
 */
import { type Json, RandomId } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { type A2aError, isVersionError } from "./A2aError.ts"
import { readReply, readTask, type Reply, type Task } from "./A2aTask.ts"
import type { AgentCard, AgentInterface } from "./AgentCard.ts"
import * as Credentials from "./internal/credentials.ts"
import { headersOf, type Operation, type OutgoingMessage, toRpc } from "./internal/dialect.ts"
import * as Wire from "./internal/wire.ts"

export type { OutgoingMessage }

/**
 * An agent one can talk to.
 *
 * @category models
 * @since 0.1.0
 */
export interface A2aClient {
  /** Sends a message and doesn't wait for the work: the answer is the task as it is now, or a message. */
  readonly send: (message: OutgoingMessage) => Effect.Effect<Reply, A2aError>
  /** The task as it is now. */
  readonly getTask: (id: string) => Effect.Effect<Task, A2aError>
  /** Asks the agent to stop working on a task. */
  readonly cancelTask: (id: string) => Effect.Effect<void, A2aError>
}

/**
 * `headers` go to the card's own origin only; an endpoint elsewhere gets none.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly card: AgentCard
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A client for the agent of a card.
 *
 * **Example**
 *
 * ```ts
 * const client = yield* A2aClient.make({ card })
 * const reply = yield* client.send({ parts: [{ kind: "text", text: "What is six times seven?" }] })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (options: Options) => Effect.Effect<A2aClient, never, HttpClient.HttpClient> = Effect.fnUntraced(
  function*({ card, headers = {} }) {
    const credentials = Credentials.make(new URL(card.location), headers)
    const wire = yield* Wire.make(credentials)
    const current = yield* Ref.make<Spoken>({ spoken: card.endpoint, other: card.alternative })
    const request = (operation: Operation, target: AgentInterface) => exchange(wire, credentials, operation, target)

    const sendOther = (operation: Operation, { other, spoken }: Spoken, refusal: A2aError) =>
      request(operation, other).pipe(
        // the first refusal is about the dialect that the card names, and so the one that helps
        Effect.mapError((error) => isVersionError(error) ? refusal : error),
        Effect.tap(() => Ref.set(current, { spoken: other, other: spoken }))
      )

    return {
      send: Effect.fnUntraced(function*(message) {
        const operation: Operation = { _tag: "Send", messageId: yield* RandomId.make, message }
        const now = yield* Ref.get(current)
        const result = yield* Effect.catchIf(
          request(operation, now.spoken),
          isVersionError,
          (refusal) => sendOther(operation, now, refusal)
        )
        return yield* orMalformed(readReply(result), now.spoken, "neither a task nor a message")
      }),
      getTask: Effect.fnUntraced(function*(id) {
        const { spoken } = yield* Ref.get(current)
        const result = yield* request({ _tag: "GetTask", id }, spoken)
        return yield* orMalformed(readTask(result), spoken, "this is not a task")
      }),
      cancelTask: (id) =>
        Effect.flatMap(Ref.get(current), ({ spoken }) => Effect.asVoid(request({ _tag: "CancelTask", id }, spoken)))
    }
  }
)

/** The dialect in use, and the one to try when it isn't understood. */
interface Spoken {
  readonly spoken: AgentInterface
  readonly other: AgentInterface
}

/** Room for an artifact with a file of several megabytes in it, and a bound for one that never ends. */
const ANSWER_LIMIT = 16 * 1024 * 1024

const exchange = Effect.fnUntraced(function*(
  wire: Wire.Wire,
  credentials: Credentials.Credentials,
  operation: Operation,
  target: AgentInterface
) {
  const url = new URL(target.url)
  const body: Json.JsonObject = toRpc(operation, target, yield* RandomId.make)
  const answer = yield* wire({ method: "POST", url, headers: headersOf(target.dialect), body, limit: ANSWER_LIMIT })
  const response = decodeResponse(answer.text)
  if (Option.isSome(response) && response.value.error) {
    const { code, message } = response.value.error
    const detail = clip(credentials.redact(message ?? "no reason was given"))
    return yield* Wire.failure(url, { _tag: "Refused", code, detail, status: answer.status })
  }
  if (answer.status < 200 || answer.status > 299) {
    return yield* Wire.failure(url, { _tag: "BadStatus", status: answer.status })
  }
  if (Option.isNone(response)) {
    return yield* Wire.failure(url, { _tag: "Malformed", detail: "this is not a JSON-RPC response" })
  }
  return response.value.result
})

const RpcResponse = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ code: Schema.Finite, message: Schema.optionalKey(Schema.String) }))
  )
})

const decodeResponse = Schema.decodeUnknownOption(Schema.fromJsonString(RpcResponse))

const orMalformed = <A>(value: Option.Option<A>, target: AgentInterface, detail: string): Effect.Effect<A, A2aError> =>
  Option.match(value, {
    onNone: () => Wire.failure(new URL(target.url), { _tag: "Malformed", detail }),
    onSome: Effect.succeed
  })

/** An agent's reason is quoted in an error that a model reads. */
const MAX_REASON = 2000

const clip = (text: string): string =>
  text.length > MAX_REASON ? `${text.slice(0, MAX_REASON).toWellFormed()}...` : text

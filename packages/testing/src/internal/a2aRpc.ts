/** From the body of a request to the body of its answer: JSON-RPC, over the tasks of one fake agent. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as A2aReply from "../A2aReply.ts"
import * as Dialects from "./a2aDialect.ts"
import { Refused, Tasks } from "./a2aTasks.ts"

/** An answer over HTTP; none means that the request stays open. */
export interface HttpAnswer {
  readonly status: number
  readonly body: string
  /** By default it is JSON. */
  readonly type?: "text/event-stream" | "text/plain"
}

export interface Agent {
  readonly dialects: ReadonlyArray<Dialects.Dialect>
  readonly streaming: boolean
  readonly reply: (text: string) => A2aReply.Reply
  readonly onCancel: (taskId: string) => void
}

const decodeRequest = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.Union([Schema.String, Schema.Finite]),
  method: Schema.String,
  params: Schema.optionalKey(Schema.Unknown)
})))

/** What a method comes to: a JSON-RPC result, or something else entirely. */
type Outcome = Result | Events | HttpAnswer | "silence"

interface Result {
  readonly result: unknown
}

/** Of a stream. */
interface Events {
  readonly events: ReadonlyArray<unknown>
}

const isResult = (outcome: Outcome): outcome is Result => Predicate.hasProperty(outcome, "result")
const isEvents = (outcome: Outcome): outcome is Events => Predicate.hasProperty(outcome, "events")

const toAnswer = (id: string | number, outcome: Outcome): HttpAnswer | "silence" => {
  if (isResult(outcome)) return json({ id, result: outcome.result })
  if (!isEvents(outcome)) return outcome
  const events = outcome.events.map((result) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`)
  return { status: 200, body: events.join(""), type: "text/event-stream" }
}

export const make = (agent: Agent) => {
  const tasks = new Tasks()

  const send = Effect.fnUntraced(function*(dialect: Dialects.Dialect, params: unknown) {
    const { message } = yield* Effect.mapError(Dialects.readSend(dialect, params), invalidParams)
    const reply = message.taskId === undefined
      ? agent.reply(Dialects.textOf(params))
      : yield* orRefuse(tasks.next(message.taskId))
    const contextId = message.contextId ?? tasks.newContext()
    return yield* A2aReply.match(reply, {
      Message: ({ parts }): Effect.Effect<Outcome, Refused> => {
        const answer = Dialects.message(dialect, `${message.messageId}-answer`, contextId, parts)
        return Effect.succeed({ result: Dialects.sent(dialect, "message", answer) })
      },
      Task: (task) =>
        Effect.map(
          orRefuse(
            message.taskId === undefined ? tasks.start(task, contextId) : tasks.goOn(message.taskId, task)
          ),
          (view) => ({ result: Dialects.sent(dialect, "task", Dialects.task(dialect, view)) })
        ),
      RpcError: (error) => Effect.fail(new Refused(error)),
      Http: ({ body, status }) => Effect.succeed({ status, body }),
      Silence: () => Effect.succeed("silence" as const)
    })
  })

  /** From how it is now to where it comes to. */
  const follow = (dialect: Dialects.Dialect, id: string, now: unknown) =>
    Effect.map(orRefuse(tasks.rest(id)), (views): Outcome => ({
      events: [now, ...views.flatMap((view) => Dialects.updates(dialect, view))]
    }))

  const operations = {
    send,
    stream: Effect.fnUntraced(function*(dialect: Dialects.Dialect, params: unknown) {
      const outcome = yield* send(dialect, params)
      if (outcome === "silence" || !("result" in outcome)) return outcome
      const id = Dialects.idOf(outcome.result)
      return yield* id === undefined
        ? Effect.succeed({ events: [outcome.result] })
        : follow(dialect, id, outcome.result)
    }),
    resubscribe: Effect.fnUntraced(function*(dialect: Dialects.Dialect, params: unknown) {
      const { id } = yield* Effect.mapError(Dialects.readTaskId(params), invalidParams)
      const now = Dialects.sent(dialect, "task", Dialects.task(dialect, yield* orRefuse(tasks.look(id))))
      return yield* follow(dialect, id, now)
    }),
    get: Effect.fnUntraced(function*(dialect: Dialects.Dialect, params: unknown) {
      const { id } = yield* Effect.mapError(Dialects.readTaskId(params), invalidParams)
      return { result: Dialects.task(dialect, yield* orRefuse(tasks.poll(id))) }
    }),
    cancel: Effect.fnUntraced(function*(dialect: Dialects.Dialect, params: unknown) {
      const { id } = yield* Effect.mapError(Dialects.readTaskId(params), invalidParams)
      agent.onCancel(id)
      return { result: Dialects.task(dialect, yield* orRefuse(tasks.cancel(id))) }
    })
  }

  const perform = (method: string, params: unknown, version: string): Effect.Effect<Outcome, Refused> => {
    const found = Dialects.operationOf(method, agent.dialects)
    if (found === undefined) return Effect.fail(new Refused({ code: -32601, message: `Method not found: ${method}` }))
    const [dialect, operation] = found
    if (!agent.streaming && (operation === "stream" || operation === "resubscribe")) {
      return Effect.fail(new Refused({ code: -32004, message: "This agent doesn't stream" }))
    }
    // an absent version means 0.3, and a client of 1.0 must send its own (A2A 1.0, versioning)
    if (dialect === "1.0" && version !== "1.0") {
      return Effect.fail(new Refused({ code: -32009, message: `Version not supported: "${version}"` }))
    }
    return operations[operation](dialect, params)
  }

  return Effect.fnUntraced(
    function*(body: string, version: string) {
      const { id, method, params } = yield* Effect.mapError(decodeRequest(body), invalidRequest)
      return yield* perform(method, params, version).pipe(
        // a test must hear of its own mistake, and not wait for an answer that never comes
        Effect.catchDefect((defect) => Effect.fail(new Refused({ code: -32603, message: broken("reply", defect) }))),
        Effect.map((outcome) => toAnswer(id, outcome)),
        Effect.catch(({ code, message }) => Effect.succeed(json({ id, error: { code, message } })))
      )
    },
    Effect.catch(({ code, message }) => Effect.succeed(json({ id: null, error: { code, message } })))
  )
}

/** What a function of the test has thrown, in a message that says whose it is. */
export const broken = (option: "reply" | "card", defect: unknown): string =>
  `FakeA2aAgent: "${option}" failed: ${String(defect)}`

const json = (message: object): HttpAnswer => ({ status: 200, body: JSON.stringify({ jsonrpc: "2.0", ...message }) })

const orRefuse = <A>(value: A | Refused): Effect.Effect<A, Refused> =>
  value instanceof Refused ? Effect.fail(value) : Effect.succeed(value)

const invalidParams = (error: Schema.SchemaError) =>
  new Refused({ code: -32602, message: `Invalid params: ${error.message}` })

const invalidRequest = (error: Schema.SchemaError) =>
  new Refused({ code: -32600, message: `Invalid request: ${error.message}` })

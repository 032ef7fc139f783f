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
}

export interface Agent {
  readonly dialects: ReadonlyArray<Dialects.Dialect>
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
type Outcome = { readonly result: unknown } | HttpAnswer | "silence"

const isResult = (outcome: Outcome): outcome is { readonly result: unknown } => Predicate.hasProperty(outcome, "result")

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

  const operations = {
    send,
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
        Effect.map((outcome) => isResult(outcome) ? json({ id, ...outcome }) : outcome),
        Effect.catch(({ code, message }) => Effect.succeed(json({ id, error: { code, message } })))
      )
    },
    Effect.catch(({ code, message }) => Effect.succeed(json({ id: null, error: { code, message } })))
  )
}

const json = (message: object): HttpAnswer => ({ status: 200, body: JSON.stringify({ jsonrpc: "2.0", ...message }) })

const orRefuse = <A>(value: A | Refused): Effect.Effect<A, Refused> =>
  value instanceof Refused ? Effect.fail(value) : Effect.succeed(value)

const invalidParams = (error: Schema.SchemaError) =>
  new Refused({ code: -32602, message: `Invalid params: ${error.message}` })

const invalidRequest = (error: Schema.SchemaError) =>
  new Refused({ code: -32600, message: `Invalid request: ${error.message}` })

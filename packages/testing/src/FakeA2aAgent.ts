/**
 * A small A2A agent on loopback, over real HTTP, that answers by script and remembers what it was sent. It speaks either
 * dialect of the protocol or both, and is strict about what a client sends in each.
 *
 * **Details**
 *
 * JSON-RPC only: send, get, cancel, and where it streams the two methods for that. `blocking` is not honoured: a task that
 * takes polls is answered at once as `submitted`, which the protocol allows. A stream brings all steps of the task at once.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as NodeHttp from "node:http"
import { text } from "node:stream/consumers"
import * as A2aReply from "./A2aReply.ts"
import * as Dialects from "./internal/a2aDialect.ts"
import * as Rpc from "./internal/a2aRpc.ts"
import { sleep } from "./internal/realTime.ts"

/**
 * A skill as the card advertises it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Skill {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly tags?: ReadonlyArray<string>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Default: `Fake agent`. */
  readonly name?: string
  readonly description?: string
  /** Default: one skill, `answer`. */
  readonly skills?: ReadonlyArray<Skill>
  /** What it speaks, and what its card says it speaks. Default: `both`. */
  readonly dialect?: "0.3" | "1.0" | "both"
  /** Whether it streams. Default: false. */
  readonly streaming?: boolean
  /** Changes the card before it is sent: cards lie, and are malformed. */
  readonly card?: (card: object) => unknown
  /**
   * What a message without a task gets, by its text. Default: a completed task with that text. What it throws is answered as
   * an internal error (-32603) with its message.
   */
  readonly reply?: A2aReply.Reply | ((text: string) => A2aReply.Reply)
  /** Before every answer, the card's too; in milliseconds of real time. Default: 0. */
  readonly delay?: number
  /** If given, what `Authorization` must be; everything else gets 401, at the card too. */
  readonly authorization?: string
}

/**
 * A request as the agent got it. Names of headers are in lower case.
 *
 * @category models
 * @since 0.1.0
 */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * **Example**
 *
 * ```ts
 * const agent = yield* FakeA2aAgent.make({
 *   dialect: "1.0",
 *   reply: (text) => A2aReply.completed(`You said ${text}`, { polls: 2 })
 * })
 * const layer = ToolkitLive({ agents: [{ card: agent.cardUrl }] })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class FakeA2aAgent extends Context.Service<FakeA2aAgent, {
  /** Where its methods are called, e.g. `http://127.0.0.1:40123/a2a`. */
  readonly url: string
  readonly cardUrl: string
  /** All requests so far, oldest first, for the card too. */
  readonly requests: Effect.Effect<ReadonlyArray<RecordedRequest>>
  /** The ids of the tasks it was asked to cancel, oldest first. */
  readonly cancels: Effect.Effect<ReadonlyArray<string>>
}>()("@effect-toolnexus/testing/FakeA2aAgent") {
  /** Starts an agent that ends with the scope: open requests are cut off. */
  static readonly make = (options: Options = {}): Effect.Effect<FakeA2aAgent["Service"], never, Scope.Scope> =>
    make(options)

  /** An agent of its own for whatever the layer is provided to. */
  static readonly layer = (options?: Options): Layer.Layer<FakeA2aAgent> =>
    Layer.effect(FakeA2aAgent, FakeA2aAgent.make(options))
}

const CARD_PATH = "/.well-known/agent-card.json"
const RPC_PATH = "/a2a"

const make = Effect.fnUntraced(function*(options: Options) {
  const requests: Array<RecordedRequest> = []
  const cancels: Array<string> = []
  const rpc = Rpc.make({
    dialects: dialectsOf(options),
    streaming: options.streaming === true,
    reply: replyOf(options),
    onCancel: (id) => cancels.push(id)
  })

  const answer = Effect.fnUntraced(function*(request: RecordedRequest, origin: string) {
    requests.push(request)
    if (options.delay !== undefined) yield* sleep(options.delay)
    if (options.authorization !== undefined && request.headers["authorization"] !== options.authorization) {
      return { status: 401, body: "" }
    }
    if (request.method === "GET" && request.path === CARD_PATH) {
      return yield* Effect.sync(() => ({ status: 200, body: cardOf(options, origin) })).pipe(
        Effect.catchDefect((defect) =>
          Effect.succeed({ status: 500, type: "text/plain" as const, body: Rpc.broken("card", defect) })
        )
      )
    }
    if (request.method !== "POST" || request.path !== RPC_PATH) return { status: 404, body: "" }
    return yield* rpc(request.body, request.headers["a2a-version"] ?? "")
  })
  const origin = yield* listen(answer)

  return {
    url: origin + RPC_PATH,
    cardUrl: origin + CARD_PATH,
    requests: Effect.sync(() => [...requests]),
    cancels: Effect.sync(() => [...cancels])
  }
})

const ANSWER: Skill = { id: "answer", name: "Answer", description: "Answers anything" }

const cardOf = (options: Options, origin: string): string => {
  const card = Dialects.card(dialectsOf(options), {
    name: options.name ?? "Fake agent",
    description: options.description ?? "Answers by script",
    url: origin + RPC_PATH,
    streaming: options.streaming === true,
    skills: (options.skills ?? [ANSWER]).map((skill) => ({ description: skill.name, tags: [], ...skill }))
  })
  return JSON.stringify(options.card === undefined ? card : options.card(card))
}

const dialectsOf = ({ dialect = "both" }: Options): ReadonlyArray<Dialects.Dialect> =>
  dialect === "both" ? ["0.3", "1.0"] : [dialect]

const replyOf = ({ reply = (message) => A2aReply.completed(message) }: Options) =>
  typeof reply === "function" ? reply : () => reply

/** A server on a free port of loopback; gives its origin. */
const listen = Effect.fnUntraced(function*(
  answer: (request: RecordedRequest, origin: string) => Effect.Effect<Rpc.HttpAnswer | "silence">
) {
  const run = yield* FiberSet.makeRuntime()
  const server = NodeHttp.createServer()
  // a connection that a client keeps for its next request would look as if the client had left it open
  server.on("connection", (socket) => socket.unref())
  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
  )
  yield* Effect.callback<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  const { port } = yield* decodeAddress(server.address())
  const origin = `http://127.0.0.1:${port}`
  server.on("request", (request, response) => {
    run(Effect.gen(function*() {
      const body = yield* Effect.promise(() => text(request))
      const { method = "", url: path = "" } = request
      const answered = yield* answer({ method, path, headers: headersOf(request), body }, origin)
      if (answered === "silence") return
      response.writeHead(answered.status, { "content-type": answered.type ?? "application/json" }).end(answered.body)
    }))
  })
  return origin
})

const Address = Schema.Struct({ port: Schema.Int })

const decodeAddress = (address: unknown) => Effect.orDie(Schema.decodeUnknownEffect(Address)(address))

const headersOf = ({ headers }: NodeHttp.IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

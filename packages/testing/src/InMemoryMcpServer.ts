/**
 * An MCP server in this process, on the SDK's own `Server` and in-memory transport: the protocol is real, the process
 * isn't. It stands in a configuration given in code as it is, and behind a command line by `TestServers`.
 *
 * @since 0.1.0
 */
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Progress
} from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/**
 * Whatever can be connected to in this process. Each call of `connect` opens a session of its own and gives the
 * client's end of it, not started yet.
 *
 * @category models
 * @since 0.1.0
 */
export interface InProcessServer {
  readonly connect: () => Transport
}

/**
 * What a handler returns: text, or a result as MCP defines it. A failure, a throw or a rejection becomes a result with
 * `isError`, a defect a protocol error.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = string | CallToolResult

/**
 * The call a handler serves.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  /** Sends progress, if the client asked for it. */
  readonly progress: (progress: Progress) => Effect.Effect<void>
}

/**
 * A tool of the server. `inputSchema` is any object by default; arguments aren't checked against it, as most servers
 * don't either. An Effect is interrupted when the client cancels the call.
 *
 * @category models
 * @since 0.1.0
 */
export interface InMemoryTool<out R = never> {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: Schema.JsonObject
  readonly outputSchema?: Schema.JsonObject
  readonly annotations?: Schema.JsonObject
  readonly handler: (
    args: Readonly<Record<string, unknown>>,
    call: Call
  ) => Answer | PromiseLike<Answer> | Effect.Effect<Answer, unknown, R>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options<out R = never> {
  /** What it says of itself. Default: `in-memory`. */
  readonly name?: string
  readonly instructions?: string
  readonly tools: ReadonlyArray<InMemoryTool<R>>
}

/**
 * A call as the server got it.
 *
 * @category models
 * @since 0.1.0
 */
export interface RecordedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface InMemoryMcpServer<in R = never> extends InProcessServer {
  /** Replaces the list, and tells every session that it changed. */
  readonly setTools: (tools: ReadonlyArray<InMemoryTool<R>>) => Effect.Effect<void>
  /** All calls so far, oldest first. */
  readonly calls: Effect.Effect<ReadonlyArray<RecordedCall>>
  /** How many sessions are open. */
  readonly sessions: Effect.Effect<number>
  /** Ends every session, as a server that dies does; new ones may be opened. */
  readonly disconnect: Effect.Effect<void>
}

/**
 * Makes a server. When the scope closes, its sessions end and its handlers are interrupted.
 *
 * **Example**
 *
 * ```ts
 * const weather = yield* InMemoryMcpServer.make({
 *   tools: [{ name: "forecast", handler: ({ city }) => `sunny in ${String(city)}` }]
 * })
 * const layer = ToolkitLive({ config: { mcpServers: { weather } } })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <R = never>(
  options: Options<R>
): Effect.Effect<InMemoryMcpServer<R>, never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const run = yield* FiberSet.makeRuntimePromise<R>()
    const calls: Array<RecordedCall> = []
    const sessions = new Set<Server>()
    let tools = options.tools
    let isClosed = false

    const answer = ({ arguments: args = {}, name }: CallToolRequest["params"], call: Call) =>
      Effect.suspend(() => {
        calls.push({ name, arguments: args })
        const tool = tools.find((candidate) => candidate.name === name)
        return tool === undefined ? Effect.succeed(failure(`Unknown tool: ${name}`)) : runTool(tool, args, call)
      })

    const openSession = () => {
      const server = new Server(
        { name: options.name ?? "in-memory", version: "1.0.0" },
        {
          capabilities: { tools: { listChanged: true } },
          ...(options.instructions === undefined ? {} : { instructions: options.instructions })
        }
      )
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listing) }))
      server.setRequestHandler(CallToolRequestSchema, ({ params }, { sendNotification, signal }) => {
        const progressToken = params._meta?.progressToken
        const progress: Call["progress"] = (report) =>
          progressToken === undefined ?
            Effect.void :
            Effect.promise(() =>
              sendNotification({ method: "notifications/progress", params: { ...report, progressToken } })
            )
        return run(answer(params, { progress }), { signal })
      })
      server.onclose = () => void sessions.delete(server)
      sessions.add(server)
      return server
    }

    const disconnect = Effect.suspend(() =>
      Effect.forEach([...sessions], (server) => Effect.promise(() => server.close()), { discard: true })
    )
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isClosed = true
        return disconnect
      })
    )

    return {
      connect: () => {
        const [client, server] = InMemoryTransport.createLinkedPair()
        // a closed server refuses: the client's first message finds nobody there
        void (isClosed ? server.close() : openSession().connect(server))
        return client
      },
      setTools: (list) =>
        Effect.suspend(() => {
          tools = list
          return Effect.forEach([...sessions], (server) => Effect.promise(() => server.sendToolListChanged()), {
            discard: true
          })
        }),
      calls: Effect.sync(() => [...calls]),
      sessions: Effect.sync(() => sessions.size),
      disconnect
    }
  })

const listing = <R>({ handler: _handler, inputSchema, ...tool }: InMemoryTool<R>) => ({
  ...tool,
  inputSchema: { ...inputSchema, type: "object" as const }
})

const runTool = <R>(
  tool: InMemoryTool<R>,
  args: Readonly<Record<string, unknown>>,
  call: Call
): Effect.Effect<CallToolResult, never, R> =>
  Effect.try({ try: () => tool.handler(args, call), catch: refusal }).pipe(
    Effect.flatMap(settle),
    Effect.map((value) => typeof value === "string" ? { content: [{ type: "text" as const, text: value }] } : value),
    Effect.catch((failed) => Effect.succeed(failed))
  )

const settle = <R>(
  value: Answer | PromiseLike<Answer> | Effect.Effect<Answer, unknown, R>
): Effect.Effect<Answer, CallToolResult, R> => {
  if (Effect.isEffect(value)) return Effect.mapError(value, refusal)
  return Predicate.isPromiseLike(value)
    ? Effect.tryPromise({ try: () => value, catch: refusal })
    : Effect.succeed(value)
}

const failure = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true })

const refusal = (cause: unknown): CallToolResult =>
  failure(Predicate.hasProperty(cause, "message") && typeof cause.message === "string" ? cause.message : String(cause))

/** What the tests have in common: a server on loopback that remembers what it was sent, and Node's platform. */
import { type HttpConnections, Source, ToolCall } from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import * as NodeHttp from "@effect-toolnexus/toolkit/NodeHttp"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"

const files = Layer.merge(NodeFileSystem.layer, NodePath.layer)

export const platform = Layer.merge(files, NodeHttp.layer)

export interface Seen {
  readonly method: string
  /** Path and query, as they came. */
  readonly target: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface TestServer {
  readonly origin: string
  readonly seen: Array<Seen>
  /** How many are open. */
  readonly connections: Effect.Effect<number>
}

/** Answers what the script says, else 200 and `{"ok":true}`. */
export type Script = (seen: Seen, response: ServerResponse) => void

export const serve = (script?: Script) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<TestServer & { readonly close: () => void }>((resume) => {
        const seen: Array<Seen> = []
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => void chunks.push(chunk))
          request.on("end", () => {
            const target = request.url ?? ""
            const mark = target.indexOf("?")
            const each: Seen = {
              method: request.method ?? "",
              target,
              path: mark === -1 ? target : target.slice(0, mark),
              query: mark === -1 ? "" : target.slice(mark + 1),
              headers: request.headers,
              body: Buffer.concat(chunks)
            }
            seen.push(each)
            if (script === undefined) json(response, 200, { ok: true })
            else script(each, response)
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" ? address?.port : undefined
          const close = () => {
            server.closeAllConnections()
            server.close()
          }
          const connections = Effect.callback<number>((answer) => {
            server.getConnections((_error, count) => answer(Effect.succeed(count)))
          })
          resume(Effect.succeed({ origin: `http://127.0.0.1:${port}`, seen, connections, close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    (server): TestServer => server
  )

export const json = (response: ServerResponse, status: number, value: unknown, headers: object = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(value))
}

/** The entries of a source of these items, built in the test's scope. */
export const build = (
  items: ReadonlyArray<ExtraSource.Item>,
  http: Layer.Layer<HttpConnections> = NodeHttp.layer
) =>
  Effect.flatMap(
    Layer.build(Layer.fresh(Layer.provide(ExtraSource.layer(items), Layer.merge(files, http)))),
    (context) => Source.settled(Context.get(context, Source))
  )

/** Calls a tool of these entries by name, past the toolkit's own checks. */
export const callIn = Effect.fnUntraced(
  function*(
    entries: Effect.Success<ReturnType<typeof build>>,
    name: string,
    args: Parameters<(typeof entries)[number]["tools"][number]["handler"]>[0],
    options?: ToolCall.CallOptions
  ) {
    const tool = entries.flatMap(({ tools }) => tools).find((each) => each.name === name)
    if (tool === undefined) return yield* Effect.die(`there is no tool ${name}`)
    return yield* tool.handler(args, ToolCall.make(name, "call-1", options))
  }
)

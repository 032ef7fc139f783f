/** A scripted MCP server over HTTP on loopback: answers as a test tells it, and remembers what it was sent. */
import { assertNothingLeft } from "@effect-toolnexus/testing"
import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from "node:https"
import { define, open, platform } from "./support.ts"

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Body
}

interface Body {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Answers by itself, or leaves it to the server's ordinary way by giving false. */
export type Script = (seen: Seen, response: ServerResponse) => boolean | void

export interface HttpServer {
  readonly origin: string
  readonly url: string
  /** All that came, without bodies of responses. */
  readonly seen: Array<Seen>
  /** Ends every connection and stops listening. */
  readonly stop: Effect.Effect<void>
  readonly open: () => number
}

export interface ServerOptions {
  readonly script?: Script
  /** Answers requests as a stream of events instead of JSON. */
  readonly asEvents?: boolean
  readonly tools?: ReadonlyArray<object>
  readonly tls?: TlsOptions
  readonly port?: number
}

export const json = (response: ServerResponse, status: number, value: unknown, headers: object = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(value))
}

export const events = (response: ServerResponse, text: string, headers: object = {}) => {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers })
  response.write(text)
}

export const event = (value: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`

export const answer = (id: number | undefined, result: unknown) => ({ jsonrpc: "2.0", id, result })

export const text = (value: string) => ({ content: [{ type: "text", text: value }] })

export const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  serverInfo: { name: "http", version: "1" }
}

const TOOLS = [{ name: "echo" }]

const ordinary = (
  { asEvents = false, tools = TOOLS }: ServerOptions,
  { body, method }: Seen,
  response: ServerResponse
) => {
  if (method === "GET") return json(response, 405, {})
  if (method === "DELETE") return json(response, 200, {})
  if (body.id === undefined) return void response.writeHead(202).end()
  const send = (result: unknown, headers = {}) => {
    if (!asEvents) return json(response, 200, answer(body.id, result), headers)
    events(response, event(answer(body.id, result)), headers)
    response.end()
  }
  if (body.method === "initialize") return send(initialized, { "mcp-session-id": "s1" })
  if (body.method === "tools/list") return send({ tools })
  const { arguments: args = {} } = body.params ?? {}
  return send(text(JSON.stringify(args)))
}

const readBody = (request: IncomingMessage, take: (body: Body) => void) => {
  let whole = ""
  request.setEncoding("utf8").on("data", (chunk) => (whole += String(chunk)))
  request.on("end", () => take(whole === "" ? {} : JSON.parse(whole)))
}

export const httpServer = (options: ServerOptions = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly server: Server; readonly seen: Array<Seen> }>((resume) => {
        const seen: Array<Seen> = []
        const listener = (request: IncomingMessage, response: ServerResponse) =>
          readBody(request, (body) => {
            const { headers, method = "", url: path = "" } = request
            const one: Seen = { method, path, headers, body }
            seen.push(one)
            if (options.script === undefined || options.script(one, response) === false) {
              ordinary(options, one, response)
            }
          })
        const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener)
        server.listen(options.port ?? 0, "127.0.0.1", () => resume(Effect.succeed({ server, seen })))
      }),
      ({ server }) => stopServer(server)
    ),
    ({ seen, server }): HttpServer => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const origin = `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`
      let connections = 0
      server.on("connection", (socket) => {
        connections++
        socket.on("close", () => connections--)
      })
      return { origin, url: `${origin}/mcp`, seen, stop: stopServer(server), open: () => connections }
    }
  )

const stopServer = (server: Server) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** Such a server, and a source that has it as `a`. */
export const connect = Effect.fnUntraced(function*(options: ServerOptions = {}, config: object = {}) {
  const server = yield* httpServer(options)
  const opened = yield* open({ a: define({ url: server.url, ...config }) })
  return { server, opened, entries: yield* opened.entries }
})

export const within = <A, E, R>(effect: Effect.Effect<A, E, R>) => assertNothingLeft(Effect.provide(effect, platform))

export const methodsOf = (seen: ReadonlyArray<Seen>) => seen.map(({ body, method }) => body.method ?? method)

/** The requests among them. */
export const posts = (seen: ReadonlyArray<Seen>) =>
  methodsOf(seen).filter((method) => method.includes("/") || method === "initialize")

/** A web server on loopback for a test: it answers as it is told, and remembers what it was asked. */
import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"

export interface WebServer {
  readonly origin: string
  readonly port: number
  readonly requests: ReadonlyArray<IncomingMessage>
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<object>
}

export const webServer = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<WebServer & { readonly close: () => void }>((resume) => {
      const requests: Array<IncomingMessage> = []
      const sockets = new Set<object>()
      const server = createServer((request, response) => {
        requests.push(request)
        listener(request, response)
      })
      server.on("connection", (socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
        socket.on("error", () => {})
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = address !== null && typeof address === "object" ? address.port : 0
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ origin: `http://127.0.0.1:${port}`, port, requests, sockets, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** Answers every request with one body. */
export const answering = (
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  status = 200
): RequestListener =>
(_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(status, headers)
  response.end(body)
}

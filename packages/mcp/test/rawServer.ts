/** An MCP server over HTTP that writes bytes as a test has them, for what no library of servers lets through. */
import * as Effect from "effect/Effect"
import { createServer, type Server, type Socket } from "node:net"
import { answer, initialized, text } from "./httpServer.ts"

/** What the n-th call of a tool is answered, from 0; false for the ordinary answer. */
export type Reply = (socket: Socket, id: number, count: number) => unknown

export interface RawServer {
  readonly url: string
  readonly open: () => number
  /** How often it was sent which method. */
  readonly count: (method: string) => number
}

export const ok = (body: string, head = "content-type: application/json"): string =>
  `HTTP/1.1 200 OK\r\n${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** The head of a stream of events. */
export const SSE = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"

export const result = (id: number, value: string): string => JSON.stringify(answer(id, text(value)))

const ordinary = (method: string, id: number): string => {
  if (method === "initialize") return ok(JSON.stringify(answer(id, initialized)))
  if (method === "tools/list") return ok(JSON.stringify(answer(id, { tools: [{ name: "echo" }] })))
  if (method === "tools/call") return ok(result(id, "ordinary"))
  return "HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n"
}

const serve = (server: Server, reply: Reply, seen: Array<string>) => {
  let calls = 0
  server.on("connection", (socket) => {
    let rest = ""
    socket.on("error", () => {})
    socket.on("data", (chunk) => {
      rest += String(chunk)
      while (true) {
        const head = rest.indexOf("\r\n\r\n")
        const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, head))?.[1] ?? 0)
        if (head === -1 || rest.length < head + 4 + length) return
        const body = rest.slice(head + 4, head + 4 + length)
        rest = rest.slice(head + 4 + length)
        const { id = -1, method = "" }: { readonly id?: number; readonly method?: string } = body === ""
          ? {}
          : JSON.parse(body)
        seen.push(method)
        if (method !== "tools/call" || reply(socket, id, calls++) === false) socket.write(ordinary(method, id))
      }
    })
  })
}

export const rawServer = (reply: Reply) =>
  Effect.acquireRelease(
    Effect.callback<RawServer & { readonly stop: () => void }>((resume) => {
      const server = createServer()
      const sockets = new Set<Socket>()
      const seen: Array<string> = []
      server.on("connection", (socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
      })
      serve(server, reply, seen)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          url: `http://127.0.0.1:${port}/mcp`,
          open: () => sockets.size,
          count: (method) => seen.filter((each) => each === method).length,
          stop: () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
        }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )

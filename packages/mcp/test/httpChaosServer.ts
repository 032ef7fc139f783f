/**
 * An MCP server over HTTP to whose requests and answers happens what `Chaos` draws. On the way to it a request is late,
 * cut off, swallowed, refused with a 5xx, redirected, or finds its session forgotten; now and then the server is gone for
 * a moment, and so are its sessions. An answer meets what a line over stdio meets, in the body or the event that it is.
 *
 * It remembers what it has done, so that a call that is done twice is found.
 */
import { Chaos } from "@effect-toolnexus/testing"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { answer, initialized, text } from "./httpServer.ts"

export interface ChaosServerOptions extends Chaos.Options {
  /** Answers come as events, and there is a stream of what the server says by itself. */
  readonly asEvents: boolean
  /** Events have ids, and what followed one is said again to whoever asks. */
  readonly isResumable: boolean
  /** Streams stay open when all is said. */
  readonly isOpenEnded: boolean
}

export interface ChaosServer {
  readonly url: string
  /** Texts of calls that were done more than once. */
  readonly doneTwice: () => ReadonlyArray<string>
}

interface Body {
  readonly id?: number
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: { readonly text?: string }
    readonly _meta?: { readonly progressToken?: number }
  }
}

interface Request {
  readonly method: string
  readonly headers: IncomingMessage["headers"]
  readonly body: Body
}

/** One response that is a stream of events, or all of those that continue it. */
interface Conversation {
  readonly name: number
  readonly said: Array<string>
}

const TOOLS = ["echo", "slow", "steps", "news"].map((name) => ({ name }))
const CHANGED = { jsonrpc: "2.0", method: "notifications/tools/list_changed" }

/** How long it is gone. */
const GONE = "60 millis"

export const chaosServer = Effect.fnUntraced(function*(options: ChaosServerOptions) {
  const run = yield* FiberSet.makeRuntime()
  // a connection that was idle for long, on a loaded machine, is none to cut: that would be chaos beyond the plan
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    let body = ""
    // whoever is asked may be gone
    for (const end of [request, response]) end.on("error", () => {})
    request.setEncoding("utf8").on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      const { headers, method = "" } = request
      const parsed: Body = body === "" ? {} : JSON.parse(body)
      run(receive({ method, headers, body: parsed }, response))
    })
  })
  const listen = (port: number) =>
    Effect.callback<void>((resume) => {
      server.once("error", () => resume(Effect.delay(listen(port), GONE)))
      server.listen(port, "127.0.0.1", () => {
        server.removeAllListeners("error")
        resume(Effect.void)
      })
    })
  const close = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
  yield* Effect.addFinalizer(() => close)
  yield* listen(0)
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0

  const plan = Chaos.plan(options)
  const count = { toServer: 0, toClient: 0, sessions: 0, conversations: 0 }
  const sessions = new Set<string>()
  const listeners = new Set<ServerResponse>()
  const conversations = new Map<number, Conversation>()
  const done = new Map<string, number>()

  const crash = Effect.suspend(() => {
    sessions.clear()
    conversations.clear()
    return Effect.andThen(Effect.andThen(close, Effect.sleep(GONE)), listen(port))
  })

  const receive = (request: Request, response: ServerResponse): Effect.Effect<unknown> => {
    const fault = plan("toServer", count.toServer++)
    switch (fault._tag) {
      case "Delay":
        return Effect.andThen(Effect.sleep(fault.millis), answerTo(request, response))
      case "Drop":
        return Effect.void
      case "Garble":
        return refuse(response, fault.garbling._tag === "Bytes" ? 503 : 500)
      case "Noise":
        return refuse(response, 307, { location: "/mcp/again" })
      case "Duplicate":
        sessions.clear()
        return answerTo(request, response)
      case "Cut":
        if ("signal" in fault.cut) return crash
        response.destroy()
        // it may have got here all the same
        return "exit" in fault.cut ? Effect.void : answerTo(request, response)
      default:
        return answerTo(request, response)
    }
  }

  const refuse = (response: ServerResponse, status: number, headers = {}) =>
    Effect.sync(() => response.writeHead(status, headers).end("not now"))

  const answerTo = (request: Request, response: ServerResponse): Effect.Effect<unknown> => {
    const { body: { id, method, params = {} }, headers, method: verb } = request
    if (method === "initialize") {
      const session = `s${++count.sessions}`
      sessions.add(session)
      return begin(response, { "mcp-session-id": session }, (say) => say(answer(id, initialized)))
    }
    if (!sessions.has(String(headers["mcp-session-id"]))) return refuse(response, 404)
    if (verb === "GET") return listenTo(response, headers["last-event-id"])
    if (verb === "DELETE" || id === undefined) return refuse(response, 202)
    if (method === "tools/list") return begin(response, {}, (say) => say(answer(id, { tools: TOOLS })))
    if (method !== "tools/call") return begin(response, {}, (say) => say(answer(id, {})))
    return begin(response, {}, (say) => perform(say, id, params))
  }

  const perform = (
    say: Say,
    id: number,
    { _meta: meta, arguments: args = {}, name = "" }: NonNullable<Body["params"]>
  ) =>
    Effect.gen(function*() {
      const what = `${name} ${args.text?.slice(0, 40)}`
      done.set(what, (done.get(what) ?? 0) + 1)
      if (name === "slow") yield* Effect.sleep("40 millis")
      if (name === "steps") {
        for (let progress = 1; progress <= 4; progress++) {
          yield* Effect.sleep("8 millis")
          yield* say({
            jsonrpc: "2.0",
            method: "notifications/progress",
            params: { progressToken: meta?.progressToken, progress }
          })
        }
      }
      if (name === "news") yield* Effect.forEach(listeners, (listener) => write(listener, toEvent(CHANGED)))
      yield* say(answer(id, text(JSON.stringify(args))))
    })

  type Say = (message: object) => Effect.Effect<unknown>

  /** Only the last of what is said is a body of JSON. */
  const begin = (
    response: ServerResponse,
    headers: object,
    speak: (say: Say) => Effect.Effect<unknown>
  ): Effect.Effect<unknown> => {
    if (!options.asEvents) {
      return speak((message) => {
        if ("method" in message) return Effect.void
        response.writeHead(200, { "content-type": "application/json", ...headers })
        return Effect.andThen(write(response, JSON.stringify(message)), end(response))
      })
    }
    const conversation: Conversation = { name: ++count.conversations, said: [] }
    conversations.set(conversation.name, conversation)
    response.writeHead(200, { "content-type": "text/event-stream", ...headers })
    if (options.isResumable) response.write(`retry: 20\nid: ${conversation.name}.0\ndata:\n\n`)
    const say: Say = (message) => {
      const event = toEvent(message, `${conversation.name}.${conversation.said.length + 1}`)
      conversation.said.push(event)
      return write(response, event)
    }
    return Effect.andThen(speak(say), options.isOpenEnded ? flush(response) : end(response))
  }

  const listenTo = (response: ServerResponse, lastEventId: string | ReadonlyArray<string> | undefined) => {
    if (!options.asEvents) return refuse(response, 405)
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    if (lastEventId === undefined) {
      listeners.add(response)
      response.on("close", () => listeners.delete(response))
      return Effect.void
    }
    const [name, index] = String(lastEventId).split(".")
    const rest = conversations.get(Number(name))?.said.slice(Number(index)) ?? []
    return Effect.andThen(Effect.forEach(rest, (event) => write(response, event)), end(response))
  }

  const toEvent = (message: object, id?: string) =>
    `${options.isResumable && id !== undefined ? `id: ${id}\n` : ""}data: ${JSON.stringify(message)}\n\n`

  const held = new WeakMap<ServerResponse, Uint8Array>()

  const write = (response: ServerResponse, message: string): Effect.Effect<unknown> => {
    const steps = Chaos.steps(plan("toClient", count.toClient++), new TextEncoder().encode(message))
    return Effect.forEach(steps, (step) => {
      if ("wait" in step) return Effect.sleep(step.wait)
      return Effect.sync(() => {
        if ("cut" in step) return void response.destroy()
        const before = held.get(response)
        held.delete(response)
        if (response.destroyed) return undefined
        const bytes = Buffer.concat([before ?? new Uint8Array(), "write" in step ? step.write : step.hold])
        if ("hold" in step) return void held.set(response, bytes)
        return void response.write(bytes)
      })
    })
  }

  const flush = (response: ServerResponse) =>
    Effect.sync(() => {
      const rest = held.get(response)
      if (rest !== undefined && !response.destroyed) response.write(rest)
    })

  const end = (response: ServerResponse) =>
    Effect.sync(() => {
      if (!response.destroyed) response.end(held.get(response))
    })

  const chaos: ChaosServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    doneTwice: () => [...done].flatMap(([what, times]) => times > 1 ? [what] : [])
  }
  return chaos
})

/** What hostile and broken servers over HTTP did to us once, or might. */
import { RequestHeaders, TokenProvider } from "@effect-toolnexus/core"
import { assertNothingLeft } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"
import {
  answer,
  event,
  events,
  httpServer,
  initialized,
  json,
  type Script,
  type ServerOptions,
  text
} from "./httpServer.ts"
import { ok, rawServer, type Reply, result } from "./rawServer.ts"
import { call, define, entryOf, eventually, messageOf, open, platform, toolOf } from "./support.ts"

const LIMIT = 1500

const connect = Effect.fnUntraced(function*(options: ServerOptions = {}, config: object = {}) {
  const server = yield* httpServer(options)
  const opened = yield* open({ a: define({ url: server.url, ...config }) })
  return { server, opened, entries: yield* opened.entries }
})

const within = <A, E, R>(effect: Effect.Effect<A, E, R>) => assertNothingLeft(Effect.provide(effect, platform))

const SSE = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"

/** Writes as fast as it is read, until nobody reads any more. */
const flood = (socket: Socket, piece: string) => {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on("drain", more)
  more()
}

const drip = (socket: Socket, piece: string) => {
  const timer = setInterval(() => socket.write(piece), 20)
  socket.on("close", () => clearInterval(timer))
}

describe("a call ends within its limit, and the next one is answered, where the server's answer", () => {
  it.live.each(
    [
      [
        "changes the protocol",
        (socket) => socket.write("HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
        /cut/
      ],
      ["comes after hints", (socket, id) => {
        socket.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n")
        socket.write(ok(result(id, "fine")))
      }, "fine"],
      ["is hints for ever", (socket) => drip(socket, "HTTP/1.1 102 Processing\r\n\r\n"), "ToolTimeout"],
      ["is of HTTP/1.0", (socket, id) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${result(id, "fine")}`), "fine"],
      ["is garbage", (socket) => socket.write("\u0000\u0001garbage\r\n\r\n"), /HPE_INVALID/],
      ["is empty", (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"), /gave no answer \(HTTP 204\)/],
      [
        "is empty, and has a body",
        (socket) => socket.write("HTTP/1.1 204 X\r\ncontent-length: 5\r\n\r\nhello"),
        /HTTP 204/
      ],
      ["has nothing in it", (socket) => socket.write(ok("")), /its answer is no message/],
      ["is a cut connection", (socket) => socket.destroy(), /ECONNRESET/],
      ["is half a head", (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-ty"), "ToolTimeout"],
      ["is half a body", (socket, id) => socket.write(ok(result(id, "fine")).slice(0, -3)), "ToolTimeout"],
      ["is half a body, and ends", (socket, id) => socket.end(ok(result(id, "fine")).slice(0, -3)), /ECONNRESET/],
      ["drips", (socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
        drip(socket, " ")
      }, "ToolTimeout"],
      ["is compressed", (socket, id) => {
        const body = gzipSync(result(id, "fine"))
        socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`)
        socket.write(body)
      }, /encoded in a way it wasn't asked for: gzip/],
      ["never ends", (socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n\"")
        flood(socket, "x".repeat(1e6))
      }, /longer than the limit/],
      ["is an event that never ends", (socket) => {
        socket.write(`${SSE}data: `)
        flood(socket, "x".repeat(1e6))
      }, /longer than the limit/],
      ["is an event of lines without end", (socket) => {
        socket.write(SSE)
        flood(socket, `data: ${"x".repeat(1000)}\n`.repeat(1000))
      }, /longer than the limit/],
      [
        "has a huge head",
        (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(1e5)}\r\n\r\n`),
        /HPE_HEADER_OVERFLOW/
      ],
      ["is of another type", (socket, id) => socket.write(ok(result(id, "fine"), "content-type: text/plain")), "fine"],
      [
        "is of a type in capitals, and left open",
        (socket, id) =>
          socket.write(
            `HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream;charset=utf-8\r\n\r\ndata: ${result(id, "fine")}\n\n`
          ),
        "fine"
      ],
      [
        "comes twice",
        (socket, id) => socket.write(`${SSE}data: ${result(id, "fine")}\n\ndata: ${result(id, "two")}\n\n`),
        "fine"
      ],
      ["is to another call", (socket, id) => socket.write(ok(result(id + 1000, "other"))), /its answer is no message/],
      ["is among others", (socket, id) => socket.write(ok(`[null,{},[],${result(id, "fine")}]`)), "fine"],
      ["is deep", (socket) => socket.write(ok(`${"[".repeat(1e5)}${"]".repeat(1e5)}`)), /its answer is no message/],
      [
        "is longer than it says",
        (socket, id) => socket.write(`${ok(result(id, "fine"))}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`),
        "fine"
      ]
    ] satisfies ReadonlyArray<readonly [string, Reply, string | RegExp]>
  )("%s", ([, reply, expected]) =>
    within(Effect.gen(function*() {
      const server = yield* rawServer((socket, id, count) => {
        if (count > 0) return false
        reply(socket, id)
        return true
      })
      const { entries } = yield* open({ a: define({ url: server.url, timeout: { call: LIMIT } }) })
      const echo = toolOf(yield* entries, "a_echo")
      const started = performance.now()
      const outcome = yield* Effect.match(call(echo), {
        onFailure: (error) => expected === error._tag ? error._tag : error.message,
        onSuccess: ({ output }) => output
      })
      if (typeof expected === "string") assert.strictEqual(outcome, expected)
      else assert.match(outcome, expected)
      assert.isBelow(performance.now() - started, LIMIT + 2000)
      assert.strictEqual((yield* call(echo)).output, "ordinary")
      assert.strictEqual(server.count("tools/call"), 2)
    })))
})

describe("a server", () => {
  it.live("that never ends its streams keeps no connections", () =>
    within(Effect.gen(function*() {
      const { entries, server } = yield* connect({
        script: ({ body }, response) =>
          body.method === "tools/call" ? events(response, event(answer(body.id, text("fine")))) : false
      })
      const echo = toolOf(entries, "a_echo")
      yield* Effect.forEach(Array.from({ length: 40 }), () => call(echo), { concurrency: 8 })
      yield* eventually(() => server.open() < 4)
    })))

  it.live("that asks without end is answered no more than so much at once", () =>
    within(Effect.gen(function*() {
      let waiting = 0
      const { entries, server } = yield* connect({
        script: ({ body }, response) => {
          // what we answer is never taken note of
          if (body.method === undefined && body.id !== undefined) return void waiting++
          if (body.method !== "tools/call") return false
          const pings = Array.from({ length: 5000 }, (_, id) => event({ jsonrpc: "2.0", id, method: "ping" }))
          events(response, pings.join("") + event(answer(body.id, text("fine"))))
          return void response.end()
        }
      })
      const echo = toolOf(entries, "a_echo")
      assert.strictEqual((yield* call(echo)).output, "fine")
      yield* eventually(() => waiting === 256)
      assert.strictEqual((yield* call(echo)).output, "fine")
      assert.strictEqual(waiting, 256)
      assert.isBelow(server.open(), 300)
    })))

  it.live("is told of every call that is given up, however many", () =>
    within(Effect.gen(function*() {
      const { entries, server } = yield* connect({
        script: ({ body }) => body.method === "tools/call" ? undefined : false
      })
      const count = (method: string) => server.seen.filter(({ body }) => body.method === method).length
      const all = Effect.replicateEffect(call(toolOf(entries, "a_echo")), 600, { concurrency: "unbounded" })
      const fiber = yield* Effect.forkChild(all, { startImmediately: true })
      yield* eventually(() => count("tools/call") === 600)
      yield* Fiber.interrupt(fiber)
      yield* eventually(() => count("notifications/cancelled") === 600)
    })))

  it.live("that cuts an answer off and is gone then was not unheard: the call isn't made again", () =>
    within(Effect.gen(function*() {
      let calls = 0
      const script: Script = ({ body }, response) => {
        if (body.method !== "tools/call") return false
        calls++
        events(response, "retry: 100\nid: e1\ndata:\n\n")
        return void setTimeout(() => Effect.runFork(server.stop), 20)
      }
      const { entries, opened, server } = yield* connect({ script })
      const waiting = yield* Effect.forkChild(Effect.flip(call(toolOf(entries, "a_echo"))), { startImmediately: true })
      yield* eventually(() => SubscriptionRef.getUnsafe(opened.ref)[0]?._tag === "Reconnecting")
      yield* httpServer({ script, port: Number(new URL(server.url).port) })
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ToolUnavailable")
      yield* eventually(() => SubscriptionRef.getUnsafe(opened.ref)[0]?._tag === "Loaded")
      assert.strictEqual(calls, 1)
    })))

  it.live.each(
    [
      ["ünï 😀\t\u0080", Buffer.from("ünï 😀\t\u0080").toString("latin1")],
      ["a: b,c", "a: b,c"],
      ["\u0001", undefined],
      ["", undefined],
      ["x".repeat(5000), undefined]
    ] as const
  )(
    "is asked for the rest by the id it gave, where that is one: %#",
    ([id, expected]) =>
      within(Effect.gen(function*() {
        let waiting: number | undefined
        const asked: Array<unknown> = []
        const { entries } = yield* connect({
          script: ({ body, headers, method }, response) => {
            if (method === "GET" && waiting !== undefined) {
              asked.push(headers["last-event-id"])
              events(response, event(answer(waiting, text("resumed"))))
              return void response.end()
            }
            if (body.method !== "tools/call") return false
            waiting = body.id
            events(response, `retry: 0\nid: ${id}\ndata:\n\n`)
            return void response.end()
          }
        })
        const outcome = yield* Effect.exit(call(toolOf(entries, "a_echo")))
        assert.strictEqual(Exit.isSuccess(outcome), expected !== undefined)
        assert.deepStrictEqual(asked, expected === undefined ? [] : [expected])
      }))
  )

  it.live("is asked for the rest in the name of whoever made the call", () =>
    within(Effect.gen(function*() {
      let waiting: number | undefined
      const make = ({ context }: { readonly context: unknown }) => Effect.succeed({ "x-user": String(context) })
      const script: Script = ({ body, headers, method }, response) => {
        if (method === "GET" && waiting !== undefined) {
          events(response, event(answer(waiting, text(String(headers["x-user"])))))
          return void response.end()
        }
        if (body.method !== "tools/call") return false
        waiting = body.id
        events(response, "retry: 0\nid: e1\ndata:\n\n")
        return void response.end()
      }
      const { entries } = yield* Effect.provideService(connect({ script }), RequestHeaders, make)
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"), {}, { context: "ann" })).output, "ann")
    })))

  it.live.each(["retry: 0\n\n", "retry: 0\nid: 1\ndata:\n\n", "retry: 0\ndata: \n\n"])(
    "that ends its own stream at once, again and again, is left alone: %j",
    (said) =>
      within(Effect.gen(function*() {
        let streams = 0
        const { entries } = yield* connect({
          script: ({ method }, response) => {
            if (method !== "GET") return false
            streams++
            events(response, said)
            return void response.end()
          }
        })
        yield* Effect.sleep("800 millis")
        assert.strictEqual(streams, 6)
        yield* call(toolOf(entries, "a_echo"))
      }))
  )

  it.live("that says something each time it ends its own stream at once keeps no processor busy", () =>
    within(Effect.gen(function*() {
      let streams = 0
      yield* connect({
        script: ({ method }, response) => {
          if (method !== "GET") return false
          streams++
          events(response, "retry: 0\ndata: {}\n\n")
          return void response.end()
        }
      })
      yield* Effect.sleep("1 second")
      assert.isAtLeast(streams, 5)
      assert.isAtMost(streams, 11)
    })))

  it.live("that is busy when it is asked for its own stream is asked again", () =>
    within(Effect.gen(function*() {
      let streams = 0
      const { opened } = yield* connect({
        script: ({ method }, response) => {
          if (method !== "GET") return false
          if (streams++ === 0) return json(response, 503, {})
          return events(response, event({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }))
        }
      })
      yield* eventually(() => streams === 2)
      assert.strictEqual(entryOf(yield* opened.entries, "a")._tag, "Loaded")
    })))

  it.live("that floods its own stream is not heard any more, and answers calls", () =>
    within(Effect.gen(function*() {
      let isCut = false
      const { entries } = yield* connect({
        script: ({ method }, response) => {
          if (method !== "GET") return false
          response.on("close", () => {
            isCut = true
          })
          events(response, "data: ")
          const more = () => {
            while (!response.destroyed && response.write("x".repeat(1e6)));
          }
          response.on("drain", more)
          return more()
        }
      })
      yield* eventually(() => isCut)
      yield* call(toolOf(entries, "a_echo"))
    })))

  it.live("that forgets each session it gives is not asked for one without end", () =>
    within(Effect.gen(function*() {
      let sessions = 0
      let lists = 0
      const { opened } = yield* connect({
        script: ({ body, method }, response) => {
          // it says that its list has changed, and has forgotten us when we ask for it
          if (method === "GET") {
            return events(response, event({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }))
          }
          if (body.method === "initialize") sessions++
          if (body.method === "tools/list" && ++lists % 2 === 0) return json(response, 404, {})
          return false
        }
      })
      yield* Effect.sleep("1500 millis")
      assert.isAtMost(sessions, 5)
      assert.include(["Loaded", "Reconnecting"], entryOf(yield* opened.entries, "a")._tag)
    })))

  it.live("that knows nothing, or nobody, fails once", () =>
    within(Effect.gen(function*() {
      const { entries, server } = yield* connect({ script: (_, response) => json(response, 404, {}) }, { type: "http" })
      assert.include(messageOf(entries, "a"), "HTTP 404")
      assert.strictEqual(server.seen.length, 1)
    })))

  it.live.each(["odd ;,=\"é", "x".repeat(8000)])(
    "may give a session whatever id a header holds: %#",
    (id) =>
      within(Effect.gen(function*() {
        const { entries, server } = yield* connect({
          script: ({ body }, response) =>
            body.method === "initialize"
              ? json(response, 200, answer(body.id, initialized), {
                "mcp-session-id": Buffer.from(id).toString("latin1")
              })
              : false
        })
        yield* call(toolOf(entries, "a_echo"))
        assert.strictEqual(server.seen.at(-1)?.headers["mcp-session-id"], Buffer.from(id).toString("latin1"))
      }))
  )

  it.live("that gives a session no id has none", () =>
    within(Effect.gen(function*() {
      const { entries, server } = yield* connect({
        script: ({ body }, response) =>
          body.method === "initialize"
            ? json(response, 200, answer(body.id, initialized), { "mcp-session-id": "" })
            : false
      })
      yield* call(toolOf(entries, "a_echo"))
      assert.isTrue(server.seen.every(({ headers }) => headers["mcp-session-id"] === undefined))
    })))
})

describe("what is secret", () => {
  it.live("stays with its server, wherever that sends us", () =>
    within(Effect.gen(function*() {
      const other = yield* httpServer()
      const to: Script = (seen, response) => json(response, 307, {}, { location: `${other.origin}${seen.path}` })
      const { entries } = yield* connect({ script: to }, { headers: { "X-Key": "k3y-value" } })
      assert.include(messageOf(entries, "a"), "another server")
      let isMoved = false
      const later = yield* connect({ script: (seen, response) => isMoved ? to(seen, response) : false })
      isMoved = true
      assert.include((yield* Effect.flip(call(toolOf(later.entries, "a_echo")))).message, "another server")
      assert.deepStrictEqual(other.seen, [])
    })))

  it.live("is in no error, however the server repeats it", () =>
    within(Effect.gen(function*() {
      const echoAll = (status: number): Script => ({ headers }, response) => {
        const all = `${"x".repeat(1990)} ${Object.values(headers).join(" ")} ${"y".repeat(5000)}`
        const echoed = JSON.stringify(headers).replaceAll("\"", "'")
        return json(response, status, `${echoed}${all}`, { "www-authenticate": `Basic realm="${echoed}"` })
      }
      const make = () => Effect.succeed({ "x-made": "made-c4nary-made" })
      for (const status of [400, 401, 500, 200]) {
        const server = yield* httpServer({ script: echoAll(status) })
        const url = server.url.replace("//", "//user:p%40ss-c4nary@")
        const { entries } = yield* Effect.provideService(
          open({
            a: define({ url, headers: { "x-key": "key-c4nary-key" } }),
            b: define({ url: server.url, headers: { authorization: "Bearer bearer-c4nary" } })
          }),
          RequestHeaders,
          make
        )
        const shown = JSON.stringify(yield* entries)
        assert.notMatch(shown, /c4nary|made-c4|key-c4|bearer-c/)
        assert.notInclude(shown, btoa("user:p@ss-c4nary"))
      }
    })))

  it.live("for a proxy is in no error either", () =>
    within(Effect.gen(function*() {
      const proxy = yield* httpServer({ script: ({ headers }, response) => json(response, 407, headers) })
      const credentials = proxy.origin.replace("//", "//user:pr0xy-c4nary@")
      const { entries } = yield* open({ a: define({ url: "http://127.0.0.2:9/mcp", proxy: credentials }) })
      const shown = messageOf(yield* entries, "a")
      assert.include(shown, "HTTP 407")
      assert.notInclude(shown, btoa("user:pr0xy-c4nary"))
    })))

  it.live("given as a token is in no error either, and one that is refused is asked for once in each request", () =>
    within(Effect.gen(function*() {
      let asked = 0
      const tokens = () => Effect.succeed(Option.some(`t0ken-c4nary-${asked++}`))
      let isFlapping = false
      const script: Script = ({ body, headers }, response) => {
        if (!isFlapping || body.method !== "tools/call") return false
        return json(response, 401, {}, { "www-authenticate": `who is ${String(headers["authorization"])}` })
      }
      const { entries, server } = yield* Effect.provideService(connect({ script }), TokenProvider, tokens)
      isFlapping = true
      const errors = yield* Effect.forEach(
        Array.from({ length: 4 }),
        () => Effect.flip(call(toolOf(entries, "a_echo")))
      )
      assert.notInclude(JSON.stringify(errors), "c4nary")
      assert.strictEqual(asked, 4)
      assert.strictEqual(server.seen.filter(({ body }) => body.method === "tools/call").length, 8)
      isFlapping = false
      yield* call(toolOf(entries, "a_echo"))
    })))
})

describe("a host that breaks", () => {
  const silent = Logger.layer([])

  it.live.each([{ type: "http" }, { type: "sse" }])(
    "at its headers costs the request they were for: %o",
    (config) =>
      within(
        Effect.gen(function*() {
          const bad = [
            () => Effect.die(new Error("no header today")),
            () => Effect.succeed({ "x-bad": "a\nb" }),
            () => Effect.succeed({ "not a name": "a" })
          ]
          for (const make of bad) {
            const started = performance.now()
            const { entries } = yield* Effect.provideService(connect({}, config), RequestHeaders, make)
            assert.match(messageOf(entries, "a"), /a header for it can't be made \([0-9a-f]{8}\)/)
            assert.isBelow(performance.now() - started, 1000)
          }
        }).pipe(Effect.provide(silent))
      )
  )

  it.live("at the headers of one call, of the stream or of the goodbye costs nothing else", () =>
    within(
      Effect.gen(function*() {
        let isBroken = false
        const make = ({ context }: { readonly context: unknown }) =>
          context === "bad" || isBroken ? Effect.die(new Error("no header today")) : Effect.succeed({})
        yield* Effect.scoped(Effect.gen(function*() {
          const { entries } = yield* Effect.provideService(connect(), RequestHeaders, make)
          const echo = toolOf(entries, "a_echo")
          assert.strictEqual((yield* Effect.flip(call(echo, {}, { context: "bad" })))._tag, "ToolUnavailable")
          yield* call(echo)
          isBroken = true
        }))
      }).pipe(Effect.provide(silent))
    ))

  it.live("at what it sends is told so, and the server hears nothing of it", () =>
    within(Effect.gen(function*() {
      const { entries, server } = yield* connect()
      const circular: Record<string, unknown> = {}
      circular["self"] = circular
      const error = yield* Effect.flip(call(toolOf(entries, "a_echo"), circular))
      assert.include(error.message, "can't be written as JSON")
      assert.isFalse(server.seen.some(({ body }) => body.method === "tools/call"))
    })))
})

describe("events", () => {
  const stream = (id: number) =>
    `\uFEFF: ping\r\n\r\nretry: 5\rid: 1\rdata:\r\revent: message\r\ndata: {"jsonrpc":"2.0","id":${id},\r\n`
    + `data: "result":{"content":[\ndata: {"type":"text","text":"größe 😀"}]}}\r\n\r\n`

  it.live("are the same wherever their bytes are torn apart", () =>
    within(Effect.gen(function*() {
      let cuts: ReadonlyArray<number> = []
      const server = yield* rawServer((socket, id) => {
        const bytes = Buffer.from(stream(id))
        const pieces = [...cuts, bytes.length].map((end, index) => bytes.subarray(cuts[index - 1] ?? 0, end))
        socket.setNoDelay(true)
        socket.write(SSE.replace("\r\n\r\n", "\r\ntransfer-encoding: chunked\r\n\r\n"))
        const next = () => {
          const piece = pieces.shift()
          if (piece === undefined) return void socket.write("0\r\n\r\n")
          if (piece.length > 0) {
            socket.write(`${piece.length.toString(16)}\r\n${piece.toString("latin1")}\r\n`, "latin1")
          }
          return void setImmediate(next)
        }
        next()
      })
      const { entries } = yield* open({ a: define({ url: server.url }) })
      const echo = toolOf(yield* entries, "a_echo")
      const length = Buffer.byteLength(stream(100))
      const bytewise = Array.from({ length: length - 1 }, (_, index) => index + 1)
      for (
        const places of [
          ...bytewise.map((place) => [place]),
          bytewise,
          bytewise.filter((place) => place % 2 === 0)
        ]
      ) {
        cuts = places
        assert.strictEqual((yield* call(echo)).output, "größe 😀", `cut at ${places.join(", ")}`)
      }
    })), 30_000)
})

describe("HTTP+SSE", () => {
  /** `stream` is what is said once a call comes. */
  const older = (said: (response: ServerResponse, id: number | undefined) => void): Script => {
    let stream: ServerResponse | undefined
    return ({ body, method }, response) => {
      if (method === "GET") {
        stream = response
        return events(response, "event: endpoint\ndata: /messages\n\n")
      }
      response.writeHead(202).end()
      const send = (value: unknown) => stream?.write(event(answer(body.id, value)))
      if (body.method === "initialize") send({ ...initialized, protocolVersion: "2024-11-05" })
      if (body.method === "tools/list") send({ tools: [{ name: "echo" }] })
      if (body.method === "tools/call" && stream !== undefined) said(stream, body.id)
    }
  }

  it.live("that is asked to go elsewhere in the middle doesn't, and sees the end of its stream", () =>
    within(Effect.gen(function*() {
      const { entries, opened, server } = yield* connect({
        script: older((stream) => stream.end("event: endpoint\ndata: http://127.0.0.2:9/messages\n\n"))
      }, { type: "sse" })
      assert.strictEqual((yield* Effect.flip(call(toolOf(entries, "a_echo"))))._tag, "ToolUnavailable")
      yield* eventually(() => server.seen.filter(({ method }) => method === "GET").length === 2)
      yield* eventually(() => SubscriptionRef.getUnsafe(opened.ref)[0]?._tag === "Loaded")
    })))

  it.live("that doesn't take a request keeps no connection of it", () =>
    within(Effect.gen(function*() {
      const ordinary = older(() => {})
      const { entries, server } = yield* connect({
        script: (seen, response) => seen.body.method === "tools/call" ? undefined : ordinary(seen, response)
      }, { type: "sse", timeout: { call: 100 } })
      const echo = toolOf(entries, "a_echo")
      yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.flip(call(echo)), { concurrency: "unbounded" })
      // those over which it was told that the calls are given up are free for the next ones
      yield* eventually(() => server.open() < 25)
    })))

  it.live("whose answer is too long loses that one", () =>
    within(Effect.gen(function*() {
      let calls = 0
      const { entries } = yield* connect({
        script: older((stream, id) =>
          void stream.write(event(answer(id, text(calls++ === 0 ? "x".repeat(17 * 1024 * 1024) : "fine"))))
        )
      }, { type: "sse", timeout: { call: 1000 } })
      const echo = toolOf(entries, "a_echo")
      assert.strictEqual((yield* Effect.flip(call(echo)))._tag, "ToolTimeout")
      assert.strictEqual((yield* call(echo)).output, "fine")
    })))
})

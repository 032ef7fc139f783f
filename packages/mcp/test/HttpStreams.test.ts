/** Streams of events: torn apart, cut off, asked for again, and without end. */
import { RequestHeaders } from "@effect-toolnexus/core"
import { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import type { ServerResponse } from "node:http"
import { fakeHttp } from "./fakeHttp.ts"
import {
  answer,
  connect,
  event,
  events,
  httpServer,
  initialized,
  json,
  methodsOf,
  posts,
  type Script,
  type Seen,
  text,
  within
} from "./httpServer.ts"
import { rawServer, SSE } from "./rawServer.ts"
import { call, define, entryIs, entryOf, eventually, open, platform, toolOf } from "./support.ts"

describe("a stream that is cut", () => {
  /** Cuts the answer of each call off, and gives the rest to whoever asks for what followed. */
  const cutting = (withIds: boolean): Script => {
    let waiting: number | undefined
    return ({ body, headers, method }, response) => {
      if (method === "GET" && headers["last-event-id"] === "e1") {
        events(response, event(answer(waiting, text("resumed")), "e2"))
        return void response.end()
      }
      if (body.method !== "tools/call") return false
      waiting = body.id
      events(response, withIds ? "retry: 20\nid: e1\ndata:\n\n" : ": nothing\n\n")
      return void setTimeout(() => response.destroy(), 20)
    }
  }

  it.live("goes on where it was", () =>
    Effect.gen(function*() {
      const { entries, server } = yield* connect({ script: cutting(true) })
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"))).output, "resumed")
      assert.strictEqual(posts(server.seen).filter((method) => method === "tools/call").length, 1)
    }).pipe(Effect.provide(platform)))

  it.live("costs its call, unless doing it twice is harmless and its owner vouches for that", () =>
    Effect.gen(function*() {
      const { entries } = yield* connect({ script: cutting(false) })
      const error = yield* Effect.flip(call(toolOf(entries, "a_echo")))
      assert.deepStrictEqual([error._tag, error.message], [
        "ToolUnavailable",
        "a_echo is unavailable: mcp server \"a\" cut its answer off"
      ])
      let calls = 0
      const cutOnce: Script = (seen, response) =>
        seen.body.method === "tools/call" && calls++ === 0 ? cutting(false)(seen, response) : false
      const tools = [{ name: "echo", annotations: { readOnlyHint: true } }]
      const trusted = yield* connect({ script: cutOnce, tools }, { trusted: true })
      assert.strictEqual((yield* call(toolOf(trusted.entries, "a_echo"), { a: 1 })).output, "{\"a\":1}")
      calls = 0
      const untrusted = yield* connect({ script: cutOnce, tools })
      assert.strictEqual((yield* Effect.flip(call(toolOf(untrusted.entries, "a_echo"))))._tag, "ToolUnavailable")
    }).pipe(Effect.provide(platform)))

  it.live("that the server speaks on by itself is asked for again, and what it says is heard", () =>
    Effect.gen(function*() {
      let streams = 0
      let tools = [{ name: "echo" }]
      const { opened } = yield* connect({
        script: ({ body, method }, response) => {
          if (body.method === "tools/list") return json(response, 200, answer(body.id, { tools }))
          if (method !== "GET") return false
          streams++
          if (streams > 1) tools = [{ name: "echo" }, { name: "more" }]
          const changed = event({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
          events(response, streams === 1 ? "retry: 10\n\n" : changed)
          return streams === 1 ? void response.end() : undefined
        }
      })
      yield* eventually(() => SubscriptionRef.getUnsafe(opened.ref).flatMap(({ tools: all }) => all).length === 2)
      assert.strictEqual(streams, 2)
    }).pipe(Effect.provide(platform)))

  it.live.each([404, 405, 406, 501])("isn't missed where there is none (%d)", (status) =>
    Effect.gen(function*() {
      const { entries, opened, server } = yield* connect({
        script: ({ method }, response) => method === "GET" ? json(response, status, {}) : false
      })
      yield* eventually(() => methodsOf(server.seen).includes("GET"))
      yield* call(toolOf(entries, "a_echo"))
      assert.deepStrictEqual((yield* opened.entries).map(({ _tag }) => _tag), ["Loaded"])
      assert.strictEqual(methodsOf(server.seen).filter((method) => method === "GET").length, 1)
    }).pipe(Effect.provide(platform)))
})

describe("the rest of an answer", () => {
  /** Ends the answer of each call after its head, and says the rest to whoever asks for what followed. */
  const ending = (head: string, rest: (headers: Seen["headers"]) => string): Script => {
    let waiting: number | undefined
    return ({ body, headers, method }, response) => {
      const isAsked = method === "GET" && waiting !== undefined
      if (!isAsked && body.method !== "tools/call") return false
      events(response, isAsked ? event(answer(waiting, text(rest(headers)))) : head)
      waiting = body.id ?? waiting
      return void response.end()
    }
  }

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
      yield* entryIs(opened, "Reconnecting")
      yield* httpServer({ script, port: Number(new URL(server.url).port) })
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ToolUnavailable")
      yield* entryIs(opened, "Loaded")
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
        const asked: Array<unknown> = []
        const script = ending(`retry: 0\nid: ${id}\ndata:\n\n`, (headers) => {
          asked.push(headers["last-event-id"])
          return "resumed"
        })
        const { entries } = yield* connect({ script })
        const outcome = yield* Effect.exit(call(toolOf(entries, "a_echo")))
        assert.strictEqual(Exit.isSuccess(outcome), expected !== undefined)
        assert.deepStrictEqual(asked, expected === undefined ? [] : [expected])
      }))
  )

  it.live("is asked for the rest in the name of whoever made the call", () =>
    within(Effect.gen(function*() {
      const make = ({ context }: { readonly context: unknown }) => Effect.succeed({ "x-user": String(context) })
      const script = ending("retry: 0\nid: e1\ndata:\n\n", (headers) => String(headers["x-user"]))
      const { entries } = yield* Effect.provideService(connect({ script }), RequestHeaders, make)
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"), {}, { context: "ann" })).output, "ann")
    })))
})

describe("the stream of what a server says by itself", () => {
  it.live("isn't what it answers to a notice: whoever leaves that open holds nothing up", () =>
    within(Effect.gen(function*() {
      const started = performance.now()
      const { entries } = yield* connect({
        script: ({ body }, response) =>
          body.method === "notifications/initialized" ? events(response, ": and so on\n\n") : false
      })
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"))).output, "{}")
      assert.isBelow(performance.now() - started, 4000)
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
        yield* eventually(() => streams === 6)
        // by then there would be another one
        yield* Effect.sleep("300 millis")
        assert.strictEqual(streams, 6)
        yield* call(toolOf(entries, "a_echo"))
      }))
  )

  it.effect("that is quiet is asked for again as long as it lasts, for a proxy may end it each minute", () =>
    Effect.gen(function*() {
      let streams = 0
      const http = fakeHttp(({ body, method }) => {
        if (method === "GET") {
          streams++
          return { pieces: () => Effect.sleep("1 minute") }
        }
        return { text: JSON.stringify(answer(body.id, body.method === "initialize" ? initialized : { tools: [] })) }
      })
      const servers = { a: define({ url: "http://quiet.example/mcp" }) }
      const { entries } = yield* Effect.provideService(open(servers), HttpConnections, http)
      yield* TestClock.adjust("1 hour")
      assert.isAbove(streams, 50)
      assert.strictEqual(entryOf(yield* entries, "a")._tag, "Loaded")
    }).pipe(Effect.provide(platform)))

  it.live("that a server has forgotten together with our session shows that, though nobody calls it", () =>
    within(Effect.gen(function*() {
      let sessions = 0
      let stream: ServerResponse | undefined
      const { opened } = yield* connect({
        script: ({ body, headers, method }, response) => {
          if (body.method === "initialize") {
            return json(response, 200, answer(body.id, initialized), { "mcp-session-id": `s${++sessions}` })
          }
          if (headers["mcp-session-id"] !== `s${sessions}`) return json(response, 404, {})
          if (method !== "GET") return false
          stream = response
          return events(response, "retry: 0\n\n")
        }
      })
      yield* eventually(() => stream !== undefined)
      const before = sessions++
      stream?.end()
      yield* eventually(() => sessions === before + 2)
      yield* entryIs(opened, "Loaded")
    })))

  it.live("that says something each time it ends its own stream at once keeps no processor busy", () =>
    within(Effect.gen(function*() {
      const streams: Array<number> = []
      yield* connect({
        script: ({ method }, response) => {
          if (method !== "GET") return false
          streams.push(performance.now())
          events(response, "retry: 0\ndata: {}\n\n")
          return void response.end()
        }
      })
      // more of them than it gets where it says nothing
      yield* eventually(() => streams.length === 8)
      const pauses = streams.slice(1).map((at, index) => at - (streams[index] ?? 0))
      assert.isAbove(Math.min(...pauses), 90)
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

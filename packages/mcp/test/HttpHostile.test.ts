/** What hostile and broken servers over HTTP did to us once, or might. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { answer, connect, event, events, initialized, json, text, within } from "./httpServer.ts"
import { ok, rawServer, type Reply, result, SSE } from "./rawServer.ts"
import { call, define, entryOf, eventually, messageOf, open, toolOf } from "./support.ts"

/** Of a call that runs into it, in milliseconds: the one after it must be answered within it, on a loaded machine too. */
const LIMIT = 1500
/** Of a call that must not run into it. */
const GENEROUS = 10_000

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
      const limit = expected === "ToolTimeout" ? LIMIT : GENEROUS
      const { entries } = yield* open({ a: define({ url: server.url, timeout: { call: limit } }) })
      const echo = toolOf(yield* entries, "a_echo")
      const started = performance.now()
      const outcome = yield* Effect.match(call(echo), {
        onFailure: (error) => expected === error._tag ? error._tag : error.message,
        onSuccess: ({ output }) => output
      })
      if (typeof expected === "string") assert.strictEqual(outcome, expected)
      else assert.match(outcome, expected)
      assert.isBelow(performance.now() - started, LIMIT + GENEROUS)
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

  it.live("that forgets each session it gives is not asked for one without end", () =>
    within(Effect.gen(function*() {
      const sessions: Array<number> = []
      let lists = 0
      const { opened } = yield* connect({
        script: ({ body, method }, response) => {
          // it says that its list has changed, and has forgotten us when we ask for it
          if (method === "GET") {
            return events(response, event({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }))
          }
          if (body.method === "initialize") sessions.push(performance.now())
          if (body.method === "tools/list" && ++lists % 2 === 0) return json(response, 404, {})
          return false
        }
      })
      yield* eventually(() => sessions.length === 4)
      // the first one that is forgotten is begun anew at once, those after it later and later
      const [, second = 0, third = 0, fourth = 0] = sessions
      assert.isAtLeast(third - second, 250)
      assert.isAtLeast(fourth - third, 500)
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

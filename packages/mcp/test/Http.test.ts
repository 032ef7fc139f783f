/** What is spoken with a server over streamable HTTP, and what becomes of a session that is lost. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
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
  text
} from "./httpServer.ts"
import { call, define, entryIs, eventually, messageOf, open, platform, toolOf } from "./support.ts"

describe("a server over HTTP", () => {
  it.live.each([{ asEvents: false }, { asEvents: true }])(
    "is initialised, listed and called, in order, and told goodbye (events: $asEvents)",
    ({ asEvents }) =>
      Effect.gen(function*() {
        const server = yield* httpServer({ asEvents })
        yield* Effect.scoped(Effect.gen(function*() {
          const { entries } = yield* open({ a: define({ url: server.url, headers: { "X-Key": "k3y" } }) })
          const echoed = yield* call(toolOf(yield* entries, "a_echo"), { text: "hällo" })
          assert.strictEqual(echoed.output, "{\"text\":\"hällo\"}")
          assert.deepStrictEqual(echoed.metadata, { server: "a" })
        }))
        assert.deepStrictEqual(methodsOf(server.seen).filter((method) => method !== "GET"), [
          "initialize",
          "notifications/initialized",
          "tools/list",
          "tools/call",
          "DELETE"
        ])
        const [first, ...others] = server.seen
        assert.strictEqual(first?.headers["mcp-session-id"], undefined)
        assert.strictEqual(first?.headers["mcp-protocol-version"], undefined)
        for (const { headers } of others) {
          assert.strictEqual(headers["mcp-session-id"], "s1")
          assert.strictEqual(headers["mcp-protocol-version"], "2025-11-25")
        }
        assert.isTrue(server.seen.every(({ headers }) => headers["x-key"] === "k3y"))
        yield* eventually(() => server.open() === 0)
      }).pipe(Effect.provide(platform))
  )

  it.live("brings progress before the result, in one stream with it", () =>
    Effect.gen(function*() {
      const { entries } = yield* connect({
        script: ({ body }, response) => {
          if (body.method !== "tools/call") return false
          const progress = (step: number) => ({
            jsonrpc: "2.0",
            method: "notifications/progress",
            params: { progressToken: body.id, progress: step }
          })
          events(
            response,
            [1, 2, 3].map((step) => event(progress(step))).join("") + event(answer(body.id, text("done")))
          )
          return void response.end()
        }
      })
      const seen: Array<number> = []
      const onProgress = ({ progress }: { readonly progress: number }) => Effect.sync(() => void seen.push(progress))
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"), {}, { onProgress })).output, "done")
      assert.deepStrictEqual(seen, [1, 2, 3])
    }).pipe(Effect.provide(platform)))

  it.live("is told when a call is given up, and its stream is let go", () =>
    Effect.gen(function*() {
      let isCut = false
      const { entries, server } = yield* connect({
        script: ({ body }, response) => {
          if (body.method !== "tools/call") return false
          response.on("close", () => {
            isCut = true
          })
          return events(response, ": wait\n\n")
        }
      }, { timeout: { call: 200 } })
      const error = yield* Effect.flip(call(toolOf(entries, "a_echo")))
      assert.deepInclude(error, { _tag: "ToolTimeout", limit: 200, phase: "call" })
      yield* eventually(() => isCut && methodsOf(server.seen).includes("notifications/cancelled"))
    }).pipe(Effect.provide(platform)))

  it.live.each(
    [
      [
        (_: unknown, response) => json(response, 500, { oops: "s3cret-value" }),
        "failed at initialize: HTTP 500: {\"oops\":\"<redacted>\"}"
      ],
      [
        (_: unknown, response) => json(response, 302, {}, { location: "/other" }),
        "in a way that loses what was sent; configure that address"
      ],
      [
        (_: unknown, response) => json(response, 307, {}, { location: "http://127.0.0.2:9/mcp?x=1" }),
        "redirects (307) to http://127.0.0.2:9/mcp, which is another server"
      ],
      [(seen, response) => json(response, 307, {}, { location: `${seen.path}x` }), "redirects more than 5 times"],
      [
        (_: unknown, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>hi</h1>"),
        "its answer is no message: <h1>hi</h1>"
      ],
      [
        ({ body }, response) => body.method === "tools/list" && void response.destroy(),
        "\"a\" failed at list: it did not answer: ECONNRESET: the connection was cut"
      ],
      [
        (_: unknown, response) => void response.writeHead(202).end(),
        "\"a\" failed at initialize: it took the request and gave no answer (HTTP 202)"
      ],
      [
        ({ body }, response) => json(response, 200, answer(body.id, { ...initialized, protocolVersion: "1999-01-01" })),
        "it speaks revision \"1999-01-01\" of the protocol; known are 2025-11-25"
      ],
      [
        ({ body }, response) =>
          json(response, 400, { jsonrpc: "2.0", id: body.id, error: { code: -32600, message: "no such thing" } }),
        "failed at initialize: no such thing"
      ]
    ] satisfies ReadonlyArray<readonly [Script, string]>
  )("that can't be initialised says why: %#", ([script, expected]) =>
    Effect.gen(function*() {
      const { entries } = yield* connect({ script }, { type: "http", headers: { "X-Key": "s3cret-value" } })
      assert.include(messageOf(entries, "a"), expected)
    }).pipe(Effect.provide(platform)))

  it.live("that isn't there fails at connect, and is named without its secrets", () =>
    Effect.gen(function*() {
      const { entries } = yield* open({
        gone: define({ url: "http://me:s3cret-value@127.0.0.1:9/s3cret-value/mcp?token=s3cret-value" }),
        older: define({ url: "http://127.0.0.1:9/mcp?token=s3cret-value", type: "sse" }),
        lost: define({ url: "http://no-such-host.invalid/mcp" }),
        none: define({ url: "ftp://x/mcp" }),
        header: define({ url: "http://127.0.0.1:9", headers: { "X-Key": "a\nb" } }),
        silent: define({ url: (yield* httpServer({ script: () => {} })).url, timeout: { startup: 200 } })
      })
      const settled = yield* entries
      assert.include(
        messageOf(settled, "gone"),
        "failed at connect: http://127.0.0.1:9 gave no HTTP answer (ECONNREFUSED: nothing listens there)"
      )
      assert.include(
        messageOf(settled, "older"),
        "failed at connect: http://127.0.0.1:9 gave no HTTP answer (ECONNREFUSED"
      )
      assert.match(
        messageOf(settled, "lost"),
        /failed at connect: http:\/\/no-such-host\.invalid gave no HTTP answer \((ENOTFOUND|EAI_AGAIN)/
      )
      assert.include(messageOf(settled, "none"), "failed at config: url must begin with http:// or https://")
      assert.include(
        messageOf(settled, "header"),
        "failed at config: headers.X-Key: its value has a character that a header can't hold"
      )
      assert.include(messageOf(settled, "silent"), "failed at initialize: it did not answer within 200 ms")
      assert.notInclude(JSON.stringify(settled), "s3cret-value")
    }).pipe(Effect.provide(platform)))

  it.live("is followed where it moved within itself, with body and headers", () =>
    Effect.gen(function*() {
      const { entries, server } = yield* connect({
        script: ({ path }, response) => path === "/mcp" ? json(response, 308, {}, { location: "/mcp/" }) : false
      }, { headers: { "X-Key": "k3y" } })
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"), { a: 1 })).output, "{\"a\":1}")
      const moved = server.seen.filter(({ path }) => path === "/mcp/")
      assert.isTrue(moved.every(({ headers }) => headers["x-key"] === "k3y"))
    }).pipe(Effect.provide(platform)))
})

describe("a session that is lost", () => {
  /** Forgets its sessions once `forget` was called; each `initialize` begins another. */
  const forgetful = () => {
    let sessions = 0
    let known = 0
    const script: Script = ({ body, headers, method }, response) => {
      if (method === "GET") return false
      if (body.method === "initialize") {
        known = ++sessions
        return json(response, 200, answer(body.id, initialized), { "mcp-session-id": `s${sessions}` })
      }
      return headers["mcp-session-id"] === `s${known}` ? false : json(response, 404, { error: "Session not found" })
    }
    return { script, forget: () => void (known = -1), sessions: () => sessions }
  }

  it.live("is begun anew once for all who wait, and none of them notices", () =>
    Effect.gen(function*() {
      const { forget, script, sessions } = forgetful()
      const { entries, opened, server } = yield* connect({ script })
      const echo = toolOf(entries, "a_echo")
      forget()
      const results = yield* Effect.all(
        Array.from({ length: 10 }, (_, index) => call(echo, { index })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.map(({ output }) => output), results.map((_, index) => `{"index":${index}}`))
      assert.strictEqual(sessions(), 2)
      assert.deepStrictEqual(posts(server.seen).filter((method) => method === "initialize").length, 2)
      yield* entryIs(opened, "Loaded")
      const again = server.seen.filter(({ body }) => body.method === "initialize")[1]
      assert.strictEqual(again?.headers["mcp-session-id"], undefined)
    }).pipe(Effect.provide(platform)))

  it.live("twice in one call is the call's error", () =>
    Effect.gen(function*() {
      const { entries, server } = yield* connect({
        script: ({ body }, response) => body.method === "tools/call" ? json(response, 404, {}) : false
      })
      const error = yield* Effect.flip(call(toolOf(entries, "a_echo")))
      assert.strictEqual(error._tag, "ToolUnavailable")
      assert.include(error.message, "has forgotten our session")
      assert.strictEqual(posts(server.seen).filter((method) => method === "tools/call").length, 2)
    }).pipe(Effect.provide(platform)))

  it.live("to a server that went away is repaired when it is back; calls that never reached it are sent again", () =>
    Effect.gen(function*() {
      const { entries, opened, server } = yield* connect()
      yield* server.stop
      yield* Effect.sleep("100 millis")
      const waiting = yield* Effect.forkChild(call(toolOf(entries, "a_echo"), { a: 1 }), { startImmediately: true })
      yield* entryIs(opened, "Reconnecting")
      yield* httpServer({ port: Number(new URL(server.url).port) })
      assert.strictEqual((yield* Fiber.join(waiting)).output, "{\"a\":1}")
      yield* entryIs(opened, "Loaded")
    }).pipe(Effect.provide(platform)))
})

describe("a connection that is cut", () => {
  it.live("costs the call that was under way, and shows that the server is gone", () =>
    Effect.gen(function*() {
      const { entries, opened, server } = yield* connect({
        script: ({ body }) => body.method === "tools/call" ? undefined : false
      })
      const waiting = yield* Effect.forkChild(Effect.flip(call(toolOf(entries, "a_echo"))), { startImmediately: true })
      yield* eventually(() => posts(server.seen).includes("tools/call"))
      yield* server.stop
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ToolUnavailable")
      yield* entryIs(opened, "Reconnecting")
    }).pipe(Effect.provide(platform)))
})

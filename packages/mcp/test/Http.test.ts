import { RequestHeaders, TokenProvider } from "@effect-toolnexus/core"
import type { SourceEntry } from "@effect-toolnexus/core/SourceEntry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as SubscriptionRef from "effect/SubscriptionRef"
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
import { call, define, entryOf, eventually, messageOf, open, type Opened, platform, toolOf } from "./support.ts"

const connect = Effect.fnUntraced(function*(options: ServerOptions = {}, config: object = {}) {
  const server = yield* httpServer(options)
  const opened = yield* open({ a: define({ url: server.url, ...config }) })
  return { server, opened, entries: yield* opened.entries }
})

const methodsOf = (seen: ReadonlyArray<{ readonly method: string; readonly body: { readonly method?: string } }>) =>
  seen.map(({ body, method }) => body.method ?? method)

const posts = (seen: ReadonlyArray<{ readonly method: string; readonly body: { readonly method?: string } }>) =>
  methodsOf(seen).filter((method) => method.includes("/") || method === "initialize")

const entryIs = ({ ref }: Opened, tag: SourceEntry["_tag"]) =>
  eventually(() => SubscriptionRef.getUnsafe(ref).every(({ _tag }) => _tag === tag))

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
      [(_: unknown, response) => void response.writeHead(202).end(), "took the request and gave no answer"],
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
        gone: define({ url: "http://127.0.0.1:9/mcp?token=s3cret-value" }),
        lost: define({ url: "http://no-such-host.invalid/mcp" }),
        none: define({ url: "ftp://x/mcp" }),
        header: define({ url: "http://127.0.0.1:9", headers: { "X-Key": "a\nb" } }),
        silent: define({ url: (yield* httpServer({ script: () => {} })).url, timeout: { startup: 200 } })
      })
      const settled = yield* entries
      assert.include(messageOf(settled, "gone"), "failed at connect: ECONNREFUSED: nothing listens there")
      assert.match(messageOf(settled, "lost"), /failed at connect: (ENOTFOUND|EAI_AGAIN)/)
      assert.include(messageOf(settled, "none"), "failed at config: url must begin with http:// or https://")
      assert.include(messageOf(settled, "header"), "failed at config: headers.X-Key: its value has characters")
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

describe("who we are", () => {
  const guarded: Script = ({ headers }, response) =>
    headers["authorization"] === "Bearer t0ken"
      ? false
      : json(response, 401, {}, { "www-authenticate": "Bearer realm=\"x\", resource_metadata=\"https://as.example\"" })

  it.live("is asked for, and the entry says so with the server's words", () =>
    Effect.gen(function*() {
      const { entries } = yield* connect({ script: guarded })
      const entry = entryOf(entries, "a")
      assert.strictEqual(entry._tag, "NeedsAuth")
      assert.include("error" in entry ? entry.error.message : "", "it asks who we are (HTTP 401): Bearer realm=\"x\"")
      assert.include("error" in entry ? entry.error.challenge : "", "resource_metadata")
    }).pipe(Effect.provide(platform)))

  it.live("is answered with a token that the host gives, once", () =>
    Effect.gen(function*() {
      const challenges: Array<object> = []
      const provider = (challenge: object) => {
        challenges.push(challenge)
        return Effect.succeed(Option.some("t0ken"))
      }
      const { entries, server } = yield* Effect.provideService(connect({ script: guarded }), TokenProvider, provider)
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"))).output, "{}")
      assert.strictEqual(challenges.length, 1)
      assert.deepInclude(challenges[0], { kind: "mcp", entry: "a", status: 401, url: server.url })
    }).pipe(Effect.provide(platform)))

  it.live("may be asked for as late as the list of tools, and once for all who are challenged together", () =>
    Effect.gen(function*() {
      const atList = yield* connect({
        script: ({ body }, response) => body.method === "tools/list" ? json(response, 401, {}) : false
      })
      assert.strictEqual(entryOf(atList.entries, "a")._tag, "NeedsAuth")
      let asked = 0
      const provider = () =>
        Effect.as(Effect.sleep("50 millis"), Option.some("t0ken")).pipe(
          Effect.tap(() => Effect.sync(() => void asked++))
        )
      const script: Script = (seen, response) => seen.body.method === "tools/call" ? guarded(seen, response) : false
      const { entries } = yield* Effect.provideService(connect({ script }), TokenProvider, provider)
      const echo = toolOf(entries, "a_echo")
      const results = yield* Effect.all(Array.from({ length: 10 }, () => call(echo)), { concurrency: "unbounded" })
      assert.deepStrictEqual([results.length, asked], [10, 1])
    }).pipe(Effect.provide(platform)))

  it.live("is remembered for each caller, and nobody is asked for the sake of a goodbye", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      const provider = ({ context }: { readonly context?: unknown }) => {
        asked.push(context)
        return Effect.succeed(
          context === undefined
            ? Option.none()
            : Option.some(`token-of-${typeof context === "string" ? context : "nobody"}`)
        )
      }
      const script: Script = ({ body, headers, method }, response) => {
        if (body.method !== "tools/call" && method !== "DELETE") return false
        return String(headers["authorization"]).startsWith("Bearer token-of-") ? false : json(response, 401, {})
      }
      const { server } = yield* Effect.scoped(Effect.gen(function*() {
        const connected = yield* connect({ script })
        const echo = toolOf(connected.entries, "a_echo")
        for (const context of ["ann", "bob", "ann", "bob", "ann"]) yield* call(echo, {}, { context })
        const error = yield* Effect.flip(call(echo))
        assert.include(error.message, "a_echo is unavailable: mcp server \"a\" asks who we are (HTTP 401)")
        return connected
      })).pipe(Effect.provideService(TokenProvider, provider))
      assert.deepStrictEqual(asked, ["ann", "bob", undefined])
      assert.include(methodsOf(server.seen), "initialize")
    }).pipe(Effect.provide(platform)))

  it.live("may differ from call to call, and the host's headers win over those of the file", () =>
    Effect.gen(function*() {
      const make = ({ context }: { readonly context: unknown }) => Effect.succeed({ "x-user": String(context) })
      const { entries, server } = yield* Effect.provideService(
        connect({}, { headers: { "X-User": "nobody" } }),
        RequestHeaders,
        make
      )
      const echo = toolOf(entries, "a_echo")
      yield* Effect.all(["ann", "bob"].map((context) => call(echo, {}, { context })), { concurrency: "unbounded" })
      const users = server.seen.filter(({ body }) => body.method === "tools/call").map(({ headers }) =>
        headers["x-user"]
      )
      assert.sameMembers(users, ["ann", "bob"])
      assert.strictEqual(server.seen[0]?.headers["x-user"], "undefined")
    }).pipe(Effect.provide(platform)))
})

describe("HTTP+SSE", () => {
  const older = (endpoint: string): Script => {
    let stream: import("node:http").ServerResponse | undefined
    return ({ body, method, path }, response) => {
      if (method === "GET") {
        stream = response
        return events(response, `event: endpoint\r\ndata: ${endpoint}\r\n\r\n`)
      }
      if (!path.startsWith("/messages")) return json(response, 405, {})
      response.writeHead(202).end()
      const send = (result: unknown) =>
        stream?.write(`event: message\r\ndata:${JSON.stringify(answer(body.id, result))}\r\n\r\n`)
      if (body.method === "initialize") send({ ...initialized, protocolVersion: "2024-11-05" })
      if (body.method === "tools/list") send({ tools: [{ name: "echo" }] })
      if (body.method === "tools/call") send(text("older"))
    }
  }

  it.live.each([{}, { type: "sse" }])(
    "is spoken with a server that knows nothing else: %o",
    (config) =>
      Effect.gen(function*() {
        const { entries } = yield* connect({ script: older("/messages?sid=1") }, config)
        assert.strictEqual((yield* call(toolOf(entries, "a_echo"))).output, "older")
      }).pipe(Effect.provide(platform))
  )

  it.live("isn't tried where the configuration says http, or the server asks who we are", () =>
    Effect.gen(function*() {
      const http = yield* connect({ script: older("/messages") }, { type: "http" })
      assert.include(messageOf(http.entries, "a"), "HTTP 405")
      const guarded = yield* connect({ script: (_, response) => json(response, 403, {}) })
      assert.strictEqual(entryOf(guarded.entries, "a")._tag, "NeedsAuth")
      assert.deepStrictEqual(methodsOf(guarded.server.seen), ["initialize"])
    }).pipe(Effect.provide(platform)))

  it.live("keeps what is meant for a server from another, and reports the first error where it isn't spoken either", () =>
    Effect.gen(function*() {
      const elsewhere = yield* connect({ script: older("http://127.0.0.2:9/messages") }, { type: "sse" })
      assert.include(messageOf(elsewhere.entries, "a"), "it wants messages to be sent to another server")
      const neither = yield* connect({ script: (_, response) => json(response, 404, { error: "nothing here" }) })
      assert.include(messageOf(neither.entries, "a"), "failed at initialize: HTTP 404: {\"error\":\"nothing here\"}")
    }).pipe(Effect.provide(platform)))
})

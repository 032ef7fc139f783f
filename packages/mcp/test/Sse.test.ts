/** The transport of 2024-11-05, HTTP+SSE. */
import { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { ServerResponse } from "node:http"
import { fakeHttp } from "./fakeHttp.ts"
import {
  answer,
  connect,
  event,
  events,
  initialized,
  json,
  methodsOf,
  type Script,
  text,
  within
} from "./httpServer.ts"
import { call, define, entryIs, entryOf, eventually, messageOf, open, platform, toolOf } from "./support.ts"

interface Older {
  /** Where messages are to be sent. */
  readonly endpoint?: string
  /** Answers what is sent there, or leaves that to the ordinary way by giving false. */
  readonly post?: Script
  /** What the stream says to a call. */
  readonly said?: (stream: ServerResponse, id: number | undefined) => unknown
}

const older = ({ endpoint = "/messages", post = () => false, said }: Older = {}): Script => {
  let stream: ServerResponse | undefined
  return (seen, response) => {
    const { body, method, path } = seen
    if (method === "GET") {
      stream = response
      return events(response, `event: endpoint\r\ndata: ${endpoint}\r\n\r\n`)
    }
    if (!path.startsWith("/messages")) return json(response, 405, {})
    if (post(seen, response) !== false) return
    response.writeHead(202).end()
    const send = (value: unknown) =>
      stream?.write(`event: message\r\ndata:${JSON.stringify(answer(body.id, value))}\r\n\r\n`)
    if (body.method === "initialize") send({ ...initialized, protocolVersion: "2024-11-05" })
    if (body.method === "tools/list") send({ tools: [{ name: "echo" }] })
    if (body.method !== "tools/call") return
    if (said === undefined || stream === undefined) send(text("older"))
    else said(stream, body.id)
  }
}

/** More than an event may hold. */
const TOO_LONG = "x".repeat(17 * 1024 * 1024)

describe("a server over HTTP+SSE", () => {
  it.live.each([{}, { type: "sse" }])(
    "is spoken with a server that knows nothing else: %o",
    (config) =>
      Effect.gen(function*() {
        const { entries } = yield* connect({ script: older({ endpoint: "/messages?sid=1" }) }, config)
        assert.strictEqual((yield* call(toolOf(entries, "a_echo"))).output, "older")
      }).pipe(Effect.provide(platform))
  )

  it.live("is sent messages to where it says, as seen from where its stream has moved to", () =>
    Effect.gen(function*() {
      const moved = older({ endpoint: "messages" })
      const { entries, server } = yield* connect({
        script: (seen, response) =>
          seen.path === "/mcp"
            ? json(response, 307, {}, { location: "/v1/sse" })
            : moved({ ...seen, path: seen.path.replace("/v1", "") }, response)
      }, { type: "sse" })
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"))).output, "older")
      assert.strictEqual(server.seen.at(-1)?.path, "/v1/messages")
    }).pipe(Effect.provide(platform)))

  it.live("isn't tried where the configuration says http, or the server asks who we are", () =>
    Effect.gen(function*() {
      const http = yield* connect({ script: older() }, { type: "http" })
      assert.include(messageOf(http.entries, "a"), "HTTP 405")
      const guarded = yield* connect({ script: (_, response) => json(response, 403, {}) })
      assert.strictEqual(entryOf(guarded.entries, "a")._tag, "NeedsAuth")
      assert.deepStrictEqual(methodsOf(guarded.server.seen), ["initialize"])
    }).pipe(Effect.provide(platform)))

  it.live("keeps what is meant for a server from another, and reports the first error where it isn't spoken either", () =>
    Effect.gen(function*() {
      const elsewhere = yield* connect({ script: older({ endpoint: "http://127.0.0.2:9/messages" }) }, { type: "sse" })
      assert.include(messageOf(elsewhere.entries, "a"), "it wants messages to be sent to another server")
      const neither = yield* connect({ script: (_, response) => json(response, 404, { error: "nothing here" }) })
      assert.include(messageOf(neither.entries, "a"), "failed at initialize: HTTP 404: {\"error\":\"nothing here\"}")
    }).pipe(Effect.provide(platform)))

  it.live.each(["initialize", "tools/list"])(
    "that asks who we are where %s is posted needs somebody to log in",
    (method) =>
      Effect.gen(function*() {
        const { entries } = yield* connect({
          script: older({
            post: ({ body }, response) =>
              body.method === method && json(response, 401, {}, { "www-authenticate": "Bearer realm=\"x\"" })
          })
        })
        const entry = entryOf(entries, "a")
        assert.strictEqual(entry._tag, "NeedsAuth")
        assert.include("error" in entry ? entry.error.message : "", "it asks who we are (HTTP 401): Bearer realm=\"x\"")
      }).pipe(Effect.provide(platform))
  )

  it.live("that refuses what is posted says why, in its own words", () =>
    Effect.gen(function*() {
      const refusing = (method: string): Script =>
        older({ post: ({ body }, response) => body.method === method && json(response, 500, { oops: "no disk" }) })
      const late = yield* connect({ script: refusing("tools/call") }, { type: "sse" })
      const error = yield* Effect.flip(call(toolOf(late.entries, "a_echo")))
      assert.deepStrictEqual([error._tag, error.message], ["ToolFailed", "HTTP 500: {\"oops\":\"no disk\"}"])
      const early = yield* connect({ script: refusing("initialize") }, { type: "sse" })
      assert.include(messageOf(early.entries, "a"), "failed at initialize: HTTP 500: {\"oops\":\"no disk\"}")
      const page = yield* connect({ script: (_, response) => json(response, 200, "hi") }, { type: "sse" })
      assert.include(messageOf(page.entries, "a"), "its answer is no stream of events: HTTP 200: \"hi\"")
    }).pipe(Effect.provide(platform)))

  it.effect("whose stream is ended each time that it is quiet for less than a minute isn't given up", () =>
    Effect.gen(function*() {
      let streams = 0
      let say: (said: string) => unknown = () => undefined
      const http = fakeHttp(({ body: { id, method: asked }, method }) => {
        if (method === "GET") {
          return {
            pieces: (take) => {
              streams++
              say = take
              take("event: endpoint\ndata: /messages\n\n")
              return Effect.sleep("55 seconds")
            }
          }
        }
        if (asked === "initialize") say(event(answer(id, { ...initialized, protocolVersion: "2024-11-05" })))
        if (asked === "tools/list") say(event(answer(id, { tools: [] })))
        return { status: 202, text: "" }
      })
      const servers = { a: define({ type: "sse", url: "http://quiet.example/sse" }) }
      const { entries } = yield* Effect.provideService(open(servers), HttpConnections, http)
      yield* TestClock.adjust("30 minutes")
      assert.isAbove(streams, 20)
      assert.notStrictEqual(entryOf(yield* entries, "a")._tag, "Failed")
    }).pipe(Effect.provide(platform)))

  it.live("that is asked to go elsewhere in the middle doesn't, and sees the end of its stream", () =>
    within(Effect.gen(function*() {
      const { entries, opened, server } = yield* connect({
        script: older({ said: (stream) => stream.end("event: endpoint\ndata: http://127.0.0.2:9/messages\n\n") })
      }, { type: "sse" })
      assert.strictEqual((yield* Effect.flip(call(toolOf(entries, "a_echo"))))._tag, "ToolUnavailable")
      yield* eventually(() => server.seen.filter(({ method }) => method === "GET").length === 2)
      yield* entryIs(opened, "Loaded")
    })))

  it.live("that doesn't take a request keeps no connection of it", () =>
    within(Effect.gen(function*() {
      const { entries, server } = yield* connect({
        script: older({ post: ({ body }) => body.method === "tools/call" ? undefined : false })
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
        script: older({
          said: (stream, id) => stream.write(event(answer(id, text(calls++ === 0 ? TOO_LONG : "fine"))))
        })
      }, { type: "sse", timeout: { call: 2000 } })
      const echo = toolOf(entries, "a_echo")
      assert.strictEqual((yield* Effect.flip(call(echo)))._tag, "ToolTimeout")
      assert.strictEqual((yield* call(echo)).output, "fine")
    })))
})

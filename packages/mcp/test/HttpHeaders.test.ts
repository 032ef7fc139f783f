/** What goes along with requests: who we are, what a host makes for each of them, and that nobody else sees any of it. */
import { RequestHeaders, TokenProvider } from "@effect-toolnexus/core"
import { McpInventory } from "@effect-toolnexus/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { connect, httpServer, json, methodsOf, type Script, within } from "./httpServer.ts"
import { call, define, entryOf, messageOf, open, platform, toolOf } from "./support.ts"

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

  it.live("is asked for in an inventory as well", () =>
    Effect.gen(function*() {
      const { url } = yield* httpServer({ script: guarded })
      const [entry] = yield* McpInventory.list({ servers: [["a", define({ url })]] })
      assert.strictEqual(entry?.status, "needs_auth")
      assert.include(entry?.error?.message, "it asks who we are (HTTP 401)")
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
            const { entries } = yield* Effect.provideService(connect({}, config), RequestHeaders, make)
            assert.match(
              messageOf(entries, "a"),
              /it could not be asked: the request breaks whoever makes it \([0-9a-f]{8}\)/
            )
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

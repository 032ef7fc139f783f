/** Where a document and its servers may lead: no nearer to this machine than they are themselves. */
import type { Json } from "@effect-toolnexus/core"
import { httpTool, openApiTools } from "@effect-toolnexus/extra"
import { TestHttp } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { build, callIn } from "./support.ts"

const ADDRESSES = {
  "docs.example": "8.8.8.8",
  "api.example": "1.1.1.1",
  "inside.example": "192.168.1.7",
  "docs.corp": "10.0.0.1",
  "api.corp": "10.0.0.2",
  localhost: "127.0.0.1"
}

const documentOf = (server: string): Json.JsonObject => ({
  openapi: "3.0.3",
  info: { title: "Test", version: "1" },
  servers: [{ url: server }],
  paths: { "/op": { get: { operationId: "op" } } }
})

/** What came of a call of the one operation, by where it was sent. */
const called = Effect.fnUntraced(
  function*(
    document: Json.JsonObject | string,
    server: string,
    options: Parameters<typeof openApiTools>[1] = {},
    moves: Readonly<Record<string, string>> = {}
  ) {
    const http = TestHttp.layer(({ url }) => {
      const location = moves[url.hostname]
      if (location !== undefined) return { status: 302, headers: { location } }
      return url.pathname.endsWith("/doc.json") ? { body: documentOf(server) } : { body: url.href }
    }, { addresses: ADDRESSES })
    const entries = yield* build([openApiTools(document, { retry: "never", ...options })], http)
    const [entry] = entries
    if (entry !== undefined && "error" in entry) return entry.error.message
    const result = yield* Effect.result(callIn(entries, "op", {}))
    return result._tag === "Success" ? result.success.output : `${result.failure._tag}: ${result.failure.message}`
  }
)

const SERVERS = ["http://api.example", "http://inside.example", "http://10.9.9.9", "http://localhost", "http://[::1]"]

describe("a document", () => {
  it.live.each<readonly [string, ReadonlyArray<boolean>]>([
    ["http://docs.example/doc.json", [true, false, false, false, false]],
    ["http://docs.corp/doc.json", [true, true, true, false, false]],
    ["http://localhost:8000/doc.json", [true, true, true, true, true]],
    ["http://127.0.0.1:8000/doc.json", [true, true, true, true, true]]
  ])("at %s leads no nearer than it is", ([document, isAsked]) =>
    Effect.gen(function*() {
      for (const [index, server] of SERVERS.entries()) {
        const outcome = yield* called(document, server)
        if (isAsked[index] === true) assert.strictEqual(outcome, `${server}/op`)
        else {
          assert.match(outcome, /^ToolUnavailable: .*ERR_ADDRESS_REFUSED: .*(?:private|loopback)/)
          assert.include(outcome, "to allow it, give it as \"baseUrl\"")
        }
      }
    }))

  it.live("that is one's own leads anywhere, and so does a base that the host gives", () =>
    Effect.gen(function*() {
      for (const server of SERVERS) {
        assert.strictEqual(yield* called(documentOf(server), ""), `${server}/op`)
        assert.strictEqual(yield* called(JSON.stringify(documentOf(server)), ""), `${server}/op`)
        const given = yield* called("http://docs.example/doc.json", "http://api.example", { baseUrl: server })
        assert.strictEqual(given, `${server}/op`)
      }
    }))
})

describe("a redirect", () => {
  it.live("of a document leads no nearer than who redirects", () =>
    Effect.gen(function*() {
      const outcome = yield* called("http://docs.example/doc.json", "http://api.example", {}, {
        "docs.example": "http://inside.example/doc.json"
      })
      assert.match(outcome, /^source ".*" failed at connect: .*inside\.example is at 192\.168\.1\.7, which is private/)
    }))

  it.live("of an API leads no nearer than who redirects, whoever named that", () =>
    Effect.gen(function*() {
      const move = (location: string) => ({ "api.example": location, "api.corp": location })
      for (const location of ["http://inside.example/x", "http://127.0.0.1/x"]) {
        const outcome = yield* called(documentOf("http://api.example"), "", {}, move(location))
        assert.match(outcome, /^ToolUnavailable: .*ERR_ADDRESS_REFUSED/)
      }
      const own = { baseUrl: "http://api.corp" }
      const inside = yield* called("http://docs.example/doc.json", "", own, move("http://inside.example/x"))
      assert.strictEqual(inside, "http://inside.example/x")
      const here = yield* called("http://docs.example/doc.json", "", own, move("http://127.0.0.1/x"))
      assert.match(here, /^ToolUnavailable: .*127\.0\.0\.1 is loopback/)
    }))

  it.live("of an endpoint as well", () =>
    Effect.gen(function*() {
      const http = TestHttp.layer(
        ({ url }) => url.hostname === "api.example" ? { status: 302, headers: { location: "http://10.0.0.2/" } } : {},
        { addresses: ADDRESSES }
      )
      const entries = yield* build([httpTool({ name: "own", url: "http://api.example/", retry: "never" })], http)
      const { message } = yield* Effect.flip(callIn(entries, "own", {}))
      assert.include(message, "10.0.0.2 is private, where what comes from the internet may not lead")
    }))
})

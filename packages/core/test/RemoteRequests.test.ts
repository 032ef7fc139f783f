import { HttpConnections, TokenProvider } from "@effect-toolnexus/core"
import * as RemoteRequests from "@effect-toolnexus/core/RemoteRequests"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ConnectionOptions, HttpRequest, HttpResponse } from "../src/HttpConnections.ts"

const respond = (status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse => ({
  status,
  header: (name) => headers[name],
  text: () => Effect.succeed({ text: "", isWhole: true }),
  bytes: () => Effect.succeed({ bytes: new Uint8Array(0), isWhole: true }),
  pieces: () => Effect.void,
  discard: () => {}
})

const to = (status: number, location: string) => respond(status, { location })

/** Sends one request to a server of which each response is given, and gives what was sent. */
const send = (
  responses: ReadonlyArray<HttpResponse>,
  request: Partial<RemoteRequests.RemoteRequest> = {},
  remote: Partial<RemoteRequests.Remote> = {}
) =>
  Effect.gen(function*() {
    const sent: Array<HttpRequest> = []
    const opened: Array<ConnectionOptions> = []
    const connections = HttpConnections.of({
      open: (options) => {
        opened.push(options)
        return Effect.succeed({
          exchange: (one) => {
            sent.push(one)
            return Effect.succeed(responses[sent.length - 1] ?? respond(200))
          }
        })
      }
    })
    const requests = yield* RemoteRequests.RemoteRequests.make({
      kind: "extra",
      name: "api",
      headers: { Key: "of-the-host" },
      secrets: [],
      tls: {},
      proxy: {},
      ...remote
    }).pipe(Effect.provideService(HttpConnections, connections))
    const answer = yield* requests.send({
      method: "GET",
      url: new URL("http://home.example/a"),
      headers: { accept: "text/plain", own: "x" },
      context: undefined,
      ...request
    })
    return { answer, opened, sent, hrefs: sent.map(({ url }) => url.href), headers: sent.map(({ headers }) => headers) }
  }).pipe(Effect.scoped)

const reasonOf = (answer: RemoteRequests.Answer): string =>
  RemoteRequests.isRedirected(answer) ? answer.reason : `status ${answer.status}`

const anywhere = { mayLeave: () => true }

describe("RemoteRequests", () => {
  it.effect("passes on which addresses are refused", () =>
    Effect.gen(function*() {
      const refusal = () => "no"
      const { opened } = yield* send([], {}, { refusal })
      assert.strictEqual(opened[0]?.refusal, refusal)
    }))

  it.effect("gives its headers to the origin that was asked, however it is come to, and `accept` alone to others", () =>
    Effect.gen(function*() {
      const { headers, hrefs } = yield* send(
        [to(302, "http://away.example/b"), to(302, "http://home.example/c")],
        {},
        anywhere
      )
      assert.deepStrictEqual(hrefs, ["http://home.example/a", "http://away.example/b", "http://home.example/c"])
      const home = { key: "of-the-host", accept: "text/plain", own: "x" }
      assert.deepStrictEqual(headers, [home, { accept: "text/plain" }, home])
    }))

  it.effect("follows a 303 by a GET without the body, where the answer may be elsewhere", () =>
    Effect.gen(function*() {
      const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } }
      const followed = yield* send([to(303, "/seen")], post, { followsSeeOther: true })
      assert.deepStrictEqual(followed.sent.map(({ body, method }) => [method, body]), [["POST", "{}"], [
        "GET",
        undefined
      ]])
      assert.deepStrictEqual(followed.headers[1], { key: "of-the-host" })
      assert.include(reasonOf((yield* send([to(303, "/seen")], post)).answer), "loses what was sent")
    }))

  it.effect("goes where there is no web to be found nowhere, whatever may be left", () =>
    Effect.gen(function*() {
      for (const location of ["ftp://home.example/", "file:///etc/passwd", "data:,x", "http://"]) {
        const { answer, sent } = yield* send([to(302, location)], {}, anywhere)
        assert.strictEqual(reasonOf(answer), "it redirects (302) to what is no web address", location)
        assert.lengthOf(sent, 1)
      }
    }))

  it.effect("takes no user info from a redirect, and keeps that of the configuration within the origin", () =>
    Effect.gen(function*() {
      const url = new URL("http://me:secret@home.example/a")
      const { hrefs } = yield* send(
        [to(302, "http://you:x@home.example/b"), to(302, "http://you:x@away.example/c")],
        { url },
        anywhere
      )
      assert.deepStrictEqual(hrefs.slice(1), ["http://me:secret@home.example/b", "http://away.example/c"])
    }))

  it.effect("lets the host's headers win over defaults, and puts cookies side by side", () =>
    Effect.gen(function*() {
      const { headers } = yield* send(
        [],
        { headers: {}, defaults: { key: "of-the-model", cookie: "b=2", more: "y" } },
        { headers: { Key: "of-the-host", Cookie: "a=1" } }
      )
      assert.deepStrictEqual(headers, [{ key: "of-the-host", more: "y", cookie: "a=1; b=2" }])
    }))

  it.effect("sends nothing of the host's, and asks nobody, for what is anonymous", () =>
    Effect.gen(function*() {
      let asked = 0
      const provider = () => Effect.sync(() => Option.some(`token-${++asked}`))
      const unauthorized = respond(401)
      const ask = (request: Partial<RemoteRequests.RemoteRequest>) =>
        Effect.provideService(send([unauthorized], request), TokenProvider, provider)
      assert.deepStrictEqual((yield* ask({ isAnonymous: true })).headers, [{ accept: "text/plain", own: "x" }])
      assert.lengthOf((yield* ask({ asksNobody: true, method: "DELETE" })).sent, 1)
      assert.strictEqual(asked, 0)
      const given = yield* ask({ method: "DELETE" })
      assert.strictEqual(given.headers[1]?.["authorization"], "Bearer token-1")
      assert.deepStrictEqual(RemoteRequests.isRedirected(given.answer) ? [] : given.answer.made, ["token-1"])
    }))
})

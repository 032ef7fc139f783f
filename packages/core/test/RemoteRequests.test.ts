import { HttpConnections, TokenProvider, type TokenProviderService } from "@effect-toolnexus/core"
import * as RemoteRequests from "@effect-toolnexus/core/RemoteRequests"
import { TestHttp } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import type { ConnectionOptions, HttpRequest, HttpResponse } from "../src/HttpConnections.ts"

const api: RemoteRequests.Remote = { kind: "extra", name: "api", headers: {}, secrets: [], tls: {}, proxy: {} }

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
    const requests = yield* RemoteRequests.RemoteRequests.make({ ...api, headers: { Key: "of-the-host" }, ...remote })
      .pipe(Effect.provideService(HttpConnections, connections))
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
  it.effect("sends nothing to a proxy that somebody else names as a server", () =>
    Effect.gen(function*() {
      const remote = { proxy: { HTTP_PROXY: "http://localhost:3128" }, named: { urls: [], advice: "name it" } }
      const url = new URL("http://localhost:6379/")
      const { code, wasSent } = yield* Effect.flip(send([], { url, namedFrom: "public" }, remote))
      assert.deepStrictEqual([code, wasSent], ["ERR_ADDRESS_REFUSED", false])
      const redirected = yield* Effect.flip(
        send([to(302, url.href)], { namedFrom: "public" }, { ...remote, mayLeave: () => true })
      )
      assert.strictEqual(redirected.code, "ERR_ADDRESS_REFUSED")
      assert.deepStrictEqual((yield* send([], { url }, remote)).hrefs, [url.href])
    }))

  it.effect("knows that a proxy's password is secret, as it is written and as it is sent", () =>
    Effect.gen(function*() {
      const requests = yield* RemoteRequests.RemoteRequests.make({
        ...api,
        secrets: ["of-the-entry"],
        proxy: {
          HTTP_PROXY: "http://me:p%40ssword@proxy.corp",
          HTTPS_PROXY: "token-of-proxy@proxy.corp",
          NO_PROXY: "a.corp,b"
        }
      }).pipe(Effect.provide(TestHttp.layer(() => ({ status: 200 }))))
      for (const secret of ["p%40ssword", "p@ssword", btoa("me:p@ssword"), "token-of-proxy", "of-the-entry"]) {
        assert.strictEqual(requests.redact(`407 ${secret}`), "407 <redacted>")
      }
      assert.strictEqual(requests.redact("proxy.corp a.corp,b"), "proxy.corp a.corp,b")
    }).pipe(Effect.scoped))

  it.effect("refuses no address where everything is named by the configuration", () =>
    Effect.gen(function*() {
      const { opened } = yield* send([], {}, {})
      assert.deepStrictEqual(opened, [{ tls: {}, proxy: {} }])
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

  it.effect("keeps nobody waiting for a token while another caller is asked for theirs", () => {
    const asked: Array<string> = []
    const provider: TokenProviderService = ({ context }) =>
      Effect.suspend(() => {
        asked.push(String(context))
        return context === "slow"
          ? Effect.never
          : Effect.as(Effect.sleep("1 second"), Option.some(`of-${String(context)}`))
      })
    return Effect.gen(function*() {
      const requests = yield* RemoteRequests.RemoteRequests.make(api)
      const ask = (context: string) =>
        requests.send({ method: "GET", url: new URL("http://home.example/"), headers: {}, context })
      const slow = yield* Effect.forkChild(ask("slow"))
      const others = yield* Effect.forkChild(
        Effect.all([ask("a"), ask("a"), ask("b")], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 second")
      const answers = yield* Fiber.join(others)
      assert.deepStrictEqual(answers.map((answer) => RemoteRequests.isRedirected(answer) ? 0 : answer.status), [
        200,
        200,
        200
      ])
      // one caller is asked once, whatever it has under way
      assert.deepStrictEqual(asked.toSorted(), ["a", "b", "slow"])
      yield* Fiber.interrupt(slow)
    }).pipe(
      Effect.provideService(TokenProvider, provider),
      Effect.provide(TestHttp.layer(({ headers }) => ({ status: headers["authorization"] === undefined ? 401 : 200 }))),
      Effect.scoped
    )
  })
})

const ADDRESSES = {
  "home.example": "8.8.8.8",
  "away.example": "1.1.1.1",
  "office.corp": "10.0.0.1",
  "tickets.corp": "10.0.0.2",
  localhost: "127.0.0.1"
}

/** What comes of a GET where hosts are at those addresses, and each redirects to what `moves` says of it. */
const reach = (
  from: string,
  moves: Readonly<Record<string, string>> = {},
  request: Partial<RemoteRequests.RemoteRequest> = {},
  named: Partial<RemoteRequests.NamedPlaces> = {}
) =>
  Effect.gen(function*() {
    const requests = yield* RemoteRequests.RemoteRequests.make({
      ...api,
      mayLeave: () => true,
      named: { urls: [], advice: "name it", ...named }
    })
    const asked = { method: "GET", url: new URL(from), headers: {}, context: undefined, ...request }
    const answer = yield* Effect.result(requests.send(asked))
    if (Result.isFailure(answer)) return answer.failure.code
    return RemoteRequests.isRedirected(answer.success) ? "redirected" : requests.reachOf(asked, answer.success)
  }).pipe(
    Effect.provide(
      TestHttp.layer(({ url }) => {
        const location = moves[url.hostname]
        return location === undefined ? {} : { status: 302, headers: { location } }
      }, { addresses: ADDRESSES })
    ),
    Effect.scoped
  )

const REFUSED = "ERR_ADDRESS_REFUSED"

describe("where others lead", () => {
  it.effect("the configuration leads anywhere, and who can reach what is there is known", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* reach("http://home.example/"), "public")
      assert.strictEqual(yield* reach("http://office.corp/"), "network")
      assert.strictEqual(yield* reach("http://localhost:8080/"), "machine")
      assert.strictEqual(yield* reach("http://[::1]/"), "machine")
    }))

  it.effect("what was named elsewhere leads no nearer than that", () =>
    Effect.gen(function*() {
      const outcomes = yield* Effect.forEach(["public", "network", "machine"] as const, (namedFrom) =>
        Effect.forEach(
          ["http://away.example/", "http://office.corp/", "http://10.0.0.9/", "http://localhost/", "http://127.0.0.1/"],
          (url) => reach(url, {}, { namedFrom })
        ))
      assert.deepStrictEqual(outcomes, [
        ["public", REFUSED, REFUSED, REFUSED, REFUSED],
        ["public", "network", "network", REFUSED, REFUSED],
        ["public", "network", "network", "machine", "machine"]
      ])
    }))

  it.effect("a redirect leads no nearer than who redirects, whoever named that", () =>
    Effect.gen(function*() {
      const moves = (location: string) => ({ "home.example": location, "office.corp": location, localhost: location })
      assert.strictEqual(yield* reach("http://home.example/", moves("http://tickets.corp/")), REFUSED)
      assert.strictEqual(yield* reach("http://home.example/", moves("http://127.0.0.1/")), REFUSED)
      assert.strictEqual(yield* reach("http://office.corp/", moves("http://tickets.corp/")), "network")
      assert.strictEqual(yield* reach("http://office.corp/", moves("http://127.0.0.1/")), REFUSED)
      assert.strictEqual(yield* reach("http://localhost/", moves("http://127.0.0.1/")), "machine")
      // once out on the internet there is no way back
      const around = { "office.corp": "http://home.example/", "home.example": "http://tickets.corp/" }
      assert.strictEqual(yield* reach("http://office.corp/", around), REFUSED)
      assert.strictEqual(yield* reach("http://office.corp/", { "office.corp": "http://home.example/" }), "public")
    }))

  it.effect("unless the configuration names that host as well", () =>
    Effect.gen(function*() {
      const urls = [new URL("http://tickets.corp/"), new URL("http://10.0.0.9/")]
      for (const { href } of urls) {
        assert.strictEqual(yield* reach(href, {}, { namedFrom: "public" }, { urls }), "public")
        assert.notStrictEqual(yield* reach("http://home.example/", { "home.example": href }, {}, { urls }), REFUSED)
      }
    }))
})

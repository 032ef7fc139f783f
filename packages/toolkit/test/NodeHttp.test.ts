import { type Connections, HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer, type Server } from "node:http"
import type { Socket } from "node:net"
import * as NodeHttp from "../src/NodeHttp.ts"

interface Seen {
  readonly method: string | undefined
  readonly body: Buffer
}

/** Answers each request with what it brought. */
const echo = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly seen: Array<Seen>; readonly close: () => void }>((resume) => {
    const seen: Array<Seen> = []
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        seen.push({ method: request.method, body: Buffer.concat(chunks) })
        response.end(Buffer.concat(chunks))
      })
    })
    server.listen(0, () => {
      const address = server.address()
      if (address === null || typeof address === "string") return
      resume(Effect.succeed({ port: address.port, seen, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/**
 * Ends a connection just when a request comes over it that it has waited for too long, and says in its body how many
 * connections there were. It never ends one by itself. `hint` is the least that goes into a `Keep-Alive`, in seconds.
 */
const impatient = (patience: number, hint?: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: URL; readonly close: () => void }>((resume) => {
      const idleSince = new WeakMap<Socket, number>()
      let connections = 0
      const server = createServer((request, response) => {
        const { socket } = request
        if (performance.now() - (idleSince.get(socket) ?? Infinity) > patience) {
          socket.destroy()
          return
        }
        request.resume()
        if (hint !== undefined) response.setHeader("Keep-Alive", `timeout=${hint}`)
        response.on("finish", () => idleSince.set(socket, performance.now()))
        response.end(String(connections))
      })
      server.keepAliveTimeout = 0
      server.on("connection", () => connections++)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ url: urlOf(server), close: () => server.close() })))
    }),
    ({ close }) => Effect.sync(close)
  )

const urlOf = (server: Server): URL => {
  const address = server.address()
  return new URL(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`)
}

const open = (refusal?: (address: string, host: string) => string | undefined) =>
  HttpConnections.use((http) => http.open({ tls: {}, proxy: {}, ...(refusal === undefined ? {} : { refusal }) }))

const loopback = (address: string) => /^(127\.|::1$|::ffff:7f)/u.test(address) ? "it is this machine" : undefined

describe("NodeHttp", () => {
  it.effect("sends and reads bytes as they are, and no more than asked for", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* echo
      const { exchange } = yield* open()
      const body = Uint8Array.from({ length: 300 }, (_, index) => index % 256)
      const request = { method: "PUT", url: new URL(`http://127.0.0.1:${port}/`), headers: {}, body }
      const whole = yield* exchange(request).pipe(Effect.flatMap((response) => response.bytes(1000)))
      const part = yield* exchange(request).pipe(Effect.flatMap((response) => response.bytes(10)))
      assert.deepStrictEqual([seen[0]?.method, Uint8Array.from(seen[0]?.body ?? [])], ["PUT", body])
      assert.deepStrictEqual([Uint8Array.from(whole.bytes), whole.isWhole], [body, true])
      assert.deepStrictEqual([Uint8Array.from(part.bytes), part.isWhole], [body.subarray(0, 10), false])
    }).pipe(Effect.provide(NodeHttp.layer)))

  it.effect("leaves out the character that a bound cuts in two", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      const { exchange } = yield* open()
      const response = yield* exchange({
        method: "POST",
        url: new URL(`http://127.0.0.1:${port}/`),
        headers: {},
        body: "häää"
      })
      assert.deepStrictEqual(yield* response.text(4), { text: "hä", isWhole: false })
    }).pipe(Effect.provide(NodeHttp.layer)))

  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "[::1]", "localhost"]) {
    it.effect(`connects to no refused address: ${host}`, () =>
      Effect.gen(function*() {
        const { port, seen } = yield* echo
        const { exchange } = yield* open(loopback)
        const url = new URL(`http://${host}:${port}/`)
        const { code, message, wasSent } = yield* Effect.flip(exchange({ method: "GET", url, headers: {} }))
        assert.deepStrictEqual([code, wasSent, seen.length], ["ERR_ADDRESS_REFUSED", false, 0])
        assert.include(message, "it is this machine")
      }).pipe(Effect.provide(NodeHttp.layer)))
  }

  it.effect("fails each request where a proxy is no URL, and shows nothing of it", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* echo
      const { exchange } = yield* HttpConnections.use((http) =>
        http.open({ tls: {}, proxy: { HTTP_PROXY: "http://me:s3cret-value@proxy.example:99999" } })
      )
      const url = new URL(`http://127.0.0.1:${port}/`)
      const { detail, wasSent } = yield* Effect.flip(exchange({ method: "GET", url, headers: {} }))
      assert.strictEqual(detail, "ERR_PROXY_INVALID_CONFIG: HTTP_PROXY or HTTPS_PROXY is no URL")
      assert.deepStrictEqual([wasSent, seen.length], [false, 0])
    }).pipe(Effect.provide(NodeHttp.layer)))

  it.effect("leads through no proxy to what is refused and needs no look-up", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* echo
      const { exchange } = yield* HttpConnections.use((http) =>
        http.open({ tls: {}, proxy: { HTTP_PROXY: `http://127.0.0.1:${port}` }, refusal: loopback })
      )
      for (const host of ["127.0.0.1", "[::1]", "localhost", "LOCALHOST.", "redis.localhost"]) {
        const { code } = yield* Effect.flip(
          exchange({ method: "GET", url: new URL(`http://${host}:6379/`), headers: {} })
        )
        assert.strictEqual(code, "ERR_ADDRESS_REFUSED", host)
      }
      const response = yield* exchange({ method: "GET", url: new URL("http://localhost.example/"), headers: {} })
      response.discard()
      assert.strictEqual(seen.length, 1)
    }).pipe(Effect.provide(NodeHttp.layer)))

  it.effect("connects to the addresses of a host that aren't refused", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      const asked: Array<readonly [address: string, host: string]> = []
      const { exchange } = yield* open((address, host) => {
        asked.push([address, host])
        return undefined
      })
      const response = yield* exchange({ method: "GET", url: new URL(`http://localhost:${port}/`), headers: {} })
      assert.strictEqual(response.status, 200)
      assert.isTrue(asked.every(([address]) => address === "127.0.0.1" || address === "::1") && asked.length > 0)
      response.discard()
      // by the name that was looked up, or the address that stands in its place
      const direct = yield* exchange({ method: "GET", url: new URL(`http://127.0.0.1:${port}/`), headers: {} })
      direct.discard()
      assert.deepStrictEqual([asked[0]?.[1], asked.at(-1)], ["localhost", ["127.0.0.1", "127.0.0.1"]])
    }).pipe(Effect.provide(NodeHttp.layer)))
})

/** These wait for a clock that is no test's. */
describe.concurrent("NodeHttp, connections that are idle", () => {
  const post = (url: URL, exchange: Connections["exchange"]) =>
    exchange({ method: "POST", url, headers: {}, body: "x" }).pipe(
      Effect.flatMap((response) => response.text(100)),
      Effect.map(({ text }) => text)
    )

  it.live("are used again, but not when a server is about to end them", () =>
    Effect.gen(function*() {
      const { url } = yield* impatient(4500)
      const { exchange } = yield* open()
      assert.strictEqual(yield* post(url, exchange), "1")
      yield* Effect.sleep(50)
      assert.strictEqual(yield* post(url, exchange), "1")
      yield* Effect.sleep(4700)
      assert.strictEqual(yield* post(url, exchange), "2")
    }).pipe(Effect.provide(NodeHttp.layer)))

  it.live("are used for a shorter time where the server says so", () =>
    Effect.gen(function*() {
      const { url } = yield* impatient(1500, 2)
      const { exchange } = yield* open()
      assert.strictEqual(yield* post(url, exchange), "1")
      yield* Effect.sleep(1700)
      assert.strictEqual(yield* post(url, exchange), "2")
    }).pipe(Effect.provide(NodeHttp.layer)))

  it.live("are told from those that a proxy takes long to open", () =>
    Effect.gen(function*() {
      const proxy = yield* Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const server = createServer()
          server.on("connect", (_, socket) => {
            setTimeout(() => socket.end("HTTP/1.1 502 Late\r\n\r\n"), 4700)
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const { exchange } = yield* HttpConnections.use((http) =>
        http.open({ tls: {}, proxy: { HTTPS_PROXY: urlOf(proxy).href } })
      )
      const { detail } = yield* Effect.flip(post(new URL("https://nowhere.invalid/"), exchange))
      assert.include(detail, "502")
    }).pipe(Effect.provide(NodeHttp.layer)))
})

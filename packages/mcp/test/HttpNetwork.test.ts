import { Environment } from "@effect-toolnexus/core/Environment"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { createServer, request, type Server } from "node:http"
import { connect as connectSocket } from "node:net"
import { fileURLToPath } from "node:url"
import { httpServer } from "./httpServer.ts"
import { call, define, messageOf, open, platform, script } from "./support.ts"

const pem = (name: string) => readFileSync(new URL(`fixtures/tls/${name}.pem`, import.meta.url), "utf8")
const tls = { key: pem("key"), cert: pem("cert") }
const file = (name: string) => fileURLToPath(new URL(`fixtures/tls/${name}.pem`, import.meta.url))

/** A forward proxy: what it was asked for, and how. */
const proxyServer = Effect.map(
  Effect.acquireRelease(
    Effect.callback<{ readonly server: Server; readonly seen: Array<string> }>((resume) => {
      const seen: Array<string> = []
      const server = createServer((incoming, outgoing) => {
        seen.push(`${incoming.method} ${incoming.url}`)
        const { headers, method, url = "" } = incoming
        incoming.pipe(request(url, { headers, method }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(outgoing)
        }))
      })
      server.on("connect", (incoming, socket) => {
        seen.push(`CONNECT ${incoming.url}`)
        const [host = "", port] = (incoming.url ?? "").split(":")
        const target = connectSocket(Number(port), host, () => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n")
          target.pipe(socket).pipe(target)
        })
        for (const end of [socket, target]) end.on("error", () => [socket, target].forEach((each) => each.destroy()))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, seen })))
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ),
  ({ seen, server }) => {
    const address = server.address()
    return { seen, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` }
  }
)

const output = (config: object) =>
  Effect.gen(function*() {
    const entries = yield* (yield* open({ a: define(config) })).entries
    const [tool] = entries.flatMap(({ tools }) => tools)
    return tool === undefined ? messageOf(entries, "a") : (yield* call(tool, { a: 1 })).output
  })

describe("TLS", () => {
  it.live("trusts whom the configuration names, as a file or as it is, and nobody else", () =>
    Effect.gen(function*() {
      const { url } = yield* httpServer({ tls })
      assert.match(
        yield* output({ url }),
        /failed at connect: https:.* \((DEPTH_ZERO_)?SELF_SIGNED_CERT.*"ca" names one to trust/
      )
      assert.strictEqual(yield* output({ url, ca: file("cert") }), "{\"a\":1}")
      assert.strictEqual(yield* output({ url, ca: tls.cert }), "{\"a\":1}")
      assert.include(yield* output({ url, ca: "no/such.pem" }), "failed at config: ca: no/such.pem can't be read")
      assert.include(yield* output({ url, ca: script }), `failed at config: ca: ${script} is no PEM`)
      assert.include(yield* output({ url, cert: tls.cert.slice(0, 100) }), "failed at config: cert is no PEM")
      assert.match(yield* output({ url: url.replace("https", "http") }), /failed at connect: http:.* \(ECONNRESET/)
    }).pipe(Effect.provide(platform)))

  it.live("shows who we are where the server wants to know", () =>
    Effect.gen(function*() {
      const { url } = yield* httpServer({ tls: { ...tls, ca: tls.cert, requestCert: true, rejectUnauthorized: true } })
      const ca = file("cert")
      assert.match(yield* output({ url, ca }), /failed at connect: https:.* \((ERR_SSL|ECONNRESET|EPIPE)/)
      assert.strictEqual(yield* output({ url, ca, cert: file("cert"), key: file("key") }), "{\"a\":1}")
    }).pipe(Effect.provide(platform)))
})

describe("a proxy", () => {
  it.live("is the one of the configuration, or of the environment, except where that says no", () =>
    Effect.gen(function*() {
      const plain = yield* httpServer()
      const secure = yield* httpServer({ tls })
      const proxy = yield* proxyServer
      const through = (config: object, variables: Record<string, string>) =>
        Effect.map(Effect.provideService(output(config), Environment, variables), (result) => {
          const seen = proxy.seen.splice(0)
          assert.strictEqual(result, "{\"a\":1}")
          return seen[0]
        })
      assert.strictEqual(yield* through({ url: plain.url, proxy: proxy.url }, {}), `POST ${plain.url}`)
      assert.strictEqual(
        yield* through({ url: secure.url, ca: file("cert") }, { HTTPS_PROXY: proxy.url }),
        `CONNECT ${new URL(secure.url).host}`
      )
      assert.strictEqual(yield* through({ url: plain.url }, { http_proxy: proxy.url }), `POST ${plain.url}`)
      const except = { HTTP_PROXY: proxy.url, NO_PROXY: ".internal,127.0.0.1" }
      assert.strictEqual(yield* through({ url: plain.url }, except), undefined)
      assert.strictEqual(yield* through({ url: plain.url, proxy: "" }, { HTTP_PROXY: proxy.url }), undefined)
    }).pipe(Effect.provide(platform)))

  it.live("that isn't there is named as what is wrong", () =>
    Effect.gen(function*() {
      const { url } = yield* httpServer()
      assert.include(
        yield* output({ url, proxy: "http://me:s3cret@127.0.0.1:9/" }),
        `${
          new URL(url).origin
        } gave no HTTP answer (ECONNREFUSED: nothing listens there; a proxy is set, http://127.0.0.1:9)`
      )
    }).pipe(Effect.provide(platform)))

  it.live("that is none isn't passed over", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* httpServer()
      const problems = [
        ["proxy.example", "proxy is no URL; it begins with http:// or https://"],
        ["proxy.example:3128", "proxy must begin with http:// or https://, not with proxy.example:"]
      ] as const
      for (const [proxy, problem] of problems) {
        assert.include(yield* output({ url, proxy }), `failed at config: ${problem}`)
      }
      assert.deepStrictEqual(seen, [])
    }).pipe(Effect.provide(platform)))
})

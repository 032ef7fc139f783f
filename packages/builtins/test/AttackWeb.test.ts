/** What a page, a server, or a model that was talked into it, may try by way of `webfetch`. */
import { assert, layer } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib"
import { addressSpellings } from "../../core/test/addressSpellings.ts"
import { builtins, call, failure } from "./harness.ts"
import { webServer } from "./webServer.ts"

layer(builtins({ network: "public" }), { excludeTestServices: true })(
  "webfetch where only the public is allowed",
  (it) => {
    it.effect("makes no connection to loopback, however it is written", () =>
      Effect.scoped(Effect.gen(function*() {
        const { port, requests, sockets } = yield* webServer((_request, response) => void response.end("reached"))
        const hosts = addressSpellings("127.0.0.1").map((host) => host.includes(":") ? `[${host}]` : host)
        for (
          const host of [
            ...hosts,
            "localhost",
            "LOCALHOST.",
            "127.0.0.1.",
            "127。0。0。1",
            "①②⑦.0.0.1",
            "%31%32%37.0.0.1",
            "[::1]",
            "[::]",
            "0"
          ]
        ) {
          const { message } = yield* failure("webfetch", { url: `http://${host}:${port}/`, timeout: 5 })
          assert.match(message, /refuses|can't be fetched|is no address/, host)
        }
        assert.deepStrictEqual([requests.length, sockets.size], [0, 0])
      })))
  }
)

layer(builtins(true), { excludeTestServices: true })("webfetch by default", (it) => {
  it.effect("makes no connection to metadata services, and follows no redirect to one", () =>
    Effect.scoped(Effect.gen(function*() {
      const targets = [
        "http://169.254.169.254/latest/",
        "http://0xa9fea9fe/",
        "//[::ffff:a9fe:a9fe]/",
        "http://[fe80::1]/"
      ]
      const { origin } = yield* webServer((request, response) => {
        response.writeHead(302, { location: targets[Number(request.url?.slice(1))] ?? "" })
        response.end()
      })
      for (const [index] of targets.entries()) {
        const { message } = yield* failure("webfetch", { url: `${origin}/${index}`, timeout: 5 })
        assert.match(message, /is not fetched: .* is link-local, which the network policy "open" refuses/)
      }
      for (const spelling of addressSpellings("169.254.169.254")) {
        const host = spelling.includes(":") ? `[${spelling}]` : spelling
        assert.match((yield* failure("webfetch", { url: `http://${host}/`, timeout: 5 })).message, /refuses/, host)
      }
    })))

  it.effect("ends with a bomb at its bound, whatever it is packed in", () =>
    Effect.scoped(Effect.gen(function*() {
      const zeros = Buffer.alloc(50_000_000)
      const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
      const bombs: ReadonlyArray<readonly [string, Uint8Array]> = [
        ["gzip", gzipSync(zeros)],
        ["br", brotliCompressSync(zeros, fast)],
        ["deflate", deflateSync(zeros)],
        ["gzip, gzip", gzipSync(gzipSync(zeros))],
        ["gzip, gzip, gzip", gzipSync(gzipSync(gzipSync("")))]
      ]
      const { origin } = yield* webServer((request, response) => {
        const [encoding, body] = bombs[Number(request.url?.slice(1))] ?? ["", ""]
        response.writeHead(200, { "content-type": "application/x-thing", "content-encoding": encoding })
        response.end(body)
      })
      const before = process.memoryUsage().rss
      for (const [index] of bombs.entries()) {
        const answer = yield* Effect.result(call("webfetch", { url: `${origin}/${index}` }))
        if (answer._tag === "Success") {
          assert.strictEqual(answer.success.output, "[application/x-thing, more than 5242880 bytes]")
        } else assert.match(answer.failure.message, /encoded 3 times over/)
      }
      assert.isBelow(process.memoryUsage().rss - before, 100_000_000)
    })))

  it.effect("ends with a body that doesn't, at the bound, and with its connection", () =>
    Effect.scoped(Effect.gen(function*() {
      let sent = 0
      const { origin, sockets } = yield* webServer((_request, response) => {
        response.writeHead(200, { "content-type": "text/plain" })
        const chunk = Buffer.alloc(65_536, "a")
        const send = () => {
          while (!response.destroyed && response.write(chunk)) sent += chunk.length
        }
        response.on("drain", send)
        send()
      })
      const { output } = yield* call("webfetch", { url: origin })
      assert.match(output, /the body has more than 5242880 bytes\]$/)
      assert.isBelow(sent, 50_000_000)
      yield* Effect.sleep("100 millis")
      assert.strictEqual(sockets.size, 0)
    })))

  it.effect("ends with a body that drips, or an answer that never comes, at the deadline", () =>
    Effect.scoped(Effect.gen(function*() {
      const { origin, sockets } = yield* webServer((request, response) => {
        if (request.url === "/never") return
        response.writeHead(200, { "content-type": "text/plain" })
        const timer = setInterval(() => response.write("a"), 20)
        response.on("close", () => clearInterval(timer))
      })
      for (const path of ["/drip", "/never"]) {
        const [time, error] = yield* Effect.timed(failure("webfetch", { url: `${origin}${path}`, timeout: 0.3 }))
        assert.match(error.message, /wasn't fetched within 0\.3 s/)
        assert.isBelow(Duration.toMillis(time), 5000)
      }
      yield* Effect.sleep("100 millis")
      assert.strictEqual(sockets.size, 0)
    })))

  it.effect("lets go of everything when the call is interrupted", () =>
    Effect.scoped(Effect.gen(function*() {
      const { origin, requests, sockets } = yield* webServer((_request, response) => {
        response.writeHead(200, { "content-type": "text/html" })
        response.write("<p>a")
      })
      const fiber = yield* Effect.forkChild(call("webfetch", { url: origin }))
      while (requests.length === 0) yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(fiber)
      yield* Effect.sleep("100 millis")
      assert.strictEqual(sockets.size, 0)
    })))

  it.effect("reads headers that lie for what they are", () =>
    Effect.scoped(Effect.gen(function*() {
      const { origin } = yield* webServer((request, response) => {
        const type = request.url === "/long" ? `text/plain;${" ".repeat(9000)}x` : "text/plain; charset=\u0001[2J"
        request.socket.end(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: 4\r\n\r\ntext`)
        response.on("error", () => {})
      })
      assert.strictEqual((yield* call("webfetch", { url: `${origin}/long` })).output, "text")
      assert.match((yield* failure("webfetch", { url: `${origin}/odd` })).message, /can't be fetched/)
    })))

  it.effect("keeps what a page says within its own lines of an error", () =>
    Effect.scoped(Effect.gen(function*() {
      const { origin } = yield* webServer((request) => {
        request.socket.end("HTTP/1.1 302 Found\r\nlocation: http://a\tb.invalid/\tc\u001b[31m\r\n\r\n")
      })
      const { message } = yield* failure("webfetch", { url: origin, timeout: 5 })
      // oxlint-disable-next-line no-control-regex -- that there are none is what is tested
      assert.notMatch(message, /[\u0000-\u001f]/)
    })))
})

import { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
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

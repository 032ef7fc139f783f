import { HttpConnections, HttpFailure } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestHttp from "../src/TestHttp.ts"

const exchange = (handler: TestHttp.Handler, path = "/") =>
  HttpConnections.use((http) => http.open({ tls: {}, proxy: {} })).pipe(
    Effect.flatMap((connections) =>
      connections.exchange({
        method: "POST",
        url: new URL(path, "https://api.example"),
        headers: { a: "b" },
        body: "in"
      })
    ),
    Effect.provide(TestHttp.layer(handler))
  )

describe("TestHttp", () => {
  it.effect("hands the request over, and gives JSON, text and bytes back", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const json = yield* exchange(({ body, headers, method, url }) => {
        seen.push([method, url.href, headers, body])
        return { status: 201, headers: { "X-Id": "7" }, body: { list: [1] } }
      })
      assert.deepStrictEqual(seen, [["POST", "https://api.example/", { a: "b" }, "in"]])
      assert.deepStrictEqual(
        [json.status, json.header("x-id"), json.header("content-type"), (yield* json.text(100)).text],
        [201, "7", "application/json", `{"list":[1]}`]
      )
      const text = yield* exchange(() => Effect.succeed({ body: "häää" }))
      assert.deepStrictEqual(yield* text.text(4), { text: "hä", isWhole: false })
      const bytes = yield* exchange(() => ({ body: Uint8Array.of(1, 2, 3) }))
      assert.deepStrictEqual(yield* bytes.bytes(2), { bytes: Uint8Array.of(1, 2), isWhole: false })
      const pieces: Array<string> = []
      yield* text.pieces((piece) => {
        pieces.push(piece)
        return "more"
      })
      assert.deepStrictEqual(pieces, ["häää"])
    }))

  it.effect("asks whether a place is refused where it is told where hosts are", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      const refusal = (address: string, host: string) => {
        asked.push([address, host])
        return address === "10.0.0.1" ? "it is private" : undefined
      }
      const get = (url: string) =>
        HttpConnections.use((http) => http.open({ tls: {}, proxy: {}, refusal })).pipe(
          Effect.flatMap(({ exchange: send }) => send({ method: "GET", url: new URL(url), headers: {} })),
          Effect.provide(TestHttp.layer(() => ({}), { addresses: { "inside.example": "10.0.0.1" } }))
        )
      const { code, detail } = yield* Effect.flip(get("http://inside.example/"))
      assert.deepStrictEqual([code, detail], ["ERR_ADDRESS_REFUSED", "ERR_ADDRESS_REFUSED: it is private"])
      assert.strictEqual((yield* get("http://[::1]/")).status, 200)
      assert.deepStrictEqual(asked, [["10.0.0.1", "inside.example"], ["::1", "::1"]])
    }))

  it.effect("fails where nothing listens, and as it is told to", () =>
    Effect.gen(function*() {
      const nobody = yield* Effect.flip(exchange(() => undefined))
      assert.deepStrictEqual([nobody.code, nobody.wasSent], ["ECONNREFUSED", false])
      const failure = new HttpFailure({ code: "ECONNRESET", detail: "cut", wasSent: true })
      assert.strictEqual(yield* Effect.flip(exchange(() => Effect.fail(failure))), failure)
    }))
})

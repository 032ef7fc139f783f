/** Names that move between a check and its use. */
import { BuiltinSource } from "@effect-toolnexus/builtins"
import { type ConnectionOptions, HttpConnections, HttpFailure } from "@effect-toolnexus/core/HttpConnections"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { failure, platform } from "./harness.ts"

/** A name server that answers each look-up with the next address, and connections that are only told of. */
const rebinding = (addresses: ReadonlyArray<string>) => {
  const connected: Array<string> = []
  let next = 0
  const http = Layer.succeed(HttpConnections, {
    open: ({ refusal }: ConnectionOptions) =>
      Effect.succeed({
        exchange: ({ url }) =>
          Effect.suspend(() => {
            const address = addresses[next++ % addresses.length] ?? ""
            const reason = refusal?.(address, url.hostname)
            if (reason !== undefined) {
              return Effect.fail(
                new HttpFailure({
                  code: "ERR_ADDRESS_REFUSED",
                  detail: `ERR_ADDRESS_REFUSED: ${reason}`,
                  wasSent: false
                })
              )
            }
            connected.push(address)
            return Effect.succeed({
              status: 302,
              header: (name: string) => name === "location" ? "/again" : undefined,
              text: () => Effect.never,
              bytes: () => Effect.never,
              pieces: () => Effect.never,
              discard: () => {}
            })
          })
      })
  })
  return {
    connected,
    source: BuiltinSource.layer({ network: "public" }).pipe(Layer.provide(http), Layer.provide(platform))
  }
}

describe("webfetch against a name that moves", () => {
  it.effect("asks about each connection anew", () => {
    const { connected, source } = rebinding(["93.184.216.34", "1.1.1.1", "127.0.0.1"])
    return Effect.gen(function*() {
      const { message } = yield* failure("webfetch", { url: "http://moves.example/" })
      assert.match(message, /127\.0\.0\.1 is loopback/)
      assert.deepStrictEqual(connected, ["93.184.216.34", "1.1.1.1"])
    }).pipe(Effect.provide(source))
  })

  it.effect("has one deadline for all of it", () => {
    const silent = Layer.succeed(HttpConnections, { open: () => Effect.succeed({ exchange: () => Effect.never }) })
    return Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(failure("webfetch", { url: "http://silent.example/" }))
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.match((yield* Fiber.join(fiber)).message, /wasn't fetched within 30 s/)
    }).pipe(Effect.provide(BuiltinSource.layer(true).pipe(Layer.provide(silent), Layer.provide(platform))))
  })
})

/** Addresses in disguise, and names that move between a check and its use. */
import { BuiltinSource, NetworkPolicy } from "@effect-toolnexus/builtins"
import { type ConnectionOptions, HttpConnections, HttpFailure } from "@effect-toolnexus/core/HttpConnections"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { addressSpellings } from "./addressSpellings.ts"
import { failure, platform } from "./harness.ts"

/** Local NAT64, and a Teredo client behind 255.255.255.255. */
const ALSO_RESERVED = /^64:ff9b:1:|^2001:0:.*::$/

describe("NetworkPolicy", () => {
  const open = NetworkPolicy.refusal("open")
  const onlyPublic = NetworkPolicy.refusal("public")

  it("refuses metadata and link-local addresses always, in every spelling", () => {
    for (const address of ["169.254.169.254", "169.254.0.1", "169.254.170.2", "100.100.100.200", "168.63.129.16"]) {
      for (const spelling of addressSpellings(address)) {
        assert.isDefined(open(spelling), spelling)
        assert.isDefined(onlyPublic(spelling), spelling)
      }
    }
    for (
      const address of [
        "fe80::1",
        "fe80::1%eth0",
        "FEBF::1",
        "fd00:ec2::254",
        "fd00:0ec2:0:0:0:0:0:254",
        "fd20:ce::254",
        "[fe80::1]"
      ]
    ) assert.isDefined(open(address), address)
  })

  it("refuses what isn't public where only that is allowed, in every spelling", () => {
    for (
      const address of [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "192.0.2.1"
      ]
    ) {
      for (const spelling of addressSpellings(address)) assert.isDefined(onlyPublic(spelling), spelling)
      assert.isUndefined(open(address), address)
    }
    for (
      const address of ["::1", "::", "fc00::1", "fdff::1", "fec0::1", "ff02::1", "2001:db8::1", "100::1", "3fff::1"]
    ) {
      assert.isDefined(onlyPublic(address), address)
      assert.isUndefined(open(address), address)
    }
  })

  it("lets through what is public, in every spelling", () => {
    for (
      const address of ["8.8.8.8", "1.1.1.1", "172.32.0.1", "172.15.0.1", "100.128.0.1", "192.167.0.1", "11.0.0.1"]
    ) {
      for (const spelling of addressSpellings(address).filter((each) => !ALSO_RESERVED.test(each))) {
        assert.isUndefined(onlyPublic(spelling), spelling)
      }
    }
    for (const address of ["2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888"]) {
      assert.isUndefined(onlyPublic(address), address)
    }
  })

  it("refuses what is no address", () => {
    for (
      const text of ["", "localhost", "a.b", "1.2.3.4@8.8.8.8", "8.8.8.8/../", "8.8.8.8:80", "256.1.1.1", "::g", "1 1"]
    ) {
      assert.isDefined(open(text), text)
    }
  })
})

/** A name server that answers each look-up with the next address, and connections that are only told of. */
const rebinding = (addresses: ReadonlyArray<string>) => {
  const connected: Array<string> = []
  let next = 0
  const http = Layer.succeed(HttpConnections, {
    open: ({ refusal }: ConnectionOptions) =>
      Effect.succeed({
        exchange: () =>
          Effect.suspend(() => {
            const address = addresses[next++ % addresses.length] ?? ""
            const reason = refusal?.(address)
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

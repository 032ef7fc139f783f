import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Outbox } from "../src/internal/outbox.ts"
import { heapUsed } from "./heapUsed.ts"

const request = (id: number) => ({ jsonrpc: "2.0", id, method: "x" }) as const
const notification = { jsonrpc: "2.0", method: "y" } as const

const text = (batch: ReadonlyArray<Uint8Array>) => batch.map((bytes) => new TextDecoder().decode(bytes)).join("")

describe("Outbox", () => {
  it.effect("gives what is sent, in order, without what was taken back", () =>
    Effect.gen(function*() {
      const outbox = new Outbox(() => 0)
      outbox.add(request(1))
      outbox.add(request(2))
      outbox.add(notification)
      assert.isTrue(outbox.remove(1))
      assert.isFalse(outbox.remove(1))
      assert.strictEqual(outbox.size, 2)
      assert.strictEqual(
        text(yield* outbox.next),
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"y\"}\n"
      )
      // what is written can't be taken back
      assert.isFalse(outbox.remove(2))
      assert.strictEqual(outbox.size, 0)
    }))

  it.effect("passes over what is empty, and ends", () =>
    Effect.gen(function*() {
      const outbox = new Outbox(() => 0)
      for (let id = 0; id < 100; id++) outbox.add(request(id))
      for (let id = 0; id < 99; id++) outbox.remove(id)
      assert.include(text(yield* outbox.next), "\"id\":99")
      outbox.end()
      assert.strictEqual((yield* Effect.exit(outbox.next))._tag, "Failure")
      outbox.add(notification)
      assert.strictEqual(outbox.size, 0)
    }))

  it.effect("is stuck when many wait and nothing is read for a while", () =>
    Effect.gen(function*() {
      let now = 0
      const outbox = new Outbox(() => now)
      // an idle time before says nothing
      now = 100_000
      for (let id = 0; id < 2000; id++) outbox.add(request(id))
      assert.isFalse(outbox.isStuck)
      now += 9_999
      assert.isFalse(outbox.isStuck)
      now += 1
      assert.isTrue(outbox.isStuck)
      yield* outbox.next
      assert.isFalse(outbox.isStuck)
      outbox.add(request(3000))
      now += 10_000
      assert.isTrue(outbox.isStuck)
      for (let id = 0; id < 1990; id++) outbox.remove(id)
      assert.isFalse(outbox.isStuck)
    }))

  it.effect("keeps nothing of what was taken back", () =>
    Effect.gen(function*() {
      const outbox = new Outbox(() => 0)
      const before = heapUsed()
      for (let id = 0; id < 200_000; id++) {
        outbox.add(request(id))
        outbox.remove(id)
      }
      // a queue that kept a place for each would hold some 100 bytes of it
      assert.isBelow(heapUsed() - before, 4 * 1024 * 1024)
      outbox.add(request(200_000))
      assert.strictEqual(text(yield* outbox.next), `${JSON.stringify(request(200_000))}\n`)
    }))

  it.effect("is stuck with few waiting, too, and with none, once nothing could be written for long", () =>
    Effect.gen(function*() {
      let now = 0
      const outbox = new Outbox(() => now)
      outbox.add(request(1))
      yield* outbox.next
      // that one is being written; one more comes, and is given up by its caller
      outbox.add(request(2))
      outbox.remove(2)
      now = 29_999
      assert.isTrue(outbox.add(request(3)))
      now = 30_000
      assert.isTrue(outbox.isStuck)
      assert.isFalse(outbox.add(request(4)))
      // its caller's own limit ends it
      assert.strictEqual(outbox.size, 1)
      yield* outbox.next
      assert.isTrue(outbox.add(request(5)))
    }))

  it.effect("is not stuck while the writer waits for something to write", () =>
    Effect.gen(function*() {
      let now = 0
      const outbox = new Outbox(() => now)
      outbox.add(request(1))
      yield* outbox.next
      const writer = yield* Effect.forkChild(outbox.next, { startImmediately: true })
      yield* Effect.yieldNow
      now = 100_000
      assert.isFalse(outbox.isStuck)
      assert.isTrue(outbox.add(request(2)))
      assert.include(text(yield* Fiber.join(writer)), "\"id\":2")
    }))

  it("keeps only so much that it was asked for, and every word about a request that was given up", () => {
    const outbox = new Outbox(() => 0)
    const answer = { id: 1, result: { text: "x".repeat(100_000) } }
    for (let count = 0; count < 11; count++) assert.isTrue(outbox.add(answer))
    assert.isFalse(outbox.add(answer))
    for (let count = 0; count < 5000; count++) assert.isTrue(outbox.add(notification))
    assert.isTrue(outbox.add(request(1)))
  })
})

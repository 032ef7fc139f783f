import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Outbox } from "../src/internal/outbox.ts"

const request = (id: number) => ({ jsonrpc: "2.0", id, method: "x" }) as const
const notification = { jsonrpc: "2.0", method: "y" } as const

const text = (batch: ReadonlyArray<Uint8Array>) => batch.map((bytes) => new TextDecoder().decode(bytes)).join("")

describe("Outbox", () => {
  it.effect("gives what is sent, in order, without what was taken back", () =>
    Effect.gen(function*() {
      const outbox = yield* Outbox.make(() => 0)
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
      const outbox = yield* Outbox.make(() => 0)
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
      const outbox = yield* Outbox.make(() => now)
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

  it.effect("keeps only so many messages that nobody waits for", () =>
    Effect.gen(function*() {
      const outbox = yield* Outbox.make(() => 0)
      const answer = { jsonrpc: "2.0", id: 1, result: {} } as const
      for (let count = 0; count < 1024; count++) assert.isTrue(outbox.add(answer))
      assert.isFalse(outbox.add(answer))
      assert.isFalse(outbox.add(notification))
      assert.isTrue(outbox.add(request(1)))
    }))
})

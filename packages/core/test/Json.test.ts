import { assert, describe, it } from "@effect/vitest"
import { Json } from "../src/index.ts"

const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`)

const bounds = { levels: 200, values: 1000 }

describe("isWithin", () => {
  it("refuses what is too deep or too much, however deep", () => {
    assert.isTrue(Json.isWithin(nested(201), bounds))
    assert.isFalse(Json.isWithin(nested(202), bounds))
    assert.isFalse(Json.isWithin(nested(200_000), bounds))
    assert.isTrue(Json.isWithin(Array.from({ length: 999 }, () => 1), bounds))
    assert.isFalse(Json.isWithin(Array.from({ length: 1000 }, () => 1), bounds))
    assert.isTrue(Json.isWithin("scalar", bounds))
  })

  it("ends on a cycle, and on one value in many places", () => {
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    assert.isFalse(Json.isWithin(cycle, bounds))
    let shared: unknown = []
    for (let level = 0; level < 60; level++) shared = [shared, shared]
    assert.isFalse(Json.isWithin(shared, bounds))
  })
})

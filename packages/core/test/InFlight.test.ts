import { assert, describe, it } from "@effect/vitest"
import { InFlight, Member } from "../src/InFlight.ts"

class Call extends Member {
  readonly id: number
  constructor(id: number) {
    super()
    this.id = id
  }
}

const calls = (count: number) => Array.from({ length: count }, (_, id) => new Call(id))
const idsOf = (inFlight: InFlight<Call>) => inFlight.now.map(({ id }) => id).toSorted((left, right) => left - right)

describe("InFlight", () => {
  it("holds who came and has not gone, whatever the order in which they go", () => {
    const orders = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]]
    for (const order of orders) {
      const inFlight = new InFlight<Call>()
      const all = calls(4)
      for (const call of all) inFlight.add(call)
      const left = new Set([0, 1, 2, 3])
      for (const id of order) {
        const call = all[id]
        assert.isDefined(call)
        inFlight.delete(call)
        left.delete(id)
        assert.deepStrictEqual(idsOf(inFlight), [...left])
        assert.isFalse(inFlight.has(call))
      }
    }
  })

  it("takes one in once, and out once", () => {
    const inFlight = new InFlight<Call>()
    const [first, second] = [new Call(1), new Call(2)]
    for (const call of [first, first, second]) inFlight.add(call)
    assert.deepStrictEqual(idsOf(inFlight), [1, 2])
    inFlight.delete(first)
    inFlight.delete(first)
    assert.deepStrictEqual(idsOf(inFlight), [2])
    inFlight.add(first)
    assert.deepStrictEqual(idsOf(inFlight), [1, 2])
  })

  it("shows who is there now, also to one who takes them out meanwhile", () => {
    const inFlight = new InFlight<Call>()
    for (const call of calls(5)) inFlight.add(call)
    const seen = inFlight.now.map((call) => {
      inFlight.delete(call)
      return call.id
    })
    assert.deepStrictEqual(seen, [0, 1, 2, 3, 4])
    assert.deepStrictEqual(idsOf(inFlight), [])
  })
})

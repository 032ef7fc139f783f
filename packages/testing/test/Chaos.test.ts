import { Chaos } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"

const directions: ReadonlyArray<Chaos.Direction> = ["toServer", "toClient"]

const line = (message: object) => Buffer.from(`${JSON.stringify(message)}\n`)

const answer = line({ jsonrpc: "2.0", id: 17, result: { text: "größer 😀 \u{1f468}\u{200d}\u{1f469}" } })

const only = (rates: Partial<Chaos.Rates>): Chaos.Rates => ({
  delay: 0,
  split: 0,
  join: 0,
  duplicate: 0,
  noise: 0,
  drop: 0,
  garble: 0,
  cut: 0,
  ...rates
})

/** The faults of the first messages, of which each meets one. */
const faults = (name: keyof Chaos.Rates, count = 500) => {
  const plan = Chaos.plan({ seed: 3, rates: only({ [name]: 1 }) })
  return Array.from({ length: count }, (_, index) => plan("toClient", index))
}

const written = (steps: ReadonlyArray<Chaos.Step>): ReadonlyArray<Uint8Array> =>
  steps.flatMap((step) => "write" in step ? [step.write] : "hold" in step ? [step.hold] : [])

const linesOf = (steps: ReadonlyArray<Chaos.Step>): ReadonlyArray<string> =>
  Buffer.concat(written(steps)).toString().split("\n").slice(0, -1)

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("plan", () => {
  it("gives the same faults for the same seed, in whatever order it is asked", () => {
    const indices = Array.from({ length: 200 }, (_, index) => index)
    const ask = (order: ReadonlyArray<number>) => {
      const plan = Chaos.plan({ seed: 42 })
      return new Map(order.flatMap((index) => directions.map((way) => [`${way} ${index}`, plan(way, index)] as const)))
    }
    const forwards = ask(indices)
    for (const [key, fault] of ask(indices.toReversed())) assert.deepStrictEqual(forwards.get(key), fault, key)
  })

  it("gives others for another seed, another connection, the other direction", () => {
    const series = (options: Chaos.Options, way: Chaos.Direction = "toClient") => {
      const plan = Chaos.plan(options)
      return JSON.stringify(Array.from({ length: 100 }, (_, index) => plan(way, index)))
    }
    const all = [
      series({ seed: 1 }),
      series({ seed: 2 }),
      series({ seed: 1, connection: 1 }),
      series({ seed: 1 }, "toServer")
    ]
    assert.strictEqual(new Set(all).size, all.length)
  })

  it("keeps to the chances, of each direction, and spares the first messages", () => {
    const plan = Chaos.plan({ seed: 5, spare: 10, toServer: only({ drop: 0.25 }), toClient: only({ cut: 0.05 }) })
    const count = (way: Chaos.Direction) =>
      Object.groupBy(Array.from({ length: 20_000 }, (_, index) => plan(way, index)), ({ _tag }) => _tag)
    const toServer = count("toServer")
    const toClient = count("toClient")
    assert.deepStrictEqual(Object.keys(toServer).toSorted(), ["Drop", "None"])
    assert.deepStrictEqual(Object.keys(toClient).toSorted(), ["Cut", "None"])
    assert.approximately((toServer.Drop ?? []).length / 20_000, 0.25, 0.02)
    assert.approximately((toClient.Cut ?? []).length / 20_000, 0.05, 0.01)
    const greedy = Chaos.plan({ seed: 5, spare: 10, rates: only({ drop: 1 }) })
    assert.deepStrictEqual([greedy("toServer", 9)._tag, greedy("toServer", 10)._tag], ["None", "Drop"])
  })

  it("hands out the chances by their order where they are more than one", () => {
    const plan = Chaos.plan({ seed: 5, rates: only({ delay: 0.5, drop: 1, cut: 1 }) })
    const tags = new Set(Array.from({ length: 1000 }, (_, index) => plan("toClient", index)._tag))
    assert.deepStrictEqual([...tags].toSorted(), ["Delay", "Drop"])
  })

  it("draws every way to be garbled and to be cut", () => {
    const kinds = new Set(
      [...faults("garble"), ...faults("cut")].map((fault) =>
        fault._tag === "Garble" ? fault.garbling._tag : fault._tag === "Cut" ? JSON.stringify(fault.cut) : fault._tag
      )
    )
    assert.deepStrictEqual([...kinds].toSorted(), [
      "Bytes",
      "Truncated",
      "{\"closes\":\"output\"}",
      "{\"exit\":0}",
      "{\"exit\":137}",
      "{\"exit\":1}",
      "{\"signal\":\"SIGKILL\"}",
      "{\"signal\":\"SIGSEGV\"}",
      "{\"signal\":\"SIGTERM\"}"
    ])
  })
})

describe("steps", () => {
  it("changes nothing of a message that is late, in pieces, or joined", () => {
    for (const name of ["delay", "split", "join"] as const) {
      for (const fault of faults(name)) {
        assert.deepStrictEqual(Buffer.concat(written(Chaos.steps(fault, answer))), answer)
      }
    }
  })

  it("splits within characters, too", () => {
    const isCutInTwo = (piece: Uint8Array) => Buffer.from(piece).toString().includes("\ufffd")
    const torn = faults("split").filter((fault) => written(Chaos.steps(fault, answer)).some(isCutInTwo))
    assert.isAbove(torn.length, 200)
    const [ascii = { _tag: "None" }] = faults("split")
    assert.isAbove(written(Chaos.steps(ascii, line({ id: 1 }))).length, 0)
  })

  it("doubles and drops whole messages", () => {
    for (const fault of faults("duplicate")) assert.strictEqual(linesOf(Chaos.steps(fault, answer)).length, 2)
    for (const fault of faults("drop")) assert.deepStrictEqual(Chaos.steps(fault, answer), [])
  })

  it("garbles so that nobody takes it for a message", () => {
    for (const fault of faults("garble")) {
      const lines = linesOf(Chaos.steps(fault, answer))
      assert.strictEqual(lines.length, 1)
      assert.isFalse(isJson(lines[0] ?? ""), lines[0])
    }
  })

  it("has noise before a message, which answers nothing", () => {
    for (const fault of faults("noise")) {
      const [noise, ...rest] = linesOf(Chaos.steps(fault, answer))
      assert.deepStrictEqual(rest, [answer.toString().trimEnd()])
      assert.notMatch(noise ?? "", /result|error/)
    }
  })

  it("cuts before a message, in the middle of it, and after it", () => {
    const lengths = new Set(
      faults("cut").map((fault) => Buffer.concat(written(Chaos.steps(fault, answer))).length)
    )
    assert.isTrue(lengths.has(0) && lengths.has(answer.length) && lengths.size > 20)
    for (const fault of faults("cut")) assert.property(Chaos.steps(fault, answer).at(-1), "cut")
  })

  it("bears messages without a byte", () => {
    for (const name of Chaos.faultNames) {
      for (const fault of faults(name, 50)) {
        for (const empty of [Buffer.alloc(0), Buffer.from("\n")]) {
          assert.isAtMost(linesOf(Chaos.steps(fault, empty)).length, 2)
        }
      }
    }
  })
})

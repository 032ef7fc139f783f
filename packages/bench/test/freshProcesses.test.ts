import { assert, describe, it } from "@effect/vitest"
import { render } from "../src/mcpClients/freshProcesses.ts"

describe("a table", () => {
  it("sets ratios to the first client beside what has them", () => {
    const columns = [
      { key: "time", title: "ms", digits: 1, hasRatio: true },
      { key: "left", title: "left", digits: 0 }
    ]
    const medians = new Map([["a", { time: 10, left: 0 }], ["b", { time: 12.5, left: 3 }]])
    const text = render(
      { title: "Two", columns },
      { clients: [["a", "first"], ["b", "the second"]], rounds: 3 },
      medians
    )
    assert.deepStrictEqual(text.split("\n"), [
      "Two (median of 3)",
      "                ms         left",
      "  first       10.0  1.00x     0",
      "  the second  12.5  1.25x     3",
      ""
    ])
  })
})

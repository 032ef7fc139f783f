import { assert, describe, it } from "@effect/vitest"
import * as TextDiff from "effect/TextDiff"
import { summarize } from "../src/internal/textDiff.ts"
import { below, pick, seeded } from "./randomText.ts"

describe("the diff of a change", () => {
  it("is that of the whole texts, wherever the change is", () => {
    for (let seed = 0; seed < 2000; seed++) {
      const random = seeded(seed)
      const lines = Array.from({ length: below(random, 30) }, () => pick(random, ["", "a", "b", "@@ -1 +1 @@", "c\r"]))
      const changed = [...lines]
      for (let change = 0; change <= below(random, 2); change++) {
        const added = Array.from({ length: below(random, 3) }, () => pick(random, ["", "a", "new"]))
        changed.splice(below(random, lines.length + 1), below(random, 3), ...added)
      }
      const [before, after] = [lines, changed].map((each) => each.join("\n") + pick(random, ["", "\n"]))
      if (before === undefined || after === undefined) continue
      const edits = TextDiff.lines(before, after)
      const count = (tag: string) => edits.flatMap(({ _tag, items }) => _tag === tag ? items : []).length
      const summary = summarize(before, after, "f")
      const label = JSON.stringify([before, after])
      assert.deepStrictEqual([summary.added, summary.removed], [count("Insert"), count("Delete")], label)
      assert.strictEqual(summary.diff, TextDiff.unified(edits, { fromFile: "f", toFile: "f" }), label)
    }
  })

  it("costs what the change does, not what the file does", () => {
    const rest = "\n".repeat(8_000_000)
    const started = process.cpuUsage()
    const { diff } = summarize(`${rest}end`, `${rest}END`, "f")
    const { system, user } = process.cpuUsage(started)
    assert.include(diff, "@@ -7999998,4 +7999998,4 @@\n \n \n \n-end\n")
    assert.isBelow((user + system) / 1000, 2000, "ms")
  })
})

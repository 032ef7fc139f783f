import { assert, describe, it } from "@effect/vitest"
import * as CliOutput from "effect/cli/CliOutput"
import { cut, table } from "../src/internal/table.ts"

const rows = [
  ["short", "mcp", "one line\nand another"],
  ["a_rather_long_name_of_a_tool", "builtin", "word ".repeat(2000)],
  ["日本語の名前", "skill", "👩‍👩‍👧 family ".repeat(20)]
]
const head = ["NAME", "SOURCE", "DESCRIPTION"]

describe("table", () => {
  it("fits every width, and cuts descriptions before names", () => {
    for (const width of [30, 40, 79, 80, 200]) {
      const lines = table(head, rows, { width, colors: false }).split("\n")
      assert.lengthOf(lines, 4)
      for (const line of lines) assert.isAtMost(CliOutput.displayWidth(line), width)
    }
    assert.include(table(head, rows, { width: 80, colors: false }), "a_rather_long_name_of_a_tool  builtin  word")
  })

  it("cuts nothing where nothing has to fit", () => {
    const lines = table(head, rows, { width: undefined, colors: false }).split("\n")
    assert.strictEqual(lines[1]?.trimEnd(), "short                         mcp      one line and another")
    assert.isAbove(lines[2]?.length ?? 0, 9000)
  })

  it("lets no cell control the terminal", () => {
    const text = table(["NAME"], [["a\u001B[2Jb\u0007\r\nc"]], { width: 80, colors: false })
    assert.strictEqual(text, "NAME\nab c")
  })

  it("has no colors unless they are wanted", () => {
    assert.notInclude(table(head, rows, { width: 80, colors: false }), "\u001B")
    assert.include(table(head, rows, { width: 80, colors: true }), "\u001B[1m")
  })
})

describe("cut", () => {
  it("splits no character", () => {
    assert.strictEqual(cut("abcdef", 4), "abc…")
    assert.strictEqual(cut("日本語", 4), "日…")
    assert.strictEqual(cut("👩‍👩‍👧👩‍👩‍👧", 3), "👩‍👩‍👧…")
    assert.strictEqual(cut("abc", 3), "abc")
  })
})

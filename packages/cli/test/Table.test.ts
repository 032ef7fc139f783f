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
  it("fits a screen, and cuts descriptions but never a name", () => {
    for (const width of [30, 40, 60, 79, 80, 200]) {
      const shown = table(head, rows, { width, colors: false })
      for (const line of shown.split("\n")) {
        // a name may take more than the screen has, with its kind beside it
        const limit = /^\S+ +\w+$/.test(line) ? Number.POSITIVE_INFINITY : width
        assert.isAtMost(CliOutput.displayWidth(line), limit, line)
      }
      for (const [name = ""] of rows) assert.include(shown, `\n${name} `)
    }
    assert.include(table(head, rows, { width: 80, colors: false }), "\na_rather_long_name_of_a_tool  builtin  word")
  })

  it("puts a description below where a long name leaves no room beside it", () => {
    const name = "n".repeat(45)
    const shown = table(head, [["short", "mcp", "word ".repeat(20)], [name, "mcp", "word ".repeat(20)]], {
      width: 60,
      colors: false
    })
    assert.deepStrictEqual(shown.split("\n"), [
      "NAME   SOURCE  DESCRIPTION",
      "short  mcp     word word word word word word word word word…",
      `${name}  mcp`,
      "    word word word word word word word word word word word…"
    ])
  })

  it("doesn't pad all rows to a huge cell", () => {
    const many = Array.from({ length: 300 }, (_, index) => [`tool_${index}`, "mcp", "text"])
    for (const width of [undefined, 80]) {
      const shown = table(head, [...many, ["x".repeat(3_000_000), "mcp", "text"]], { width, colors: false })
      assert.isBelow(shown.length, 3_000_000 + 300 * 100)
      assert.include(shown, "\ntool_0    mcp     text\n")
      assert.include(shown, `${"x".repeat(1000)}  mcp`)
    }
  })

  it("cuts nothing where nothing has to fit", () => {
    const lines = table(head, rows, { width: undefined, colors: false }).split("\n")
    assert.strictEqual(lines[1]?.trimEnd(), "short                         mcp      one line and another")
    assert.isAbove(lines[2]?.length ?? 0, 9000)
  })

  it("lets no cell control the terminal", () => {
    const nasty = "a\u001B[2Jb\u0007\r\nc"
    const text = table(["NAME", "DESCRIPTION"], [[nasty, nasty]], { width: 80, colors: false })
    assert.strictEqual(text, "NAME  DESCRIPTION\nab c  ab c")
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

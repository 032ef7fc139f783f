/** What is read without a YAML parser means the same to one. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Fields } from "../src/internal/fields.ts"
import { readPlain } from "../src/internal/plainFields.ts"
import { FIELDS_IN_USE, readYaml } from "../src/internal/yamlDocument.ts"

const shown = ({ lineOf, values, warnings }: Fields) => ({
  warnings,
  // of a field that nobody reads the YAML reader keeps no value
  fields: Array.from(values, ([name, value]) => ({
    name,
    value: FIELDS_IN_USE.has(name) ? value : {},
    line: lineOf(name)
  }))
})

const assertSame = (source: string, plain: Fields) =>
  assert.deepStrictEqual(Result.map(readYaml(source), shown), Result.succeed(shown(plain)), JSON.stringify(source))

const valueOf = (line: string) => readPlain(line)?.values.get("name")

describe("plain front matter", () => {
  it("is read without a YAML parser", () => {
    const descriptions = [
      "Fills in forms (PDF, \u201Cany\u201D size), e.g. at 12:30; it's 50% C#, \u{1F371}",
      "\"Forms: see LICENSE # there\"",
      "'Needs \"node\" 24'",
      ">-\n  One: two # three\n  - four",
      ">\n One\n two",
      "|\n   #!/bin/sh\n   a\\b",
      "|-\n  'a'\n  \"b"
    ]
    for (const description of descriptions) {
      const source = [
        "name: pdf-forms",
        `description: ${description}`,
        "license: MIT",
        "nobody-reads-this: a",
        "metadata:",
        "    author: somebody",
        "    version: \"1.0\"",
        "    __proto__: true",
        "tools:",
        "  - Read",
        "  -  Bash(git add:*)",
        `compatibility: ${description}`
      ].join("\n")
      const plain = readPlain(source)
      assert.isDefined(plain, description)
      if (plain !== undefined) assertSame(source, plain)
    }
  })

  it("what takes an interpretation is left to a YAML parser", () => {
    const texts = [
      "a: b",
      "a #b",
      "a:",
      "a ",
      "a\t",
      "\"a\\n\"",
      "'it''s'",
      "[a]",
      "&a b",
      "*a",
      "!a b",
      "| ",
      "~",
      "null"
    ]
    const more = [
      "\uFEFFa",
      "a\u2028b",
      "a\u0000",
      "a\uD800",
      "- a",
      "? a",
      "\"a\" b",
      "@a",
      "`a",
      "%a",
      "#a",
      "{}",
      ""
    ]
    for (const text of [...texts, ...more]) assert.isUndefined(readPlain(`name: ${text}`), JSON.stringify(text))
    const documents = [
      "name: a\n  b",
      "name: a\nname: b",
      "name:",
      "name:\n\n  a: b",
      "name:\n  a: b\n   c: d",
      "name:\n  a: b\n c: d",
      "name:\n  a: b\n  a: c",
      "name:\n  - a: b",
      "name: |",
      "name: |+\n  a",
      "name: |2\n  a",
      "name: | # b\n  a",
      "name: >\n  a\n   b",
      "name: >\n  a\n b",
      "name: >\n  a\n\n  b",
      "name: >\n  a\n  ",
      "name: >\n  a \n  b",
      "name: >\n  \ta",
      "metadata:\n  a: |\n    b",
      "name:\n  - a\n  b: c",
      "name:\n- a",
      "null: a",
      "# a\nname: b",
      `${"n".repeat(65)}: a`,
      "\tname: a",
      ""
    ]
    for (const document of documents) assert.isUndefined(readPlain(document), JSON.stringify(document))
  })

  it("what is no text in YAML stays as it is written", () => {
    for (const text of ["1.0", "0o17", "true", "yes", "2024-01-01", "1e3"]) {
      assert.deepStrictEqual(valueOf(`name: ${text}`), { text })
    }
  })

  it("neither many lines nor long ones take squares of time", () => {
    const size = 1_000_000
    for (
      const text of [" ".repeat(size), `${" ".repeat(size)}\u2028`, `"${"'".repeat(size)}`, `a${" #".repeat(size)}`]
    ) {
      assert.isUndefined(readPlain(`name: ${text}`))
    }
    assert.isDefined(readPlain(`tools:${"\n  - a".repeat(size / 10)}`))
  })

  const Name = Schema.Literals([
    "name",
    "description",
    "metadata",
    "tools",
    "allowed-tools",
    "license",
    "compatibility"
  ])
  const Piece = Schema.Literals([
    "a",
    "1",
    "1.0",
    "0x1F",
    ".5",
    "true",
    "null",
    "Null",
    "~",
    "-",
    ".",
    "...",
    "---",
    " ",
    "  ",
    "\t",
    "\n",
    "\n  ",
    ":",
    ": ",
    " #",
    "#",
    "\"",
    "'",
    "\\",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&",
    "*",
    "!",
    "|",
    ">",
    "%",
    "@",
    "`",
    "?",
    "- ",
    "\u00A0",
    "\u0085",
    "\u2028",
    "\u3000",
    "\uFEFF",
    "\uFFFD",
    "\uD800",
    "\u{1F371}",
    "\0",
    "<<",
    "=",
    "(",
    "/"
  ])
  const Text = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Piece), { maxLength: 3 }), (pieces) => pieces.join(""))
  const Lines = Schema.Literals([
    "N: T",
    "N: aT",
    "N: \"T\"",
    "N: 'T'",
    "N:\n  N: T\n  b: T",
    "N:\n  - T\n  - aT",
    "N: |\n  T\n  aT",
    "N: >-\n  T\n  aT",
    "N:",
    "T"
  ])

  it.prop(
    "means the same to a YAML parser",
    { shapes: Arbitrary.array(Arbitrary.schema(Lines), { maxLength: 3 }), name: Name, other: Name, text: Text },
    ({ name, other, shapes, text }) => {
      const source = shapes.map((shape, index) =>
        shape.replace(/[NT]/g, (part) => part === "T" ? text : index === 0 ? name : other)
      ).join("\n")
      const plain = readPlain(source)
      if (plain !== undefined) assertSame(source, plain)
    },
    { arbitrary: { runs: 5000 } }
  )
})

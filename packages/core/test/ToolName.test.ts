import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { Suggestion, ToolName } from "../src/index.ts"

const candidate = (entry: string, original: string): ToolName.Candidate => ({
  parts: [entry, original],
  entry,
  original
})
const suffix = (entry: string, original: string) =>
  createHash("sha256").update(`${entry}\0${original}`).digest("hex").slice(0, 6)

describe("sanitize", () => {
  it("replaces each character that isn't legal, surrogate pairs as one", () => {
    assert.strictEqual(ToolName.sanitize("a.b c/é-_9"), "a_b_c__-_9")
    assert.strictEqual(ToolName.sanitize("x😀y"), "x_y")
  })
})

describe("byCodePoints", () => {
  it("sorts beyond the basic plane last, unlike UTF-16", () => {
    assert.deepStrictEqual(["😀", "\uFF5E", "b", "a", "ab"].toSorted(ToolName.byCodePoints), [
      "a",
      "ab",
      "b",
      "\uFF5E",
      "😀"
    ])
  })

  it("is an order of all texts that are well formed, that of their code points", () => {
    const texts = [
      "",
      "a",
      "ab",
      "\uD7FF",
      "\uE000",
      "\uFFFF",
      "\u{10000}",
      "\u{10001}",
      "\u{10FFFF}",
      "a\u{10000}",
      "a\uFFFF"
    ]
    const points = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0)
    const expected = (left: string, right: string): number => {
      const [first, second] = [points(left), points(right)]
      const at = first.findIndex((point, index) => point !== second[index])
      return Math.sign(at === -1 ? first.length - second.length : (first[at] ?? 0) - (second[at] ?? -1))
    }
    for (const left of texts) {
      for (const right of texts) assert.strictEqual(ToolName.byCodePoints(left, right), expected(left, right))
    }
  })
})

describe("assign", () => {
  it.effect("keeps plain names where nothing clashes", () =>
    Effect.gen(function*() {
      const names = yield* ToolName.assign([candidate("b", "x"), candidate("a.c", "y")])
      assert.deepStrictEqual(names, ["b_x", "a_c_y"])
    }))

  it.effect("gives a clashing name to the one whose parts need no replacement", () =>
    Effect.gen(function*() {
      const names = yield* ToolName.assign([candidate("a.b", "x"), candidate("a_b", "x")])
      assert.deepStrictEqual(names, [`a_b_x_${suffix("a.b", "x")}`, "a_b_x"])
    }))

  it.effect("gives it to the first pair where none or several are clean", () =>
    Effect.gen(function*() {
      const none = yield* ToolName.assign([candidate("a/b", "x"), candidate("a.b", "x")])
      assert.deepStrictEqual(none, [`a_b_x_${suffix("a/b", "x")}`, "a_b_x"])
      const several = yield* ToolName.assign([candidate("a_b", "c"), candidate("a", "b_c")])
      assert.deepStrictEqual(several, [`a_b_c_${suffix("a_b", "c")}`, "a_b_c"])
    }))

  it.effect("takes more digits when a tool already has the hashed name", () =>
    Effect.gen(function*() {
      const squatter = candidate("a_b", `x_${suffix("a.b", "x")}`)
      const names = yield* ToolName.assign([candidate("a.b", "x"), candidate("a_b", "x"), squatter])
      assert.strictEqual(new Set(names).size, 3)
      assert.strictEqual(names[2], `a_b_x_${suffix("a.b", "x")}`)
    }))

  const Name = Schema.Literals(["a", "a_b", "a.b", "b", "b_c", "c", "b.c"])
  it.effect.prop(
    "is distinct, and the same whatever the order",
    [Schema.Array(Schema.Tuple([Name, Name])).check(Schema.isMaxLength(12)), Schema.Int],
    ([pairs, seed]) =>
      Effect.gen(function*() {
        const distinct = [...new Map(pairs.map((pair) => [pair.join("\0"), candidate(...pair)])).values()]
        const turned = distinct.toSorted((left, right) => hashOf(left, seed) - hashOf(right, seed))
        const names = yield* ToolName.assign(distinct)
        const again = yield* ToolName.assign(turned)
        assert.strictEqual(new Set(names).size, distinct.length)
        assert.deepStrictEqual(turned.map((one) => names[distinct.indexOf(one)]), again)
      })
  )
})

const hashOf = ({ entry, original }: ToolName.Candidate, seed: number): number =>
  createHash("md5").update(`${entry}${original}${seed}`).digest().readUInt32LE(0)

describe("closest", () => {
  it("finds typing errors and parts of names, nearest first, and nothing far", () => {
    assert.deepStrictEqual(Suggestion.closest("comand", ["args", "command", "cwd"], 1), ["command"])
    assert.deepStrictEqual(Suggestion.closest("delete_repo", ["git_delete_repo", "read", "delete_repos"], 3), [
      "delete_repos",
      "git_delete_repo"
    ])
    assert.deepStrictEqual(Suggestion.closest("skill", ["disableSkills", "skillDefs", "skills"], 1), ["skills"])
    assert.deepStrictEqual(Suggestion.misspelled({ mine: 1, polcy: [] }, ["policy", "tools"]), ["polcy", "policy"])
    assert.isUndefined(Suggestion.misspelled({ policy: [], polcy: [] }, ["policy", "tools"]))
    assert.deepStrictEqual(Suggestion.misspelled({ rules: [] }, ["policy"], { rules: "policy" }), ["rules", "policy"])
    assert.isUndefined(Suggestion.misspelled({ constructor: [] }, ["policy"], {}))
    assert.deepStrictEqual(Suggestion.closest("zzzz", ["args", "command"], 3), [])
    assert.deepStrictEqual(Suggestion.closest("x".repeat(100_000), ["x".repeat(100)], 3), [])
  })
})

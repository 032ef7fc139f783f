import { assert, describe, it } from "@effect/vitest"
import { NameFilter } from "../src/index.ts"

const passing = (filter: NameFilter.NameFilter) =>
  ["a", "b", "c", "constructor"].filter((name) => NameFilter.accepts(filter, name))

describe("NameFilter", () => {
  it.each(
    [
      [{}, ["a", "b", "c", "constructor"]],
      [{ a: true }, ["a"]],
      [{ a: true, b: false }, ["a"]],
      [{ b: false }, ["a", "c", "constructor"]],
      [[], []],
      [["b"], ["b"]],
      [["b", "*"], ["a", "b", "c", "constructor"]]
    ] satisfies ReadonlyArray<readonly [ReadonlyArray<string> | Record<string, boolean>, ReadonlyArray<string>]>
  )("of %j lets through %j", (config, expected) => {
    assert.deepStrictEqual(passing(NameFilter.fromConfig(config)), expected)
  })

  it("takes the later of two rules for one name", () => {
    assert.deepStrictEqual(passing(NameFilter.fromRules([["a", false], ["a", true]])), ["a"])
  })

  it("knows which of its names don't exist", () => {
    const existing = new Set(["a"])
    assert.deepStrictEqual(NameFilter.unmatched(NameFilter.fromConfig({ a: true, x: true, y: false }), existing), [
      "x",
      "y"
    ])
    assert.deepStrictEqual(NameFilter.unmatched(NameFilter.fromConfig(["*", "x"]), existing), [])
  })
})

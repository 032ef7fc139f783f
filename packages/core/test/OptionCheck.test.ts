import { assert, describe, it } from "@effect/vitest"
import { OptionCheck } from "../src/index.ts"

const options = { owner: "a rule", keys: { tool: OptionCheck.text, when: OptionCheck.functionOf("a function") } }

describe("OptionCheck", () => {
  it("finds misspelled keys, other names and values of the wrong kind", () => {
    const check = (given: object) => () => OptionCheck.check(given, { ...options, otherNames: { name: "tool" } })
    assert.throws(check({ tol: "x" }), `"tol" is no option of a rule; did you mean "tool"?`)
    assert.throws(check({ name: "x" }), `"name" is no option of a rule; did you mean "tool"?`)
    assert.throws(check({ tool: 1 }), "The tool of a rule must be a text")
    assert.throws(check({ when: "x" }), TypeError)
    for (const fine of [{}, { tool: "x", name: "y" }, { tool: undefined }, { unrelated: 1 }]) {
      assert.doesNotThrow(check(fine))
    }
  })

  it("where a part must not be missed, finds any unknown key, and one without a value", () => {
    const check = (given: object) => () => OptionCheck.check(given, { ...options, isStrict: true })
    assert.throws(check({ unrelated: 1 }), `"unrelated" is no option of a rule; there are tool, when`)
    assert.throws(check({ tool: undefined }), "The tool of a rule must be a text")
    assert.doesNotThrow(check({ tool: "x" }))
  })

  it("knows what a value must be made of", () => {
    const list = OptionCheck.listOf("texts", OptionCheck.text.fits)
    const record = OptionCheck.recordOf("names and texts", OptionCheck.text.fits)
    assert.deepStrictEqual([[], ["a"], [1], "a", { 0: "a" }].map(list.fits), [true, true, false, false, false])
    assert.deepStrictEqual([{}, { a: "a" }, { a: 1 }, ["a"], null].map(record.fits), [true, true, false, false, false])
    assert.deepStrictEqual(["a", "b", ["a"], undefined].map(OptionCheck.oneOf(["a"]).fits), [true, false, false, false])
  })
})

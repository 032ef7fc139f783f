import * as Redaction from "@effect-toolnexus/core/Redaction"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { redactWhole, StreamRedaction } from "../src/internal/streamRedaction.ts"

const pieces = (patterns: ReadonlyArray<string>, chunks: ReadonlyArray<string>) => {
  const redaction = new StreamRedaction(patterns)
  return chunks.map((chunk) => redaction.push(chunk)).join("") + redaction.rest
}

const Word = Schema.Literals(["first-secret", "first-secret-longer", "secret-longer-still", "first-", "-", "x", "\n"])

describe("StreamRedaction", () => {
  it("finds a secret however it is cut", () => {
    const text = "a first-secret, and first-secret."
    for (let cut = 0; cut < text.length; cut++) {
      const redacted = pieces(["first-secret"], [text.slice(0, cut), text.slice(cut)])
      assert.strictEqual(redacted, "a <redacted>, and <redacted>.")
    }
    assert.strictEqual(pieces(["first-secret"], [...text]), "a <redacted>, and <redacted>.")
  })

  it("gives out what can be no part of a secret any more", () => {
    const redaction = new StreamRedaction(["first-secret"])
    assert.strictEqual(redaction.push("a".repeat(100)), "a".repeat(89))
    assert.strictEqual(redaction.rest, "a".repeat(11))
    assert.strictEqual(new StreamRedaction([]).push("all"), "all")
  })

  it("shows no start of a secret whose end never came", () => {
    assert.strictEqual(redactWhole(["first-secret"], "it is first-sec"), "it is <redacted>")
    assert.strictEqual(redactWhole(["first-secret"], "it is first"), "it is first")
    assert.strictEqual(redactWhole(["abcdefghij", "abcdef"], "abcdefgh"), "<redacted>")
    assert.strictEqual(redactWhole(["aaaaaaaa"], "aaaaaaaa"), "<redacted>")
  })

  it("waits for the longer of two that begin alike", () => {
    assert.strictEqual(pieces(["secret-longer", "secret"], ["a secret", "-longer"]), "a <redacted>")
  })

  it.prop(
    "says the same however the text is cut",
    [Schema.Array(Word)],
    ([words]) => {
      const patterns = Redaction.patterns(["first-secret", "first-secret-longer", "secret-longer-still"])
      const redacted = pieces(patterns, words)
      assert.strictEqual(redacted, pieces(patterns, [words.join("")]))
      for (const pattern of patterns) assert.notInclude(redacted, pattern)
    }
  )
})

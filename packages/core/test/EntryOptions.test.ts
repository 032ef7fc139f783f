import { EntryOptions } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const Options = Schema.Struct({
  timeout: Schema.optionalKey(Schema.Finite),
  names: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String }))),
  ...EntryOptions.fields
})

const reader = EntryOptions.makeReader("agent", Options, {
  timeout: "a number",
  names: "a list of {name}",
  ...EntryOptions.expected
})

const place = { entry: "a", path: "agents.a" }

const faultOf = (raw: unknown) =>
  Result.match(reader.read(raw, place), { onSuccess: () => "", onFailure: ({ message }) => message })

describe("EntryOptions", () => {
  it("takes what is known, and leaves out what is there without a value", () => {
    const read = reader.read({ timeout: 5, required: true, maxConcurrent: undefined, comment: "x" }, place)
    assert.deepStrictEqual(Result.getOrThrow(read), { timeout: 5, required: true })
  })

  it("says of every mistake which key it is and what belongs there, and never the value", () => {
    assert.strictEqual(
      faultOf({ timeout: "s3cret", trusted: "s3cret", maxConcurrent: 0.5, names: [{ name: "n", nmae: "s3cret" }] }),
      "agent \"a\" failed at config: timeout must be a number; trusted must be true or false; "
        + "maxConcurrent must be a whole number, at least 1; names must be a list of {name}"
    )
    for (const raw of [null, "text", [], 1]) {
      assert.strictEqual(faultOf(raw), "agent \"a\" failed at config: agents.a must be an object")
    }
  })

  it("has something to say of the keys whether they are taken or not", () => {
    const codes = reader.diagnose({ timeout: 5, requird: true, trusted: "no" }, place).map(({ code, path }) => [
      code,
      path
    ])
    assert.deepStrictEqual(codes, [["unknown-key", "agents.a.requird"], ["timeout-below-second", "agents.a.timeout"]])
    assert.deepStrictEqual(reader.diagnose(null, place), [])
  })

  it("takes an object that breaks whoever reads it for a failure", () => {
    const hostile = {
      get required() {
        throw new Error("s3cret")
      }
    }
    const guarded = reader.guard("a", () => reader.read(hostile, place))
    assert.strictEqual(
      Result.match(guarded, { onSuccess: () => "", onFailure: ({ message }) => message }),
      "agent \"a\" failed at config: it breaks whoever reads it"
    )
    assert.deepStrictEqual(EntryOptions.flagsOf(hostile), {})
  })

  it("knows who is switched off, and what an owner says even of a broken entry", () => {
    assert.isTrue(EntryOptions.isDisabled({ disabled: true, enabled: true }))
    assert.isTrue(EntryOptions.isDisabled({ enabled: false }))
    assert.isFalse(EntryOptions.isDisabled({ disabled: false }))
    assert.deepStrictEqual(EntryOptions.flagsOf({ required: true, trusted: "yes", timeout: {} }), { required: true })
    for (const raw of [null, undefined, 3]) assert.deepStrictEqual(EntryOptions.flagsOf(raw), {})
  })
})

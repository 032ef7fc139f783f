import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { complaints } from "../src/check.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

describe("a check", () => {
  it("passes what is within its limit, and what has none", () => {
    assert.deepStrictEqual(complaints({ a: { value: 1.6, limit: 1.6 }, b: undefined }), [])
  })

  it("complains of what is beyond, and of what is no number", () => {
    assert.deepStrictEqual(complaints({ a: { value: 1.61, limit: 1.6 }, b: { value: Number.NaN, limit: 1 } }), [
      "a: 1.61, but at most 1.6 is right",
      "b: NaN, but at most 1 is right"
    ])
  })

  it("fails where there is no such measurement, whether it is a check or not", () => {
    const exitOf = (...args: ReadonlyArray<string>) => spawnSync("node", [main, ...args]).status
    assert.deepStrictEqual([exitOf("--check", "nothing"), exitOf("nothing")], [1, 1])
  })
})

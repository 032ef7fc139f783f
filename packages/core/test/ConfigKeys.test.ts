import { assert, describe, it } from "@effect/vitest"
import { ConfigKeys } from "../src/index.ts"

const known = ["command", "args"]

describe("check", () => {
  it("names what is unknown by its path, with a close known key", () => {
    assert.deepStrictEqual(
      ConfigKeys.check({ command: 1, comand: 2, zzz: 3 }, { path: "servers.a", entry: "a", known }),
      [
        {
          level: "warning",
          code: "unknown-key",
          entry: "a",
          path: "servers.a.comand",
          message: `"servers.a.comand" is unknown; did you mean "command"?`
        },
        {
          level: "warning",
          code: "unknown-key",
          entry: "a",
          path: "servers.a.zzz",
          message: `"servers.a.zzz" is unknown and was ignored`
        }
      ]
    )
  })

  it("says what has no effect yet, and takes it for known", () => {
    const found = ConfigKeys.check({ later: 1, latr: 2 }, { path: "", known, notYet: ["later"] })
    assert.deepStrictEqual(found.map(({ code, level, path }) => [level, code, path]), [
      ["info", "not-supported-yet", "later"],
      ["warning", "unknown-key", "latr"]
    ])
    assert.include(found[1]?.message, "did you mean \"later\"?")
  })

  it("is quieter about what resembles nothing, where asked", () => {
    const found = ConfigKeys.check({ argz: 1, theme: 2 }, { path: "", known, code: "unknown-tool", strayLevel: "info" })
    assert.deepStrictEqual(found.map(({ code, level }) => [level, code]), [
      ["warning", "unknown-tool"],
      ["info", "unknown-tool"]
    ])
  })

  it("knows no key of a prototype", () => {
    const object: Record<string, unknown> = JSON.parse(`{"__proto__": 1, "toString": 2}`)
    assert.strictEqual(ConfigKeys.check(object, { path: "", known }).length, 2)
  })
})

describe("checkMillis", () => {
  it("asks whether seconds were meant", () => {
    assert.deepStrictEqual(ConfigKeys.checkMillis(30, { path: "a.timeout" }), [{
      level: "warning",
      code: "timeout-below-second",
      path: "a.timeout",
      message: `"a.timeout" is 30 milliseconds; were seconds meant (30000)?`
    }])
    assert.deepStrictEqual(ConfigKeys.checkMillis(1000, { path: "a" }), [])
    assert.deepStrictEqual(ConfigKeys.checkMillis(undefined, { path: "a" }), [])
  })
})

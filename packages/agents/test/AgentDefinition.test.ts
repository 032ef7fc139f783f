/** What a configuration says of an agent, read. */
import { AgentSource } from "@effect-toolnexus/agents"
import { EntryOptions } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"

const decode = (raw: unknown) => AgentSource.decodeDefinition("x", raw, "/folder", "agents.x")

describe("AgentSource.decodeDefinition", () => {
  it("reads an entry, and says what has no effect", () => {
    const { definition, diagnostics } = Result.getOrThrow(
      decode({ card: "http://h", timeout: 30, hedaers: {}, trusted: true, as: "agent", pollEvery: 5 })
    )
    assert.deepStrictEqual(definition, {
      card: "http://h",
      timeout: 30,
      pollEvery: 5,
      trusted: true,
      as: "agent",
      folder: "/folder"
    })
    assert.deepStrictEqual(diagnostics.map(({ code, level, path }) => [level, code, path]), [
      ["warning", "unknown-key", "agents.x.hedaers"],
      ["warning", "timeout-below-second", "agents.x.timeout"]
    ])
    assert.match(diagnostics[0]?.message ?? "", /did you mean "headers"\?/)
  })

  it("reads how many calls may run at once, and whether the build depends on it", () => {
    const raw = { card: "http://h", maxConcurrent: 2, required: true }
    const { definition, diagnostics } = Result.getOrThrow(decode(raw))
    assert.deepStrictEqual(definition, { ...raw, folder: "/folder" })
    assert.deepStrictEqual(diagnostics, [])
    // also where the rest of it is wrong
    assert.deepStrictEqual(EntryOptions.flagsOf({ card: 3, required: true, trusted: "yes" }), { required: true })
    assert.deepStrictEqual(EntryOptions.flagsOf(null), {})
  })

  it("gives the diagnostics of what it refuses, too", () => {
    const raw = { crad: "http://h", timeout: 5 }
    assert.isTrue(Result.isFailure(decode(raw)))
    assert.deepStrictEqual(
      AgentSource.diagnose("x", raw, "agents.x").map(({ code, entry, path }) => [code, entry, path]),
      [
        ["unknown-key", "x", "agents.x.crad"],
        ["timeout-below-second", "x", "agents.x.timeout"]
      ]
    )
    assert.deepStrictEqual(AgentSource.diagnose("x", null, "agents.x"), [])
  })

  it("needs nothing of an entry that is switched off", () => {
    assert.isTrue(Result.isSuccess(decode({ disabled: true })))
    assert.isTrue(Result.isSuccess(decode({ enabled: false })))
  })

  it.each([
    [null, /agents\.x must be an object/],
    [[], /agents\.x must be an object/],
    [{}, /card must be the URL/],
    [{ card: "" }, /card must be the URL/],
    [{ card: "http://h", headers: { a: 12_345_678 } }, /headers must be an object/],
    [{ card: "http://h", maxConcurrent: 0 }, /maxConcurrent must be a whole number/],
    [{ card: "http://h", as: "tool" }, /as must be "agent" or "skills"/],
    [{ card: "http://h", allowOrigins: "12345678" }, /allowOrigins must be a list of origins/],
    [{ card: "http://h", keepContext: 1 }, /keepContext must be true or false/],
    [{ card: "http://h", required: "yes" }, /required must be true or false/],
    [{ card: "http://h", timeout: -1, enabled: "yes" }, /timeout must be .*; enabled must be true or false/]
  ])("refuses %j without showing a value", (raw, message) => {
    const result = decode(raw)
    assert.isTrue(Result.isFailure(result))
    if (!Result.isFailure(result)) return
    assert.strictEqual(result.failure.phase, "config")
    assert.match(result.failure.message, message)
    assert.notInclude(result.failure.message, "12345678")
  })
})

describe("AgentSource.entryName", () => {
  it.each([
    ["https://me:secret@agents.example/weather?key=1#top", "https://agents.example/weather"],
    ["http://127.0.0.1:1234", "http://127.0.0.1:1234"],
    ["http://a@b@h/x@y", "http://h/x@y"],
    ["http://h/", "http://h/"],
    ["${AGENT_URL}", "${AGENT_URL}"],
    ["${env:AGENTS}/a/card.json", "${env:AGENTS}/a/card.json"],
    [" http://user:passw0rd@h/x", "http://h/x"],
    ["http:user:passw0rd@h/x", "http://h/x"],
    ["http:\\\\user:passw0rd@h/x", "http://h/x"],
    ["\thtt\np://user:passw0rd@h?passw0rd", "http://h"]
  ])("%j is %s", (url, name) => {
    assert.strictEqual(AgentSource.entryName(url), name)
  })

  it("shows nothing of what is no http address, and tells such texts apart", () => {
    const texts = [
      "http://u:passw0rd/ss@h",
      "ftp://passw0rd@h",
      "passw0rd",
      "data:,passw0rd",
      "${NAME:-http://u:passw0rd@h}",
      "${NAME}://u:passw0rd@h"
    ]
    const names = texts.map(AgentSource.entryName)
    for (const name of names) assert.match(name, /^invalid-card-url-[0-9a-f]{6}$/)
    assert.strictEqual(new Set(names).size, texts.length)
    for (const value of ["", undefined, null, 3, {}]) {
      assert.strictEqual(AgentSource.entryName(value), "invalid-card-url")
    }
  })
})

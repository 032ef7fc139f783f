import * as Redaction from "@effect-toolnexus/core/Redaction"
import { assert, describe, it } from "@effect/vitest"

const KEY = "-----BEGIN KEY-----\nMIIEvQIBADAN/Bgk\nqhki+G9w0BAQEF\r\n  indented-line\nshort\n-----END KEY-----\n"

describe("make", () => {
  it("takes a secret out, wherever and however often it stands", () => {
    const redact = Redaction.make(["s3cret-token"])
    assert.strictEqual(redact("a s3cret-token, s3cret-tokens3cret-token."), "a <redacted>, <redacted><redacted>.")
  })

  it("leaves alone what is too short to be told from other text", () => {
    assert.strictEqual(Redaction.make(["true", "8080", " 12 ", ""])("true 8080 12"), "true 8080 12")
  })

  it("takes out the longer of two that begin alike", () => {
    assert.strictEqual(Redaction.make(["secret", "secret-longer"])("secret-longer"), "<redacted>")
  })

  it("takes out each line of a value of several", () => {
    const redacted = Redaction.make([KEY])("got MIIEvQIBADAN/Bgk, and qhki+G9w0BAQEF and indented-line and short")
    assert.strictEqual(redacted, "got <redacted>, and <redacted> and <redacted> and short")
    assert.strictEqual(Redaction.make([KEY])(`key: ${KEY}.`), "key: <redacted>.")
  })

  it("takes out a token without the scheme before it", () => {
    const redact = Redaction.make(["Bearer tok-123456", "basic dXNlcjpwYXNz"])
    assert.strictEqual(redact("no such token: tok-123456"), "no such token: <redacted>")
    assert.strictEqual(redact("dXNlcjpwYXNz"), "<redacted>")
    assert.strictEqual(redact("bearer of news"), "bearer of news")
  })

  it("takes out the password of a URL, as it is written and decoded", () => {
    const redact = Redaction.make(["postgres://admin:p%40ssw0rd!@db.example/main", "redis://:hunter2hunter2@cache"])
    assert.strictEqual(redact("FATAL: p%40ssw0rd! refused, p@ssw0rd! too"), "FATAL: <redacted> refused, <redacted> too")
    assert.strictEqual(redact("AUTH hunter2hunter2 at cache"), "AUTH <redacted> at cache")
    // too short to be taken out anywhere, but not beside its user
    assert.strictEqual(Redaction.make(["ftp://user:pw@host"])("user:pw, pw"), "<redacted>, pw")
    // no valid URL, yet what people write
    assert.strictEqual(Redaction.make(["mysql://u:pa@ss%word@h:x/db"])("for pa@ss%word"), "for <redacted>")
  })

  it("takes a secret out of JSON and of URLs", () => {
    const secret = "a\"b\\c d/e\tf"
    const redact = Redaction.make([secret, KEY])
    for (
      const text of [
        JSON.stringify({ secret }),
        `?key=${encodeURIComponent(secret)}`,
        `?${new URLSearchParams({ secret: "a\"b\\c d/e\tf" })}`,
        new URL(`https://host/${secret}/card.json`).href,
        JSON.stringify(JSON.parse(JSON.stringify({ KEY })))
      ]
    ) {
      assert.include(redact(text), "<redacted>")
      for (const part of ["d/e", "d%2Fe", "MII"]) assert.notInclude(redact(text), part)
    }
    assert.strictEqual(redact(encodeURIComponent("MIIEvQIBADAN/Bgk")), "<redacted>")
  })
})

describe("variants", () => {
  it("has the secret itself, and each form once", () => {
    assert.deepStrictEqual(Redaction.variants("plain-secret"), ["plain-secret"])
    assert.deepStrictEqual(Redaction.variants("Bearer a/b"), [
      "Bearer a/b",
      "Bearer%20a%2Fb",
      "Bearer+a%2Fb",
      "Bearer%20a/b",
      "a/b",
      "a%2Fb"
    ])
    assert.deepStrictEqual(Redaction.variants("\ud800-lone").slice(0, 1), ["\ud800-lone"])
    assert.deepStrictEqual(Redaction.variants(""), [])
  })
})

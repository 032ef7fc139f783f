import { HttpAddress } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"

describe("HttpAddress", () => {
  it("takes user info out of the address, for a header", () => {
    const address = HttpAddress.parse(" https://me:p%40ss%word@api.example/v1?key=k1&x=2#there ")
    assert.strictEqual(address?.url.href, "https://api.example/v1?key=k1&x=2#there")
    const basic = btoa("me:p@ss%word")
    assert.deepStrictEqual(address?.headers, { authorization: `Basic ${basic}` })
    for (const secret of ["k1", "2", basic, "me:p@ss%word", "p@ss%word"]) {
      assert.isTrue(address?.secrets.includes(secret), secret)
    }
    assert.strictEqual(address === undefined ? "" : HttpAddress.bareHref(address.url), "https://api.example/v1")
  })

  it("has no header where there is no user info", () => {
    assert.deepStrictEqual(HttpAddress.parse("http://h/a")?.headers, {})
    assert.deepStrictEqual(HttpAddress.parse("http://h/a")?.secrets, [])
    // the user alone is a token
    assert.deepStrictEqual(HttpAddress.parse("http://token@h/a")?.headers, {
      authorization: `Basic ${btoa("token:")}`
    })
    assert.includeMembers([...HttpAddress.parse("http://to%2Fken@h/a")?.secrets ?? []], ["to%2Fken", "to/ken"])
  })

  it("is what whoever fetches it takes for one, and nothing else", () => {
    assert.strictEqual(HttpAddress.parse("http:me:secret@h/x")?.url.href, "http://h/x")
    assert.strictEqual(HttpAddress.parse("/rpc", new URL("https://h:1/card"))?.url.href, "https://h:1/rpc")
    for (const text of ["", "h/x", "ftp://h/x", "file:///x", "/rpc", "http://"]) {
      assert.isUndefined(HttpAddress.parse(text), text)
    }
  })
})

/** Who may lead a request where: what a configuration names, and what others name in its place. */
import { assert, describe, it } from "@effect/vitest"
import { AddressGuard } from "../src/internal/addressGuard.ts"
import { addressSpellings } from "./addressSpellings.ts"

const guardOf = (urls: ReadonlyArray<string>, asked?: string, proxy: Readonly<Record<string, string>> = {}) =>
  new AddressGuard({
    urls: urls.map((url) => new URL(url)),
    ...(asked === undefined ? {} : { asked: new URL(asked) }),
    advice: "name it"
  }, proxy)

const LOCAL = ["127.0.0.1", "::1", "0.0.0.0"]
const PRIVATE = ["10.0.0.1", "192.168.1.1", "fc00::1", "100.64.0.1"]
const PUBLIC = ["8.8.8.8", "2606:4700::1111"]

describe("AddressGuard", () => {
  it("lets a configuration lead anywhere but where clouds keep credentials, unless it has that very address", () => {
    const refusal = guardOf(["http://169.254.1.1:8080/agent", "http://named.example/"], "http://[fe80::1]/").refusal(
      "machine"
    )
    for (const address of ["169.254.1.1", "fe80::1", "fe80:0::1", ...LOCAL, ...PRIVATE, ...PUBLIC]) {
      assert.isUndefined(refusal(address, address), address)
    }
    for (const address of ["169.254.169.254", "fe80::2", "100.100.100.200", "named.example"]) {
      assert.isDefined(refusal(address, address), address)
    }
    assert.isDefined(refusal("169.254.169.254", "named.example"))
    for (const spelling of addressSpellings("169.254.169.254")) assert.isDefined(refusal(spelling, spelling), spelling)
  })

  it("lets nobody lead nearer to this machine than they are", () => {
    const guard = guardOf([])
    for (const host of ["x.example", undefined]) {
      for (const address of [...LOCAL, ...PRIVATE]) assert.isDefined(guard.refusal("public")(address, host ?? address))
      for (const address of LOCAL) assert.isDefined(guard.refusal("network")(address, host ?? address))
      for (const address of [...PRIVATE, ...PUBLIC]) {
        assert.isUndefined(guard.refusal("network")(address, host ?? address))
      }
      for (const address of PUBLIC) assert.isUndefined(guard.refusal("public")(address, host ?? address))
    }
    for (const spelling of addressSpellings("127.0.0.1")) {
      assert.isDefined(guard.refusal("public")(spelling, spelling), spelling)
    }
  })

  it("says where it is, why not, and what allows it", () => {
    const guard = guardOf([])
    assert.strictEqual(
      guard.refusal("public")("10.0.0.1", "x.example"),
      "x.example is at 10.0.0.1, which is private, where what comes from the internet may not lead; to allow it, name it"
    )
    assert.strictEqual(
      guard.refusal("network")("127.0.0.1", "127.0.0.1"),
      "127.0.0.1 is loopback, where what comes from another machine may not lead; to allow it, name it"
    )
  })

  it("lets through hosts that are named, wherever they are, and the document's own address as it is written", () => {
    const refusal = guardOf(["https://api.corp/v1"], "http://192.168.1.5/doc").refusal("public")
    assert.isUndefined(refusal("10.0.0.1", "api.corp"))
    assert.isUndefined(refusal("192.168.1.5", "192.168.1.5"))
    assert.isDefined(refusal("10.0.0.1", "other.corp"))
    assert.isDefined(refusal("192.168.1.6", "192.168.1.6"))
  })

  it("lets a proxy be looked up, and nobody lead to its address, nor to what goes through no proxy", () => {
    const refusal = guardOf([], undefined, {
      HTTP_PROXY: "http://proxy.corp:3128",
      HTTPS_PROXY: "127.0.0.1:80",
      NO_PROXY: "10.1.1.1"
    }).refusal("public")
    assert.isUndefined(refusal("10.0.0.1", "proxy.corp"))
    for (const address of ["127.0.0.1", "10.1.1.1"]) assert.isDefined(refusal(address, address), address)
    const local = guardOf(["http://named.example"], undefined, {
      HTTP_PROXY: "http://localhost:3128",
      HTTPS_PROXY: "http://named.example:3128"
    })
    const problem = local.refusalOfProxy("public", new URL("http://localhost:6379/"))
    assert.strictEqual(
      problem,
      "localhost is a proxy, where what comes from the internet may not lead; to allow it, name it"
    )
    assert.isDefined(local.refusalOfProxy("network", new URL("http://localhost/")))
    assert.isUndefined(local.refusalOfProxy("machine", new URL("http://localhost/")))
    for (const url of ["http://named.example/", "http://other.example/"]) {
      assert.isUndefined(local.refusalOfProxy("public", new URL(url)), url)
    }
    const other = guardOf([], undefined, { NO_PROXY: "169.254.169.254" }).refusal("machine")
    assert.isDefined(other("169.254.169.254", "169.254.169.254"))
    assert.isDefined(guardOf([], undefined, { NO_PROXY: "localhost" }).refusal("public")("127.0.0.1", "localhost"))
  })

  it("doesn't let the name that a document was read under lead elsewhere later", () => {
    const guard = guardOf([], "http://evil.example/doc")
    assert.isUndefined(guard.refusal("machine")("8.8.8.8", "evil.example"))
    assert.isDefined(guard.refusal("public")("127.0.0.1", "evil.example"))
  })

  it("knows of a name the farthest place it has been at, and takes any other for a public one", () => {
    const guard = guardOf([])
    const open = guard.refusal("machine")
    open("10.0.0.1", "mixed.example")
    open("8.8.8.8", "mixed.example")
    open("127.0.0.1", "mixed.example")
    open("10.0.0.1", "inside.example")
    open("127.0.0.1", "localhost")
    const reaches = ["mixed.example", "inside.example", "localhost", "unknown.example", "127.0.0.1", "[::1]", "8.8.8.8"]
      .map((host) => guard.reachOf(new URL(`http://${host}/`)))
    assert.deepStrictEqual(reaches, ["public", "network", "machine", "public", "machine", "machine", "public"])
  })

  it("takes nobody's address of their own for this machine's because it carries one", () => {
    const guard = guardOf([])
    assert.isUndefined(guard.refusal("machine")("2606:4700::5efe:7f00:1", "evil.example"))
    assert.strictEqual(guard.reachOf(new URL("http://evil.example/")), "public")
    assert.strictEqual(guard.reachOf(new URL("http://[2606:4700::5efe:7f00:1]/")), "public")
    assert.isDefined(guard.refusal("public")("2606:4700::5efe:7f00:1", "evil.example"))
  })

  it("takes no refused address for where a name is, and remembers no more names than it should", () => {
    const guard = guardOf([])
    guard.refusal("public")("127.0.0.1", "evil.example")
    assert.strictEqual(guard.reachOf(new URL("http://evil.example/")), "public")
    for (let index = 0; index < 1001; index++) guard.refusal("machine")("10.0.0.1", `h${index}.example`)
    assert.strictEqual(guard.reachOf(new URL("http://h999.example/")), "network")
    assert.strictEqual(guard.reachOf(new URL("http://h1000.example/")), "public")
  })
})

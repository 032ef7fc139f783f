/** Addresses in disguise. */
import { NetworkPolicy } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import { addressSpellings } from "./addressSpellings.ts"

/** Local NAT64, and a Teredo client behind 255.255.255.255. */
const ALSO_RESERVED = /^64:ff9b:1:|^2001:0:.*::$/

describe("NetworkPolicy", () => {
  const open = NetworkPolicy.refusal("open")
  const onlyPublic = NetworkPolicy.refusal("public")

  it("refuses metadata and link-local addresses always, in every spelling", () => {
    for (const address of ["169.254.169.254", "169.254.0.1", "169.254.170.2", "100.100.100.200", "168.63.129.16"]) {
      for (const spelling of addressSpellings(address)) {
        assert.isDefined(open(spelling), spelling)
        assert.isDefined(onlyPublic(spelling), spelling)
      }
    }
    for (
      const address of [
        "fe80::1",
        "fe80::1%eth0",
        "FEBF::1",
        "fd00:ec2::254",
        "fd00:0ec2:0:0:0:0:0:254",
        "fd20:ce::254",
        "[fe80::1]"
      ]
    ) assert.isDefined(open(address), address)
  })

  it("refuses what isn't public where only that is allowed, in every spelling", () => {
    for (
      const address of [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "192.0.2.1"
      ]
    ) {
      for (const spelling of addressSpellings(address)) assert.isDefined(onlyPublic(spelling), spelling)
      assert.isUndefined(open(address), address)
    }
    for (
      const address of ["::1", "::", "fc00::1", "fdff::1", "fec0::1", "ff02::1", "2001:db8::1", "100::1", "3fff::1"]
    ) {
      assert.isDefined(onlyPublic(address), address)
      assert.isUndefined(open(address), address)
    }
  })

  it("lets through what is public, in every spelling", () => {
    for (
      const address of ["8.8.8.8", "1.1.1.1", "172.32.0.1", "172.15.0.1", "100.128.0.1", "192.167.0.1", "11.0.0.1"]
    ) {
      for (const spelling of addressSpellings(address).filter((each) => !ALSO_RESERVED.test(each))) {
        assert.isUndefined(onlyPublic(spelling), spelling)
      }
    }
    for (const address of ["2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888"]) {
      assert.isUndefined(onlyPublic(address), address)
    }
  })

  it("refuses what is no address", () => {
    for (
      const text of ["", "localhost", "a.b", "1.2.3.4@8.8.8.8", "8.8.8.8/../", "8.8.8.8:80", "256.1.1.1", "::g", "1 1"]
    ) {
      assert.isDefined(open(text), text)
    }
  })

  it("knows who can reach an address, in every spelling", () => {
    const cases = [
      ["127.0.0.1", "machine"],
      ["0.0.0.0", "machine"],
      ["10.0.0.1", "network"],
      ["224.0.0.1", "network"],
      ["8.8.8.8", "public"]
    ] as const
    for (const [address, reach] of cases) {
      for (const spelling of addressSpellings(address).filter((each) => !ALSO_RESERVED.test(each))) {
        assert.strictEqual(NetworkPolicy.judge(spelling)?.nearest, reach, spelling)
      }
    }
    assert.deepStrictEqual(
      ["::1", "fe80::1", "fc00::1", "2606:4700::1111"].map((address) => NetworkPolicy.judge(address)?.nearest),
      ["machine", "network", "network", "public"]
    )
    const others = [
      "::ffff:127.0.0.1",
      "64:ff9b::127.0.0.1",
      "2606:4700::5efe:127.0.0.1",
      "2002:7f00:1::",
      "2001:0:7f00:1::"
    ]
    assert.deepStrictEqual(others.map((address) => NetworkPolicy.judge(address)?.farthest), [
      "machine",
      "machine",
      // anybody may answer there, whatever their address looks like
      "public",
      "public",
      "public"
    ])
    assert.isUndefined(NetworkPolicy.judge("localhost"))
    assert.isTrue(NetworkPolicy.judge("169.254.169.254")?.isForbidden)
    assert.isFalse(NetworkPolicy.judge("10.0.0.1")?.isForbidden)
    assert.strictEqual(NetworkPolicy.farther("machine", "network"), "network")
    assert.strictEqual(NetworkPolicy.farther("public", "network"), "public")
  })
})

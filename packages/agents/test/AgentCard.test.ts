import { AgentCard } from "@effect-toolnexus/agents"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"

const LOCATION = new URL("https://me:secret@agents.example/weather/card.json?key=hidden")
const SKILLS = [{ id: "now", name: "Now", description: "d" }]

const read = (document: unknown) => AgentCard.decode(document, LOCATION)
const card = (fields: object) => Result.getOrThrow(read({ name: "a", skills: SKILLS, ...fields }))

describe("AgentCard", () => {
  it("reads a card of 0.3, and goes on with 1.0 at the same address", () => {
    const { alternative, endpoint } = card({ url: "https://h/rpc", protocolVersion: "0.3.0" })
    assert.deepStrictEqual(endpoint, { url: "https://h/rpc", dialect: "0.3", namedFrom: "public" })
    assert.deepStrictEqual(alternative, { url: "https://h/rpc", dialect: "1.0", namedFrom: "public" })
  })

  it("prefers 1.0 on a card that is both, with its tenant, and knows the other address", () => {
    const { alternative, endpoint } = card({
      url: "https://h/old",
      protocolVersion: "0.3",
      supportedInterfaces: [
        { url: "https://h/grpc", protocolBinding: "GRPC", protocolVersion: "1.0" },
        { url: "https://h/v03", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
        { url: "https://h/v1", protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "t" }
      ]
    })
    assert.deepStrictEqual(endpoint, { url: "https://h/v1", dialect: "1.0", tenant: "t", namedFrom: "public" })
    assert.deepStrictEqual(alternative, { url: "https://h/v03", dialect: "0.3", namedFrom: "public" })
  })

  it("begins with 1.0 where an interface of its shape says no version", () => {
    const { endpoint } = card({ supportedInterfaces: [{ url: "/rpc", protocolBinding: "JSONRPC" }] })
    assert.deepStrictEqual(endpoint, { url: "https://agents.example/rpc", dialect: "1.0", namedFrom: "public" })
  })

  it("says of each address who can reach the place that named it", () => {
    const document = { name: "a", skills: SKILLS, url: "https://h/rpc" }
    const { alternative, endpoint } = Result.getOrThrow(AgentCard.decode(document, LOCATION, LOCATION, "network"))
    assert.deepStrictEqual([endpoint.namedFrom, alternative.namedFrom], ["network", "network"])
  })

  it("finds JSON-RPC among the additional interfaces", () => {
    const { endpoint } = card({
      url: "https://h/grpc",
      preferredTransport: "GRPC",
      additionalInterfaces: [{ transport: "HTTP+JSON", url: "https://h/rest" }, {
        transport: "JSONRPC",
        url: "https://h/j"
      }]
    })
    assert.strictEqual(endpoint.url, "https://h/j")
  })

  it("shows its location without user info and query", () => {
    assert.strictEqual(card({ url: "https://h/" }).location, "https://agents.example/weather/card.json")
  })

  it("leaves out a skill without a name and the second one of an id, and says so", () => {
    const { diagnostics, skills } = card({
      url: "https://h/",
      skills: [{ id: "a", description: null }, {}, "nonsense", { name: "b", description: [] }, {
        id: "a",
        name: "other"
      }]
    })
    assert.deepStrictEqual(skills.map(AgentCard.nameOf), ["a", "b"])
    assert.deepStrictEqual(diagnostics.map(({ code, path }) => [code, path]), [
      ["unnamed-skill", "skills.1"],
      ["unnamed-skill", "skills.2"],
      ["duplicate-skill", "skills.4"]
    ])
  })

  it("is called in short, and so are its skills", () => {
    const long = "x".repeat(2000)
    const { name, skills } = card({
      name: long,
      url: "https://h/",
      skills: [{ id: long, name: "short" }, { id: long }]
    })
    assert.strictEqual(name, `${long.slice(0, 1000)}...`)
    assert.deepStrictEqual(skills.map(AgentCard.nameOf), ["short"])
  })

  it.each([
    ["no object", [1], /not an agent card/],
    ["no name", { url: "https://h/", skills: SKILLS }, /not an agent card/],
    ["no interface", { name: "a", skills: SKILLS }, /no JSON-RPC interface/],
    ["an address of no use", { name: "a", url: "file:///etc/passwd", skills: SKILLS }, /no JSON-RPC interface/]
  ])("refuses a card with %s", (_, document, reason) => {
    const result = read(document)
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) assert.match(result.failure, reason)
  })
})

/** Where an agent's card may lead: no nearer to this machine than the card itself is. */
import { AgentSource } from "@effect-toolnexus/agents"
import type { Json } from "@effect-toolnexus/core"
import { TestHttp } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cardOf, done } from "./fixtures/rawAgent.ts"
import { callTool, entriesOf, messageOf, toolsOf } from "./fixtures/support.ts"

const ADDRESSES = {
  "agents.example": "8.8.8.8",
  "rpc.example": "1.1.1.1",
  "inside.example": "192.168.1.7",
  "agent.corp": "10.0.0.1",
  localhost: "127.0.0.1"
}

/** Agents at those addresses, each with the card that is given for its host; what is posted is answered. */
const agentsOn = (cards: Readonly<Record<string, object>>, addresses: Readonly<Record<string, string>> = ADDRESSES) => {
  const posted: Array<string> = []
  const http = TestHttp.layer(({ body, method, url }) => {
    if (method === "GET") {
      const card = cards[url.hostname]
      return card === undefined ? { status: 404 } : { body: JSON.stringify(card) }
    }
    posted.push(url.href)
    const request: { readonly id: string; readonly method: string } = JSON.parse(String(body))
    const result = request.method === "GetExtendedAgentCard" ? cards["extended"] : done
    const answer: Json.JsonObject = JSON.parse(JSON.stringify({ jsonrpc: "2.0", id: request.id, result }))
    return { body: answer }
  }, { addresses })
  return { http, posted }
}

const plain = (base: string, rest: object = {}) => cardOf(base, "1.0", { capabilities: {}, ...rest })

/** What became of a call of the agent whose card is there. */
const callAt = (
  definition: Omit<AgentSource.AgentDefinition, "folder">,
  { http, posted }: ReturnType<typeof agentsOn>
) =>
  Effect.gen(function*() {
    const entries = yield* entriesOf({ helper: definition }, {}, http)
    const [tool] = toolsOf(entries)
    if (tool === undefined) return messageOf(entries[0])
    const called = yield* Effect.result(callTool(tool))
    return called._tag === "Success" ? posted.at(-1) : `${called.failure._tag}: ${called.failure.message}`
  })

const URLS = [
  "http://rpc.example",
  "http://inside.example",
  "http://10.9.9.9",
  "http://localhost:41241",
  "http://[::ffff:127.0.0.1]:9000"
]

describe("a card", () => {
  it.live.each<readonly [string, ReadonlyArray<boolean>]>([
    ["http://agents.example", [true, false, false, false, false]],
    ["http://8.8.4.4", [true, false, false, false, false]],
    ["http://agent.corp", [true, true, true, false, false]],
    ["http://10.0.0.4", [true, true, true, false, false]],
    ["http://localhost:8000", [true, true, true, true, true]],
    ["http://127.0.0.1:8000", [true, true, true, true, true]]
  ])("at %s leads no nearer than it is", ([card, isAsked]) =>
    Effect.gen(function*() {
      for (const [index, url] of URLS.entries()) {
        const outcome = yield* callAt({ card }, agentsOn({ [new URL(card).hostname]: plain(url) }))
        if (isAsked[index] === true) assert.strictEqual(outcome, new URL(`${url}/rpc`).href)
        else {
          assert.match(outcome ?? "", /^ToolUnavailable: .*ERR_ADDRESS_REFUSED: .* is (?:private|loopback)/)
          assert.match(outcome ?? "", /to allow it, add its origin to "allowOrigins"/)
        }
      }
    }))

  it.live("leads where the configuration allows it", () =>
    Effect.gen(function*() {
      for (const url of URLS) {
        const outcome = yield* callAt(
          { card: "http://agents.example", allowOrigins: [url] },
          agentsOn({ "agents.example": plain(url) })
        )
        assert.strictEqual(outcome, new URL(`${url}/rpc`).href)
      }
    }))

  it.live("doesn't lead there by its own name either, once that means another place", () =>
    Effect.gen(function*() {
      const addresses: Record<string, string> = { ...ADDRESSES }
      const agents = agentsOn({ "evil.example": plain("http://evil.example:9000") }, addresses)
      addresses["evil.example"] = "8.8.8.8"
      const [entry] = yield* entriesOf({ helper: { card: "http://evil.example" } }, {}, agents.http)
      addresses["evil.example"] = "127.0.0.1"
      for (const tool of entry?.tools ?? []) {
        assert.include((yield* Effect.flip(callTool(tool))).message, "evil.example is at 127.0.0.1, which is loopback")
      }
      assert.deepStrictEqual([entry?.tools.length, agents.posted], [1, []])
    }))

  it.live("for those it knows leads no nearer than where it came from", () =>
    Effect.gen(function*() {
      const extendable = { capabilities: { extendedAgentCard: true } }
      const agents = (endpoint: string) =>
        agentsOn({ "agent.corp": plain(endpoint, extendable), extended: plain("http://inside.example") })
      const definition = { card: "http://agent.corp", headers: { Key: "k" }, allowOrigins: ["http://rpc.example"] }
      const byStranger = yield* callAt(definition, agents("http://rpc.example"))
      assert.include(byStranger ?? "", "inside.example is at 192.168.1.7, which is private")
      const byNeighbour = yield* callAt(definition, agents("http://agent.corp"))
      assert.strictEqual(byNeighbour, "http://inside.example/rpc")
    }))
})

describe("a redirect of a card", () => {
  it.live("leads no nearer than who redirects", () =>
    Effect.gen(function*() {
      const http = TestHttp.layer(
        ({ url }) =>
          url.hostname === "inside.example"
            ? { body: JSON.stringify(plain("http://inside.example")) }
            : { status: 302, headers: { location: "http://inside.example/card.json" } },
        { addresses: ADDRESSES }
      )
      const [fromOutside] = yield* entriesOf({ helper: { card: "http://agents.example/card.json" } }, {}, http)
      assert.match(messageOf(fromOutside), /^agent "helper" failed at connect: .*inside\.example is at 192\.168\.1\.7/)
      const [fromInside] = yield* entriesOf({ helper: { card: "http://agent.corp/card.json" } }, {}, http)
      assert.strictEqual(fromInside?._tag, "Loaded")
    }))
})

/** Agents as entries: where their cards are found, and what is said of those that aren't. */
import { AgentSource } from "@effect-toolnexus/agents"
import { Source } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { freePort } from "./fixtures/loopback.ts"
import { saying, start } from "./fixtures/scriptedAgent.ts"
import { entriesOf, messageOf, phaseOf, platform, toolsOf } from "./fixtures/support.ts"

const SECRET = "s3cret-token-value"

/** Tool names by entry. */
const namesOf = (entries: Effect.Success<ReturnType<typeof entriesOf>>) =>
  Object.fromEntries(toolsOf(entries).map(({ name, origin }) => [origin.entry, name]))

describe("AgentSource", () => {
  it.live("makes a tool of each skill, where it came from said without credentials", () =>
    Effect.gen(function*() {
      const agent = yield* start({
        speaks: "1.0",
        name: "My Agent",
        skills: [{ id: "a.b", name: "A", description: "does a" }, { name: "plain" }]
      })
      const card = agent.url.replace("//", `//me:${SECRET}@`)
      const [entry] = yield* entriesOf({ helper: { card: `${card}?key=${SECRET}` } })
      const [first, second] = entry?.tools ?? []
      assert.strictEqual(entry?._tag, "Loaded")
      assert.strictEqual(first?.name, "My_Agent_a_b")
      assert.strictEqual(first?.description, "does a")
      assert.strictEqual(second?.name, "My_Agent_plain")
      assert.deepStrictEqual(first?.origin, {
        kind: "a2a",
        entry: "helper",
        name: "a.b",
        location: `${agent.url}/.well-known/agent-card.json`
      })
      assert.deepStrictEqual(first?.inputSchema["required"], ["task"])
      // user info goes out as basic authentication: fetch takes no URL with it
      const expected = `Basic ${Buffer.from(`me:${SECRET}`).toString("base64")}`
      assert.strictEqual(agent.cardRequests[0]?.headers.authorization, expected)
    }))

  it.live("finds the card at the URL itself, or at the older path under it", () =>
    Effect.gen(function*() {
      const direct = yield* start({ speaks: "0.3", cardPath: "/deep/card.json" })
      const older = yield* start({ speaks: "0.3", cardPath: "/base/.well-known/agent.json" })
      const entries = yield* entriesOf({
        direct: { card: `${direct.url}/deep/card.json` },
        older: { card: `${older.url}/base/` }
      })
      assert.deepStrictEqual(entries.map(({ _tag }) => _tag), ["Loaded", "Loaded"])
      assert.strictEqual(direct.cardRequests.length, 1)
      assert.deepStrictEqual(older.cardRequests.map(({ path }) => path), [
        "/base/",
        "/base/.well-known/agent-card.json",
        "/base/.well-known/agent.json"
      ])
    }))

  it.live("keeps the order given, and one bad agent costs the others nothing", () =>
    Effect.gen(function*() {
      const good = yield* start({ speaks: "1.0" })
      const port = yield* freePort
      const entries = yield* entriesOf({
        dead: { card: `http://127.0.0.1:${port}` },
        off: { card: "${NOWHERE}", disabled: true, enabled: true },
        good: { card: good.url }
      })
      assert.deepStrictEqual(entries.map(({ _tag, name }) => [name, _tag]), [
        ["dead", "Failed"],
        ["off", "Disabled"],
        ["good", "Loaded"]
      ])
      assert.strictEqual(phaseOf(entries[0]), "connect")
      assert.match(messageOf(entries[0]), /^agent "dead" failed at connect: .*ECONNREFUSED/)
    }))

  it.live("gives two agents with the same names distinct tools, whatever their order", () =>
    Effect.gen(function*() {
      const one = yield* start({ speaks: "1.0" })
      const two = yield* start({ speaks: "0.3" })
      const there = namesOf(yield* entriesOf({ a: { card: one.url }, b: { card: two.url } }))
      const back = namesOf(yield* entriesOf({ b: { card: two.url }, a: { card: one.url } }))
      assert.strictEqual(there["a"], "helper_answer")
      assert.match(there["b"] ?? "", /^helper_answer_[0-9a-f]{6}$/)
      assert.deepStrictEqual(there, back)
    }))

  it.live("fails in phase initialize on a wrong answer, and says what it was", () =>
    Effect.gen(function*() {
      const cases = {
        missing: [yield* saying("", 404), /no agent card there, nor under it/],
        forbidden: [yield* saying("", 403), /HTTP 403; check the configured headers/],
        html: [yield* saying("<html></html>"), /not JSON/],
        huge: [yield* saying(JSON.stringify({ name: "x".repeat(2 * 1024 * 1024) })), /more than 1048576 bytes/],
        useless: [yield* saying(JSON.stringify({ name: "x", skills: [] })), /no JSON-RPC interface/]
      } as const
      for (const [name, [agent, message]] of Object.entries(cases)) {
        const [entry] = yield* entriesOf({ [name]: { card: agent.url } })
        assert.strictEqual(phaseOf(entry), "initialize", name)
        assert.match(messageOf(entry), message)
      }
    }))

  it.live("gives up on a card that doesn't come, and knows whether anything answered", () =>
    Effect.gen(function*() {
      const silent = yield* start({ speaks: "1.0", intercept: () => true })
      const stalling = yield* start({
        speaks: "1.0",
        intercept: (_, response) => {
          response.writeHead(200)
          response.write("{")
          return true
        }
      })
      const entries = yield* entriesOf({
        silent: { card: silent.url, timeout: 200 },
        stalling: { card: stalling.url, timeout: 200 }
      })
      assert.deepStrictEqual(entries.map(phaseOf), ["connect", "initialize"])
      assert.match(messageOf(entries[0]), /within 200 ms/)
    }))

  it.live("ends a redirect loop", () =>
    Effect.gen(function*() {
      const loop = yield* start({
        speaks: "1.0",
        intercept: (request, response) => {
          response.writeHead(302, { location: request.url })
          response.end()
          return true
        }
      })
      const [entry] = yield* entriesOf({ loop: { card: `${loop.url}/card.json` } })
      assert.match(messageOf(entry), /redirects more than 5 times/)
    }))

  it.live("expands card and headers, and names entry, field and variable where one is missing", () =>
    Effect.gen(function*() {
      const agent = yield* start({ speaks: "1.0" })
      const headers = { Authorization: "Bearer ${TOKEN}" }
      const card = "${AGENT_URL}"
      const [good] = yield* entriesOf({ x: { card, headers } }, { AGENT_URL: agent.url, TOKEN: SECRET })
      const [bad] = yield* entriesOf({ x: { card, headers } }, { AGENT_URL: agent.url })
      assert.strictEqual(good?._tag, "Loaded")
      assert.strictEqual(agent.cardRequests[0]?.headers.authorization, `Bearer ${SECRET}`)
      assert.strictEqual(phaseOf(bad), "config")
      assert.match(messageOf(bad), /^agent "x" failed at config: headers\.Authorization: TOKEN is not set/)
    }))

  it.live("fails what makes no sense by itself, in the words of a file's check", () =>
    Effect.gen(function*() {
      const good = yield* start({ speaks: "1.0" })
      const untyped: Iterable<readonly [string, AgentSource.AgentDefinition]> = JSON.parse(
        JSON.stringify([
          ["empty", {}],
          ["nothing", null],
          ["number", { card: 3, required: true }],
          ["headers", { card: good.url, headers: "none" }],
          ["good", { card: good.url, folder: "/" }]
        ])
      )
      const hostile: AgentSource.AgentDefinition = {
        folder: "/",
        get card(): string {
          throw new Error(SECRET)
        }
      }
      const source = AgentSource.layer({ agents: [...untyped, ["hostile", hostile]] })
      const context = yield* Layer.build(Layer.provide(source, platform))
      const entries = yield* Source.settled(Context.get(context, Source))
      const card = "failed at config: card must be the URL of an agent card, as text"
      assert.deepStrictEqual(entries.map(messageOf), [
        `agent "empty" ${card}`,
        `agent "nothing" failed at config: agents.nothing must be an object`,
        `agent "number" ${card}`,
        `agent "headers" failed at config: headers must be an object of header names and values, both text`,
        "(no error)",
        `agent "hostile" failed at config: it breaks whoever reads it`
      ])
      assert.isTrue(entries[2]?.required)
      assert.strictEqual(entries[4]?._tag, "Loaded")
    }))

  it.live("says of an entry what its owner says of it", () =>
    Effect.gen(function*() {
      const agent = yield* start({ speaks: "1.0" })
      const flags = { required: true, trusted: true }
      const entries = yield* entriesOf({ good: { card: agent.url, ...flags }, bad: { card: "ftp://x", ...flags } })
      assert.deepStrictEqual(entries.map(({ _tag, required, trusted }) => [_tag, required, trusted]), [
        ["Loaded", true, true],
        ["Failed", true, true]
      ])
    }))

  it.live("stops at once when its build is interrupted", () =>
    Effect.gen(function*() {
      const silent = yield* start({ speaks: "1.0", intercept: () => true })
      const fiber = yield* Effect.forkChild(Effect.scoped(entriesOf({ silent: { card: silent.url } })))
      yield* Effect.sleep(100)
      yield* Effect.timeout(Fiber.interrupt(fiber), 500)
    }))
})

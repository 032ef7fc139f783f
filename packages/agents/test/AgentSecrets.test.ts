/** What is secret in a configuration goes to whom it is meant for, and is shown nowhere. */
import { AgentSource } from "@effect-toolnexus/agents"
import { Source } from "@effect-toolnexus/core"
import { TestHttp } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { freePort } from "./fixtures/loopback.ts"
import { cardOf, saying, sendJson, start } from "./fixtures/scriptedAgent.ts"
import { callTool, entriesOf, messageOf, phaseOf, platform, toolsOf } from "./fixtures/support.ts"

const SECRET = "s3cret-token-value"

/** Everything that was traced meanwhile. */
const traced = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  yield* Effect.withTracer(effect, tracer)
  return spans
})

describe("a secret of an agent", () => {
  it.live("doesn't take headers to another origin, neither by redirect nor to the endpoint", () =>
    Effect.gen(function*() {
      const target = yield* start({ speaks: "1.0" })
      const redirecting = yield* start({
        speaks: "1.0",
        intercept: (request, response) => {
          response.writeHead(302, { location: `${target.url}${request.url}` })
          response.end()
          return true
        }
      })
      const elsewhere = yield* start({ speaks: "1.0", card: () => cardOf({ speaks: "1.0" }, `${target.url}/rpc`) })
      const headers = { "X-Api-Key": SECRET, "Authorization": `Bearer ${SECRET}` }
      const entries = yield* entriesOf({
        redirected: { card: `${redirecting.url}/.well-known/agent-card.json`, headers },
        elsewhere: { card: elsewhere.url, headers }
      })
      assert.deepStrictEqual(entries.map(({ _tag }) => _tag), ["Loaded", "Loaded"])
      for (const tool of toolsOf(entries)) yield* callTool(tool)
      assert.strictEqual(elsewhere.cardRequests[0]?.headers["x-api-key"], SECRET)
      assert.strictEqual(target.calls.length, 2)
      for (const { headers: sent } of [...target.cardRequests, ...target.calls]) {
        assert.isUndefined(sent["x-api-key"])
        assert.isUndefined(sent.authorization)
      }
    }))

  it.live("refuses a card and a header that make no request, without showing them", () =>
    Effect.gen(function*() {
      const entries = yield* entriesOf({
        card: { card: `ftp://${SECRET}@h/` },
        value: { card: "http://h", headers: { a: `${SECRET}\n` } },
        name: { card: "http://h", headers: { "a b": SECRET } }
      })
      assert.deepStrictEqual(entries.map(phaseOf), ["config", "config", "config"])
      for (const entry of entries) assert.notInclude(messageOf(entry), SECRET)
    }))

  it.live("shows no credential in any error, even where the agent repeats it", () =>
    Effect.gen(function*() {
      const leaking = yield* start({
        speaks: "1.0",
        intercept: (request, response, base) => {
          if (request.method === "GET") sendJson(response, 200, cardOf({ speaks: "1.0" }, `${base}/rpc`))
          else {
            const message = `bad header ${request.headers.authorization} and ${String(request.headers["x-key"])}`
            sendJson(response, 200, { jsonrpc: "2.0", id: 1, error: { code: -32000, message } })
          }
          return true
        }
      })
      const card = `${leaking.url.replace("//", `//me:${SECRET}@`)}/?key=${SECRET}`
      const entries = yield* entriesOf({ [AgentSource.entryName(card)]: { card, headers: { "X-Key": SECRET } } })
      const error = yield* Effect.flip(Effect.forEach(toolsOf(entries), (tool) => callTool(tool)))
      const shown = `${JSON.stringify(entries)}${JSON.stringify(error)}${String(error)}`
      assert.include(shown, "bad header <redacted> and <redacted>")
      assert.notInclude(shown, SECRET)
      assert.notInclude(shown, Buffer.from(`me:${SECRET}`).toString("base64"))
    }))

  it.live("knows a variable's value wherever it was put, alone too", () =>
    Effect.gen(function*() {
      const leaking = yield* start({
        speaks: "1.0",
        cardPath: `/${SECRET}/card.json`,
        intercept: (request, response) => {
          if (request.method === "GET") return false
          const whole = String(request.headers["x-key"])
          const message = `bad ${whole}, that is ${SECRET}`
          sendJson(response, 200, { jsonrpc: "2.0", id: 1, error: { code: -32000, message } })
          return true
        }
      })
      const variables = { TOKEN: SECRET }
      const headers = { "X-Key": "pre-${TOKEN}-post" }
      const entries = yield* entriesOf({
        good: { card: `${leaking.url}/\${TOKEN}/card.json`, headers },
        missing: { card: `${leaking.url}/\${TOKEN}/none.json`, headers }
      }, variables)
      const error = yield* Effect.flip(Effect.forEach(toolsOf(entries), (tool) => callTool(tool)))
      assert.include(error.message, "bad <redacted>, that is <redacted>")
      assert.match(messageOf(entries[1]), /HTTP 404/)
      assert.strictEqual(entries[0]?.tools[0]?.origin.location, `${leaking.url}/<redacted>/card.json`)
      assert.notInclude(`${JSON.stringify(entries)}${JSON.stringify(error)}${messageOf(entries[1])}`, SECRET)
    }))

  it.live("shows no credential that a card repeats, in no name, description, origin or diagnostic", () =>
    Effect.gen(function*() {
      const agent = yield* start({
        speaks: "1.0",
        card: (base) => ({
          ...cardOf({ speaks: "1.0", name: `agent ${SECRET}` }, `${base}/rpc`),
          skills: [
            { id: `one ${SECRET}`, name: "one", description: `${SECRET} does it` },
            { name: `two ${SECRET}` },
            { name: `two ${SECRET}` }
          ]
        }),
        steps: [{ state: "input-required" }]
      })
      const [entry] = yield* entriesOf({ x: { card: agent.url, headers: { "X-Key": SECRET } } })
      const [one, two] = entry?.tools ?? []
      assert.strictEqual(one?.name, "agent__redacted__one__redacted_")
      assert.strictEqual(one?.description, "<redacted> does it")
      assert.strictEqual(two?.origin.name, "two <redacted>")
      assert.match(entry?.diagnostics[0]?.message ?? "", /A second skill called "two <redacted>"/)
      assert.notInclude(JSON.stringify(entry), SECRET)
      if (one === undefined) return
      const asked = yield* Effect.flip(callTool(one))
      assert.include(asked._tag === "ToolSuspended" ? asked.request.prompt : "", "The agent agent <redacted> needs")
      // the agent itself is asked by the id that it knows
      assert.deepNestedInclude(agent.calls[0]?.params, { "message.metadata.skillId": `one ${SECRET}` })
    }))

  it.live("leaves results as they are", () =>
    Effect.gen(function*() {
      const parts = [{ text: `wrote /srv/${SECRET}/x.txt` }, { url: "file:///x", filename: "x" }]
      const agent = yield* start({ speaks: "1.0", steps: [{ state: "completed", artifacts: [parts] }] })
      const [entry] = yield* entriesOf({ x: { card: agent.url, headers: { "X-Folder": SECRET } } })
      const [result] = yield* Effect.forEach(entry?.tools ?? [], (tool) => callTool(tool))
      assert.strictEqual(result?.output, `wrote /srv/${SECRET}/x.txt`)
      assert.deepStrictEqual(result?.content?.[0], { type: "text", text: `wrote /srv/${SECRET}/x.txt` })
    }))

  it.live("says of a defect an id, under which the cause is logged once and without secrets", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error") logged.push(JSON.stringify(message))
    })
    const broken = TestHttp.layer(() => Effect.die(new Error(`no way with ${SECRET}`)))
    return Effect.gen(function*() {
      const definition = { card: "http://localhost", headers: { "X-Key": SECRET }, folder: "/", required: true }
      const source = AgentSource.layer({ agents: [["x", definition]] })
      const context = yield* Layer.build(Layer.provide(source, Layer.merge(platform, broken)))
      const [entry] = yield* Source.settled(Context.get(context, Source))
      const id = /^agent "x" failed at initialize: it broke unexpectedly \((\S+)\)$/.exec(messageOf(entry))?.[1]
      assert.isDefined(id, messageOf(entry))
      assert.strictEqual(entry?.required, true)
      assert.strictEqual(logged.length, 1)
      assert.include(logged[0], id)
      assert.include(logged[0], "no way with <redacted>")
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.live("shows no credential in a span", () =>
    Effect.gen(function*() {
      const agent = yield* start({ speaks: "1.0" })
      const card = `${agent.url.replace("//", `//me:${SECRET}@`)}/?unusual=${SECRET}`
      const spans = yield* traced(entriesOf({ x: { card, headers: { "X-Key": SECRET } } }))
      const attributes = JSON.stringify(spans.map((span) => [...span.attributes]))
      assert.include(attributes, "toolnexus.entry")
      assert.notInclude(attributes, SECRET)
    }))

  it.live("ends a span with the kind of a failure, and nothing it says", () =>
    Effect.gen(function*() {
      const wrong = yield* saying("what it wrote")
      const good = yield* start({ speaks: "1.0" })
      const spans = yield* traced(entriesOf({
        dead: { card: `http://127.0.0.1:${yield* freePort}` },
        wrong: { card: wrong.url },
        x: { card: good.url }
      }))
      const ended = spans.filter(({ name }) => name === "source.connect").map(({ attributes, status }) => {
        const exit = status._tag === "Ended" ? status.exit : undefined
        assert.notInclude(inspect(exit, { depth: 10 }), "EntryError")
        return `${String(attributes.get("toolnexus.entry"))} ${exit?._tag} ${String(attributes.get("error.type"))}`
      })
      assert.deepStrictEqual(ended.toSorted(), [
        "dead Failure connect",
        "wrong Failure initialize",
        "x Success undefined"
      ])
    }))
})

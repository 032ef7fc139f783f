import { AgentSource } from "@effect-toolnexus/agents"
import { EntryOptions, HttpConnections, Source } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import { createServer } from "node:net"
import { inspect } from "node:util"
import { cardOf, sendJson, start } from "./fixtures/scriptedAgent.ts"
import { callTool, entriesOf, messageOf, phaseOf, platform, toolsOf } from "./fixtures/support.ts"

const SECRET = "s3cret-token-value"

/** A port where nothing listens, because it was just given back. */
const freePort = Effect.promise(() =>
  new Promise<number>((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
)

/** Tool names by entry. */
const namesOf = (entries: Effect.Success<ReturnType<typeof entriesOf>>) =>
  Object.fromEntries(toolsOf(entries).map(({ name, origin }) => [origin.entry, name]))

/** Answers everything with one body. */
const serve = (body: string, status = 200) =>
  start({
    speaks: "1.0",
    intercept: (_, response) => {
      response.writeHead(status)
      response.end(body)
      return true
    }
  })

const decode = (raw: unknown) => AgentSource.decodeDefinition("x", raw, "/folder", "agents.x")

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
        missing: [yield* serve("", 404), /no agent card there, nor under it/],
        forbidden: [yield* serve("", 403), /HTTP 403; check the configured headers/],
        html: [yield* serve("<html></html>"), /not JSON/],
        huge: [yield* serve(JSON.stringify({ name: "x".repeat(2 * 1024 * 1024) })), /more than 1048576 bytes/],
        useless: [yield* serve(JSON.stringify({ name: "x", skills: [] })), /no JSON-RPC interface/]
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
    const broken = Layer.succeed(HttpConnections, {
      open: () => Effect.succeed({ exchange: () => Effect.die(new Error(`no way with ${SECRET}`)) })
    })
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

  it.live("shows no credential in a span", () =>
    Effect.gen(function*() {
      const agent = yield* start({ speaks: "1.0" })
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const card = `${agent.url.replace("//", `//me:${SECRET}@`)}/?unusual=${SECRET}`
      yield* Effect.withTracer(entriesOf({ x: { card, headers: { "X-Key": SECRET } } }), tracer)
      const attributes = JSON.stringify(spans.map((span) => [...span.attributes]))
      assert.include(attributes, "toolnexus.entry")
      assert.notInclude(attributes, SECRET)
    }))

  it.live("ends a span with the kind of a failure, and nothing it says", () =>
    Effect.gen(function*() {
      const wrong = yield* serve("what it wrote")
      const good = yield* start({ speaks: "1.0" })
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          if (options.name === "source.connect") spans.push(span)
          return span
        }
      })
      yield* Effect.withTracer(
        entriesOf({
          dead: { card: `http://127.0.0.1:${yield* freePort}` },
          wrong: { card: wrong.url },
          x: { card: good.url }
        }),
        tracer
      )
      const ended = spans.map(({ attributes, status }) => {
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

  it.live("stops at once when its build is interrupted", () =>
    Effect.gen(function*() {
      const silent = yield* start({ speaks: "1.0", intercept: () => true })
      const fiber = yield* Effect.forkChild(Effect.scoped(entriesOf({ silent: { card: silent.url } })))
      yield* Effect.sleep(100)
      yield* Effect.timeout(Fiber.interrupt(fiber), 500)
    }))
})

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

/** Who is shown what: headers of each request, tokens that are asked for, and the card's own schemes. */
import { AgentCard, AgentSource } from "@effect-toolnexus/agents"
import { type Challenge, RequestHeaders, Source, TokenProvider, ToolCall, ToolError } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { IncomingMessage } from "node:http"
import { cardOf, done, type Options, start } from "./fixtures/rawAgent.ts"
import { callTool, entriesOf, messageOf, platform, toolsOf } from "./fixtures/support.ts"

const TOKEN = "t0ken-of-somebody"

/** Wants a token for everything but its card. */
const guarded =
  (isShown: (headers: IncomingMessage["headers"], path: string) => boolean): Options["answer"] =>
  ({ headers, path }, wire) => {
    if (isShown(headers, path)) return wire.result(done)
    wire.response.writeHead(401, {
      "www-authenticate": `Bearer realm="agents", hint="${[headers["x-key"] ?? ""].join()}"`
    })
    wire.response.end()
  }

const bearer = guarded(({ authorization }) => authorization === `Bearer ${TOKEN}`)

const challenges: Array<Challenge> = []
const tokens = Layer.succeed(TokenProvider, (challenge) =>
  Effect.sync(() => {
    challenges.push(challenge)
    return Option.some(TOKEN)
  }))

describe("the headers of an agent", () => {
  it.live("are made for each request, with what the caller attached, and win over those configured", () =>
    Effect.gen(function*() {
      const agent = yield* start({ answer: (_, wire) => wire.result(done) })
      const seen: Array<unknown> = []
      const made = Layer.succeed(RequestHeaders, (request) =>
        Effect.sync(() => {
          seen.push(request)
          return { "X-Tenant": `tenant of ${String(request.context)}` }
        }))
      const entries = yield* Effect.provide(
        entriesOf({ helper: { card: agent.url, headers: { "X-Tenant": "nobody", "X-Key": "k" } } }),
        made
      )
      for (const tool of toolsOf(entries)) {
        yield* tool.handler({ task: "x" }, ToolCall.make(tool.name, "c", { context: "Ann" }))
      }
      assert.deepInclude(agent.asked[0]?.headers, { "x-tenant": "tenant of Ann", "x-key": "k" })
      assert.strictEqual(agent.cards[0]?.["x-tenant"], "tenant of undefined")
      assert.deepStrictEqual(seen.at(-1), { kind: "agent", entry: "helper", context: "Ann" })
    }))

  it.live("go to another origin only where that is allowed, which is said", () =>
    Effect.gen(function*() {
      const elsewhere = yield* start({ answer: (_, wire) => wire.result(done) })
      const agent = yield* start({ answer: () => {}, card: () => cardOf(elsewhere.url) })
      const definition = { card: agent.url, headers: { "X-Key": TOKEN } }
      const entries = yield* entriesOf({
        closed: definition,
        open: { ...definition, allowOrigins: [`${elsewhere.url}/whatever`] },
        wrong: { ...definition, allowOrigins: ["agents.example"] }
      })
      for (const tool of toolsOf(entries)) yield* callTool(tool)
      assert.deepStrictEqual(elsewhere.asked.map(({ headers }) => headers["x-key"]), [undefined, TOKEN])
      assert.deepStrictEqual(entries.map(({ diagnostics }) => diagnostics.map(({ code }) => code)), [
        ["headers-withheld"],
        [],
        []
      ])
      assert.include(entries[0]?.diagnostics[0]?.message, elsewhere.url)
      assert.match(messageOf(entries[2]), /failed at config: allowOrigins: must hold origins/)
    }))
})

describe("where clouds keep the secrets of a machine", () => {
  const METADATA = "http://169.254.169.254/latest"

  it.live("no redirect leads, and no interface of a card, unless the configuration names it", () =>
    Effect.gen(function*() {
      const moved = yield* start({
        answer: () => {},
        onCard: (_request, response) => {
          response.writeHead(302, { location: METADATA }).end()
          return true
        }
      })
      const [redirected] = yield* entriesOf({ helper: { card: moved.url } })
      assert.match(messageOf(redirected), /ERR_ADDRESS_REFUSED: 169\.254\.169\.254 is link-local/)

      for (
        const url of [METADATA, "http://[::ffff:169.254.169.254]/", "http://2852039166/", "http://100.100.100.200/"]
      ) {
        const agent = yield* start({ answer: () => {}, card: () => cardOf(url) })
        const entries = yield* entriesOf({ helper: { card: agent.url } })
        for (const tool of toolsOf(entries)) {
          const error = yield* Effect.flip(callTool(tool))
          assert.strictEqual(error._tag, "ToolUnavailable")
          assert.include(error.message, "ERR_ADDRESS_REFUSED")
        }
        assert.strictEqual(toolsOf(entries).length, 1)
      }
    }))

  it.live("a call is not sent on by a redirect", () =>
    Effect.gen(function*() {
      const agent = yield* start({
        answer: (_, { response }) => void response.writeHead(307, { location: METADATA }).end()
      })
      const entries = yield* entriesOf({ helper: { card: agent.url } })
      for (const tool of toolsOf(entries)) assert.include((yield* Effect.flip(callTool(tool))).message, "redirects")
      assert.strictEqual(toolsOf(entries).length, 1)
    }))
})

describe("a token", () => {
  it.live("is asked for when the agent asks, once, and sent from then on", () =>
    Effect.gen(function*() {
      challenges.length = 0
      const agent = yield* start({ answer: bearer })
      const entries = yield* Effect.provide(entriesOf({ helper: { card: agent.url } }), tokens)
      for (const tool of toolsOf(entries)) {
        assert.strictEqual((yield* callTool(tool)).output, "42")
        assert.strictEqual((yield* callTool(tool)).output, "42")
      }
      assert.strictEqual(agent.asked.length, 3)
      assert.deepInclude(challenges[0], { kind: "agent", entry: "helper", status: 401, url: `${agent.url}/rpc` })
      assert.strictEqual(challenges.length, 1)
    }))

  it.live("goes where the card wants an API key", () =>
    Effect.gen(function*() {
      const place = (scheme: object) => ({ securitySchemes: { key: scheme }, security: [{ key: [] }] })
      const cases: ReadonlyArray<readonly [object, Options["answer"]]> = [
        [place({ type: "apiKey", in: "header", name: "X-API-Key" }), guarded((sent) => sent["x-api-key"] === TOKEN)],
        [
          {
            securitySchemes: { key: { apiKeySecurityScheme: { location: "query", name: "key" } } },
            securityRequirements: [{ schemes: { key: { list: [] } } }]
          },
          guarded((_, path) => path === `/rpc?key=${TOKEN}`)
        ],
        [
          place({ type: "apiKey", in: "cookie", name: "session" }),
          guarded(({ cookie }) => cookie === `session=${TOKEN}`)
        ],
        [place({ type: "http", scheme: "bearer" }), bearer],
        [place({ type: "oauth2", flows: {} }), bearer],
        [place({ httpAuthSecurityScheme: { scheme: "Bearer" } }), bearer],
        // by these a request is read; no key goes into them
        [place({ type: "apiKey", in: "header", name: "Content-Length" }), bearer]
      ]
      for (const [rest, answer] of cases) {
        const agent = yield* start({ answer, card: (base) => cardOf(base, "1.0", rest) })
        const entries = yield* Effect.provide(entriesOf({ helper: { card: agent.url } }), tokens)
        for (const tool of toolsOf(entries)) assert.strictEqual((yield* callTool(tool)).output, "42")
        assert.strictEqual(agent.asked.length, 2, JSON.stringify(rest))
      }
    }))

  it.live("isn't asked for, nor sent, where an agent listens on an origin that isn't allowed", () =>
    Effect.gen(function*() {
      challenges.length = 0
      const elsewhere = yield* start({ answer: bearer })
      const agent = yield* start({ answer: () => {}, card: () => cardOf(elsewhere.url) })
      const entries = yield* Effect.provide(entriesOf({ helper: { card: agent.url } }), tokens)
      const error = yield* Effect.flip(Effect.forEach(toolsOf(entries), (tool) => callTool(tool)))
      assert.match(error.message, /HTTP 401/)
      assert.deepStrictEqual(challenges, [])
    }))

  it.live("that nobody has is said, with what the card asks for and nothing that is secret", () =>
    Effect.gen(function*() {
      const security = {
        securitySchemes: { b: { type: "http", scheme: "Bearer" }, k: { type: "apiKey", in: "header", name: "X-Key" } },
        security: [{ b: [] }, { k: [] }]
      }
      const agent = yield* start({ answer: bearer, card: (base) => cardOf(base, "1.0", security) })
      const entries = yield* entriesOf({
        without: { card: agent.url },
        wrong: { card: agent.url, headers: { "X-Key": TOKEN } }
      })
      const wanted = `"Authorization: Bearer ...", or an API key, header "x-key"`
      assert.deepStrictEqual(entries.map(({ diagnostics }) => diagnostics.map(({ code }) => code)), [
        ["credentials-wanted"],
        []
      ])
      assert.include(entries[0]?.diagnostics[0]?.message, wanted)
      for (const tool of toolsOf(entries)) {
        const error = yield* Effect.flip(callTool(tool))
        assert.instanceOf(error, ToolError.ToolUnavailable)
        assert.match(
          error.message,
          /HTTP 401 \(Bearer realm="agents", hint="(?:<redacted>)?"\); check the configured headers/
        )
        assert.include(error.message, wanted)
        assert.notInclude(JSON.stringify(error), TOKEN)
      }
    }))
})

describe("an agent whose card is for those it knows", () => {
  const closed: Pick<Options, "onCard"> = {
    onCard: ({ headers }, response) => {
      if (headers.authorization === `Bearer ${TOKEN}`) return false
      response.writeHead(401, { "www-authenticate": "Bearer realm=\"cards\"" })
      response.end()
      return true
    }
  }

  it.live("needs somebody to log in", () =>
    Effect.gen(function*() {
      const agent = yield* start({ answer: () => {}, ...closed })
      const [entry] = yield* entriesOf({ helper: { card: agent.url, required: true } })
      assert.strictEqual(entry?._tag, "NeedsAuth")
      assert.strictEqual(entry?.required, true)
      if (entry !== undefined && "error" in entry) assert.strictEqual(entry.error.challenge, "Bearer realm=\"cards\"")
      assert.match(messageOf(entry), /failed at initialize: .*HTTP 401.*check the configured headers/)
    }))

  it.live("is known by its token", () =>
    Effect.gen(function*() {
      const agent = yield* start({ answer: bearer, ...closed })
      const source = AgentSource.layer({ agents: [["helper", { card: agent.url, folder: "/" }]] })
      const context = yield* Layer.build(Layer.provide(source, Layer.merge(platform, tokens)))
      const [entry] = yield* Source.settled(Context.get(context, Source))
      assert.strictEqual(entry?._tag, "Loaded")
      for (const tool of entry?.tools ?? []) assert.strictEqual((yield* callTool(tool)).output, "42")
    }))
})

describe("what a card says of security", () => {
  it("is read from whatever makes sense of it", () => {
    const read = (rest: object) =>
      Result.getOrThrow(AgentCard.decode({ name: "a", url: "https://h/", ...rest }, new URL("https://h/"))).security
    assert.deepStrictEqual(read({}), { alternatives: [] })
    assert.deepStrictEqual(read({ securitySchemes: [], security: {} }), { alternatives: [] })
    assert.deepStrictEqual(read({ securitySchemes: { a: 3, b: { type: "apiKey" }, c: { type: "mutualTLS" } } }), {
      alternatives: []
    })
    for (const place of ["header", "query", "cookie"]) {
      const endless = { type: "apiKey", in: place, name: "k".repeat(101) }
      assert.deepStrictEqual(read({ securitySchemes: { endless } }), { alternatives: [] })
    }
    const both = [{ _tag: "Authorization", scheme: "Bearer" }, { _tag: "ApiKey", in: "query", name: "k" }] as const
    const schemes = { a: { type: "openIdConnect" }, b: { type: "apiKey", in: "query", name: "k" } }
    assert.deepStrictEqual(read({ securitySchemes: schemes, security: [{ a: [], b: [] }, { unknown: [] }] }), {
      alternatives: [both]
    })
    assert.deepStrictEqual(read({ securitySchemes: schemes }), { alternatives: both.map((scheme) => [scheme]) })
  })
})

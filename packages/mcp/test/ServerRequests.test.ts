import type { Answer } from "@effect-toolnexus/core/Answer"
import { HostResolver, type Resolver } from "@effect-toolnexus/core/HostResolver"
import type { Request } from "@effect-toolnexus/core/Request"
import { ClientRoots, SamplingProvider, SamplingRefused } from "@effect-toolnexus/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { answer as httpAnswer, event, events, httpServer, type Script, text } from "./httpServer.ts"
import { call, define, eventually, open, platform, scripted, toolOf } from "./support.ts"

const tools = [{ name: "question" }, { name: "withdrawn" }, { name: "client" }, { name: "log" }, { name: "never" }]

const connected = (config: object = {}) =>
  Effect.flatMap(open({ a: scripted({ tools }, config) }), ({ entries }) => entries)

const SCHEMA = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }

const form = { method: "elicitation/create", params: { message: "Who are you?", requestedSchema: SCHEMA } }

const byUrl = (url: string) => ({
  method: "elicitation/create",
  params: { mode: "url", message: "Log in", url, elicitationId: "e1" }
})

const withResolver = (resolver: Resolver) => Effect.provideService(HostResolver, resolver)

/** What the server was answered. */
const asking = (request: object, options?: Parameters<typeof call>[2]) =>
  Effect.flatMap(
    connected(),
    (entries) => Effect.map(call(toolOf(entries, "a_question"), request, options), ({ output }) => JSON.parse(output))
  )

const answering = (given: Omit<Answer, "id">): Resolver => ({ id }) => Effect.succeed({ id, ...given })

describe("what a server is told that we can do", () => {
  it.live("is just what the host provides", () =>
    Effect.gen(function*() {
      const capabilities = Effect.flatMap(connected(), (entries) =>
        Effect.map(call(toolOf(entries, "a_client")), ({ output }) => JSON.parse(output)))
      assert.deepStrictEqual(yield* capabilities, {})
      assert.deepStrictEqual(yield* withResolver(answering({ ok: true }))(capabilities), {
        elicitation: { form: {}, url: {} }
      })
      assert.deepStrictEqual(yield* Effect.provideService(capabilities, ClientRoots, []), { roots: {} })
      const sampling = Effect.provideService(capabilities, SamplingProvider, () =>
        Effect.succeed({}))
      assert.deepStrictEqual(yield* sampling, { sampling: {} })
    }).pipe(Effect.provide(platform)))
})

describe("elicitation", () => {
  it.live("asks the host's resolver, and hands on what it answers", () =>
    Effect.gen(function*() {
      const asked: Array<readonly [Request, unknown]> = []
      const resolver: Resolver = (request, context) => {
        asked.push([request, context])
        return Effect.succeed({ id: request.id, ok: true, data: { name: "Ann" } })
      }
      const answer = yield* withResolver(resolver)(asking(form, { context: "user-1" }))
      assert.deepStrictEqual(answer, { action: "accept", content: { name: "Ann" } })
      const [[request, context] = []] = asked
      assert.deepInclude(request, { kind: "input", prompt: "Who are you?", data: { server: "a", schema: SCHEMA } })
      assert.strictEqual(context, "user-1")
    }).pipe(Effect.provide(platform)))

  it.live.each(
    [
      [answering({ ok: false, reason: "declined" }), { action: "decline" }],
      [answering({ ok: false, reason: "cancelled" }), { action: "cancel" }],
      [answering({ ok: false }), { action: "cancel" }],
      [answering({ ok: true, reason: "expired" }), { action: "cancel" }],
      [answering({ ok: true, data: "text" }), { action: "cancel" }],
      [answering({ ok: true }), { action: "accept", content: {} }],
      [() => Effect.die("broken"), { action: "cancel" }],
      [
        () => {
          throw new Error("broken")
        },
        { action: "cancel" }
      ]
    ] satisfies ReadonlyArray<readonly [Resolver, object]>
  )("accepts, declines or cancels: %#", ([resolver, expected]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* withResolver(resolver)(asking(form)), expected)
    }).pipe(Effect.provide(platform)))

  it.live("sends people only where it is safe", () =>
    Effect.gen(function*() {
      const seen: Array<string | undefined> = []
      const resolver: Resolver = ({ id, kind, url }) => {
        seen.push(`${kind} ${url}`)
        return Effect.succeed({ id, ok: true })
      }
      const go = (url: string) => withResolver(resolver)(asking(byUrl(url)))
      assert.deepStrictEqual(yield* go("https://login.example/x"), { action: "accept" })
      assert.deepStrictEqual(yield* go("http://127.0.0.1:1/x"), { action: "accept" })
      for (const url of ["javascript:alert(1)", "http://evil.example", "file:///etc/passwd"]) {
        assert.deepStrictEqual(yield* go(url), { action: "cancel" })
      }
      assert.deepStrictEqual(seen, ["authorization https://login.example/x", "authorization http://127.0.0.1:1/x"])
    }).pipe(Effect.provide(platform)))

  it.live("refuses a question that makes no sense, and one nobody is there for", () =>
    Effect.gen(function*() {
      const yes = withResolver(answering({ ok: true }))
      assert.deepInclude(yield* yes(asking({ method: "elicitation/create", params: {} })), { code: -32602 })
      const odd = { method: "elicitation/create", params: { message: "x", requestedSchema: [] } }
      assert.deepInclude(yield* yes(asking(odd)), { code: -32602 })
      assert.deepInclude(yield* asking(form), { code: -32601 })
    }).pipe(Effect.provide(platform)))

  it.live("may take its time: the limits of the call wait, and go on afterwards", () =>
    Effect.gen(function*() {
      const slow: Resolver = ({ id }) => Effect.as(Effect.sleep("900 millis"), { id, ok: true, data: { name: "Ann" } })
      const entries = yield* withResolver(slow)(connected({ timeout: { call: 300, total: 500 } }))
      const { output } = yield* call(toolOf(entries, "a_question"), form)
      assert.include(output, "Ann")
      const silent = yield* Effect.flip(call(toolOf(entries, "a_never")))
      assert.deepInclude(silent, { _tag: "ToolTimeout", limit: 300, phase: "call" })
    }).pipe(Effect.provide(platform)))

  it.live("that is withdrawn interrupts whoever was asked, and is answered nothing", () =>
    Effect.gen(function*() {
      let isInterrupted = false
      const patient: Resolver = () =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.sync(() => {
            isInterrupted = true
          }))
      const entries = yield* withResolver(patient)(connected())
      assert.strictEqual((yield* call(toolOf(entries, "a_withdrawn"), { ...form, after: 100 })).output, "withdrawn")
      assert.isTrue(isInterrupted)
    }).pipe(Effect.provide(platform)))

  it.live("belongs to the call in whose answer it came, over HTTP", () =>
    Effect.gen(function*() {
      const contexts = new Map<string, unknown>()
      const resolver: Resolver = ({ id, prompt }, context) => {
        contexts.set(prompt, context)
        return Effect.as(Effect.sleep("500 millis"), { id, ok: true, data: { name: String(context) } })
      }
      const waiting = new Map<string, (content: unknown) => void>()
      const script: Script = ({ body }, response) => {
        if (body.id !== undefined && body.method === undefined) {
          waiting.get(String(body.id))?.(body)
          return void response.writeHead(202).end()
        }
        if (body.method !== "tools/call") return false
        const question = `q${body.id}`
        const { message } = Object(body.params?.["arguments"])
        const request = {
          jsonrpc: "2.0",
          id: question,
          method: "elicitation/create",
          params: { message, requestedSchema: SCHEMA }
        }
        events(response, event(request))
        waiting.set(question, (answered) => {
          response.write(event(httpAnswer(body.id, text(JSON.stringify(answered)))))
          response.end()
        })
        return undefined
      }
      const server = yield* httpServer({ script })
      const opened = yield* withResolver(resolver)(open({ a: define({ url: server.url, timeout: { call: 300 } }) }))
      const echo = toolOf(yield* opened.entries, "a_echo")
      const users = ["ann", "bob", "eve"]
      const outputs = yield* Effect.all(
        users.map((context) => call(echo, { message: `Who is ${context}?` }, { context })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...contexts], users.map((user) => [`Who is ${user}?`, user]))
      outputs.forEach(({ output }, index) => assert.include(output, users[index] ?? "nobody"))
    }).pipe(Effect.provide(platform)))
})

describe("other questions of a server", () => {
  it.live("are answered by the host's roots and its model", () =>
    Effect.gen(function*() {
      const roots = [{ uri: "file:///project", name: "project" }]
      const listed = yield* Effect.provideService(asking({ method: "roots/list" }), ClientRoots, roots)
      assert.deepStrictEqual(listed, { roots })
      const params = { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 5 }
      const sample = asking({ method: "sampling/createMessage", params }, { context: "user-1" })
      const result = { role: "assistant", content: { type: "text", text: "hello" }, model: "m" }
      const seen: Array<object> = []
      const sampled = yield* Effect.provideService(sample, SamplingProvider, (request) => {
        seen.push(request)
        return Effect.succeed(result)
      })
      assert.deepStrictEqual([sampled, seen], [result, [{ server: "a", params, context: "user-1" }]])
      const refused = Effect.provideService(
        sample,
        SamplingProvider,
        () => new SamplingRefused({ reason: "not today" })
      )
      assert.deepStrictEqual(yield* refused, { code: -1, message: "not today" })
      const broken = Effect.provideService(sample, SamplingProvider, () => Effect.die("secret"))
      assert.deepStrictEqual(yield* broken, { code: -32603, message: "the client broke unexpectedly" })
    }).pipe(Effect.provide(platform)))
})

describe("what a server logs", () => {
  it.live("is in the host's log, with its level, without its secrets, and not without end", () =>
    Effect.gen(function*() {
      const lines: Array<readonly [string, string]> = []
      const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
        lines.push([logLevel, String(Array.isArray(message) ? message[0] : message)])
      })
      const log = Effect.gen(function*() {
        const entries = yield* connected({ env: { T: "s3cret-value" } })
        const messages = [
          { level: "error", logger: "db", data: "lost s3cret-value" },
          { level: "notice", data: { rows: 3 } },
          { level: "odd", data: "x".repeat(5000) },
          ...Array.from({ length: 200 }, (_, index) => ({ level: "info", data: index }))
        ]
        yield* call(toolOf(entries, "a_log"), { messages })
        yield* eventually(() => lines.length >= 4)
      })
      yield* log.pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual(lines.slice(0, 2), [["Error", "lost <redacted>"], ["Info", "{\"rows\":3}"]])
      assert.isBelow(lines[2]?.[1].length ?? 0, 2100)
      assert.isAtMost(lines.length, 110)
    }).pipe(Effect.provide(platform)))
})

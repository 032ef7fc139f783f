/** What a host may say of an agent beside its address, and what becomes of a card that changes. */
import { AgentSource } from "@effect-toolnexus/agents"
import { RequestHeaders, Source, type SourceEntry, ToolCall, ToolError } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import { cardOf, done, start } from "./fixtures/rawAgent.ts"
import { callTool, entriesOf, platform, toolOf, toolsOf } from "./fixtures/support.ts"

describe("an agent as one tool", () => {
  it.live("has its skills in the description, and no skill in what is sent", () =>
    Effect.gen(function*() {
      const skills = [
        { id: "a", name: "Weather", description: "says  how it\nwill be" },
        { id: "b", name: "Mood", description: "" }
      ]
      const agent = yield* start({
        answer: (_, wire) => wire.result(done),
        card: (base) => cardOf(base, "1.0", { name: "My Agent", skills })
      })
      const tool = yield* toolOf({ card: agent.url, as: "agent" })
      assert.strictEqual(tool.name, "My_Agent")
      assert.strictEqual(tool.description, "Helps\n\nSkills:\n- Weather: says how it will be\n- Mood")
      assert.deepInclude(tool.origin, { kind: "a2a", entry: "helper", name: "My Agent" })
      assert.strictEqual((yield* callTool(tool)).output, "42")
      assert.notProperty(agent.asked[0]?.params.message, "metadata")
    }))

  it.live("needs no skill, and shares names with nobody", () =>
    Effect.gen(function*() {
      const agent = yield* start({ answer: () => {}, card: (base) => cardOf(base, "1.0", { skills: [] }) })
      const definition = { card: agent.url, as: "agent" } as const
      const names = toolsOf(yield* entriesOf({ a: definition, b: definition })).map(({ name }) => name)
      assert.strictEqual(names[0], "helper")
      assert.match(names[1] ?? "", /^helper_[0-9a-f]{6}$/)
    }))
})

describe("a conversation", () => {
  const contexts = Effect.fnUntraced(function*(keepContext: boolean) {
    let refuses = false
    const agent = yield* start({
      answer: ({ before, params }, wire) => {
        if (refuses && params.message?.contextId !== undefined) return wire.error(-32602, "no such context")
        wire.result({ task: { id: `t${before}`, contextId: `c${before}`, status: { state: "TASK_STATE_COMPLETED" } } })
      },
      card: (base) => cardOf(base, "1.0", { capabilities: {} })
    })
    const tool = yield* toolOf({ card: agent.url, keepContext })
    yield* callTool(tool)
    yield* callTool(tool)
    refuses = true
    yield* Effect.exit(callTool(tool))
    yield* callTool(tool)
    const sent = agent.asked.filter(({ method }) => method === "SendMessage").map(({ params }) => params.message)
    return { tool, contexts: sent.map((message) => message?.contextId), tasks: sent.map((message) => message?.taskId) }
  })

  it.live("is kept where that is wanted, never with a finished task, and forgotten when it is refused", () =>
    Effect.gen(function*() {
      const kept = yield* contexts(true)
      assert.deepStrictEqual(kept.contexts, [undefined, "c0", "c1", undefined])
      assert.deepStrictEqual(kept.tasks, [undefined, undefined, undefined, undefined])
      assert.include(JSON.stringify(kept.tool.inputSchema), "It remembers")
      const fresh = yield* contexts(false)
      assert.deepStrictEqual(fresh.contexts, [undefined, undefined, undefined, undefined])
      assert.include(JSON.stringify(fresh.tool.inputSchema), "It knows nothing")
    }))
})

describe("files", () => {
  it.live("that make no sense are invalid arguments, and nothing is sent", () =>
    Effect.gen(function*() {
      const agent = yield* start({ answer: (_, wire) => wire.result(done) })
      const tool = yield* toolOf({ card: agent.url })
      const cases = [
        ["a", /files: must be a list/],
        [["a"], /files\.0: must be an object/],
        [[{}], /files\.0: must have one of text, bytes and uri/],
        [[{ text: "a", uri: "https://h/" }], /files\.0: must have one/],
        [[{ text: "a" }, { bytes: "!!" }], /files\.1: bytes must be base64/],
        [[{ uri: "file:///etc/passwd" }], /a file here goes as text or bytes/],
        [[{ uri: "nowhere" }], /uri must be an address/],
        [Array.from({ length: 101 }, () => ({ text: "a" })), /at most 100 files/],
        [[{ text: "x".repeat(17 * 1024 * 1024) }], /must not measure more/]
      ] as const
      for (const [files, message] of cases) {
        const given = typeof files === "string"
          ? files
          : files.map((file) => typeof file === "string" ? file : { ...file })
        const error = yield* Effect.flip(tool.handler({ task: "x", files: given }, ToolCall.make(tool.name, "c")))
        assert.instanceOf(error, ToolError.InvalidArguments)
        assert.match(error.message, message)
      }
      assert.deepStrictEqual(agent.asked, [])
    }))
})

describe("a card that changes", () => {
  it.effect("changes the entry, and one that is gone leaves it as it was", () =>
    Effect.gen(function*() {
      let skills: ReadonlyArray<object> = [{ id: "one", name: "One" }]
      let isGone = false
      const agent = yield* start({
        answer: (_, wire) => wire.result(done),
        card: (base) => cardOf(base, "1.0", { skills }),
        onCard: (_, response) => {
          if (isGone) response.writeHead(503).end()
          return isGone
        }
      })
      const source = AgentSource.layer({ agents: [["x", { card: agent.url, folder: "/" }]] })
      const context = yield* Layer.build(Layer.provide(source, platform))
      const { entries } = Context.get(context, Source)
      const shown = Effect.map(SubscriptionRef.get(entries), (now) =>
        now.flatMap((entry) => [
          entry._tag,
          ...entry.tools.map(({ name }) => name),
          ...entry.diagnostics.map(({ code }) => code)
        ]))
      const until = (expected: ReadonlyArray<string>) =>
        TestClock.withLive(
          Effect.sleep(10).pipe(
            Effect.andThen(shown),
            Effect.repeat({ until: (now) => now.join() === expected.join() }),
            Effect.timeout(5000)
          )
        )
      yield* until(["Loaded", "helper_one"])
      const before = (yield* SubscriptionRef.get(entries))[0]
      skills = [{ id: "one", name: "One" }, { id: "two", name: "Two" }]
      yield* TestClock.adjust("299 seconds")
      assert.deepStrictEqual(yield* shown, ["Loaded", "helper_one"])
      yield* TestClock.adjust("1 second")
      yield* until(["Loaded", "helper_one", "helper_two"])
      // whoever holds a tool of before can still call it
      for (const tool of before?.tools ?? []) {
        assert.strictEqual((yield* TestClock.withLive(callTool(tool))).output, "42")
      }
      isGone = true
      yield* TestClock.adjust("5 minutes")
      yield* until(["Loaded", "helper_one", "helper_two", "card-not-refreshed"])
      isGone = false
      yield* TestClock.adjust("5 minutes")
      yield* until(["Loaded", "helper_one", "helper_two"])
      // nothing changed, so nobody is told
      const now = yield* SubscriptionRef.get(entries)
      const asked = agent.cards.length
      yield* TestClock.adjust("5 minutes")
      yield* TestClock.withLive(
        Effect.sleep(10).pipe(Effect.repeat({ until: () => agent.cards.length > asked }), Effect.timeout(5000))
      )
      yield* TestClock.withLive(Effect.sleep(100))
      assert.strictEqual(yield* SubscriptionRef.get(entries), now)
    }))

  it.effect("outlives whatever breaks while it is read again", () =>
    Effect.gen(function*() {
      let isBroken = false
      const agent = yield* start({ answer: (_, wire) => wire.result(done) })
      const made = Layer.succeed(
        RequestHeaders,
        () => Effect.suspend(() => isBroken ? Effect.die(new Error("no header")) : Effect.succeed({}))
      )
      const source = AgentSource.layer({ agents: [["x", { card: agent.url, folder: "/" }]] })
      const context = yield* Layer.build(Layer.provide(source, Layer.merge(platform, made)))
      const { entries } = Context.get(context, Source)
      const until = (isSo: (entry: SourceEntry.SourceEntry | undefined) => boolean) =>
        TestClock.withLive(
          Effect.sleep(10).pipe(
            Effect.andThen(SubscriptionRef.get(entries)),
            Effect.repeat({ until: ([entry]) => isSo(entry) }),
            Effect.timeout(5000)
          )
        )
      yield* until((entry) => entry?._tag === "Loaded")
      isBroken = true
      yield* TestClock.adjust("5 minutes")
      const [broken] = yield* until((entry) => entry?.diagnostics.length === 1)
      assert.strictEqual(broken?._tag, "Loaded")
      assert.match(broken?.diagnostics[0]?.message ?? "", /can't be read any more: it broke unexpectedly/)
      isBroken = false
      yield* TestClock.adjust("5 minutes")
      yield* until((entry) => entry?.diagnostics.length === 0)
    }).pipe(Effect.provide(Logger.layer([]))))
})

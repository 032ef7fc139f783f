import {
  AgentRegistry,
  type Change,
  defineTool,
  type Diagnostic,
  HostResolver,
  LogFailures,
  type RemoteAgent,
  Source,
  SourceEntry,
  type Tool,
  Toolkit
} from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"
import { echo, withTools } from "./withTools.ts"

describe("ToolkitLayer.make", () => {
  it.effect("builds sources concurrently, a shared dependency once, and closes them in parallel", () =>
    Effect.gen(function*() {
      let built = 0
      class Shared extends Context.Service<Shared, number>()("test/Shared") {
        static readonly layer = Layer.effect(Shared, Effect.sync(() => ++built))
      }
      const source = (name: string) =>
        Layer.effect(
          Source,
          Effect.gen(function*() {
            yield* Shared
            yield* Effect.acquireRelease(Effect.sleep("100 millis"), () => Effect.sleep("300 millis"))
            const entries = [SourceEntry.loaded(name, { tools: [defineTool({ name, handler: () => name })] })]
            return {
              kind: "extra" as const,
              entries: yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>(entries)
            }
          })
        ).pipe(Layer.provide(Shared.layer))
      const program = Toolkit.use((toolkit) => toolkit.toolNames).pipe(
        Effect.provide(ToolkitLayer.make([source("b"), source("a"), source("c")]))
      )
      const fiber = yield* Effect.forkChild(program)
      yield* TestClock.adjust("100 millis")
      yield* TestClock.adjust("300 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["a", "b", "c"])
      assert.strictEqual(built, 1)
    }))

  it.effect("passes on what the sources provide beside Source", () =>
    Effect.gen(function*() {
      class Extra extends Context.Service<Extra, string>()("test/Extra") {}
      const rich = Layer.merge(Source.fromEntries("extra", []), Layer.succeed(Extra, "rich"))
      assert.strictEqual(yield* Extra.pipe(Effect.provide(ToolkitLayer.make([rich]))), "rich")
    }))

  it.effect("takes a source that breaks for a failed entry, and keeps the others", () =>
    Effect.gen(function*() {
      const broken = Layer.effect(Source, Effect.die(new Error("secret detail")))
      const { errors, toolNames } = yield* Toolkit.use((toolkit) => toolkit.snapshot).pipe(
        Effect.provide(ToolkitLayer.make([broken, ExtraSource.layer([echo])])),
        Effect.provide(Logger.layer([]))
      )
      assert.deepStrictEqual(toolNames, ["echo"])
      assert.match(Object.values(errors).join(), /^source "source \w+" failed at list: it broke unexpectedly \(\w+\)$/)
    }))

  it.effect("logs an entry that fails once for each message, and again when it had worked meanwhile", () =>
    Effect.gen(function*() {
      const error = (detail: string) =>
        new SourceEntry.EntryError({ kind: "mcp", entry: "a", phase: "connect", detail })
      const failed = (detail: string) => SourceEntry.failed(error(detail))
      const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([failed("gone")])
      const lines = yield* Queue.unbounded<string>()
      const logger = Logger.make(({ logLevel, message }) => {
        Queue.offerUnsafe(lines, `${logLevel}: ${String(message)}`)
      })
      const gone = `Warn: mcp server "a" failed at connect: gone`
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        const become = (...now: ReadonlyArray<SourceEntry.SourceEntry>) =>
          Effect.andThen(SubscriptionRef.set(entries, now), toolkit.snapshot)
        assert.deepStrictEqual(yield* Queue.clear(lines), [gone])
        // an attempt, and what another entry does, is no news
        yield* become(SourceEntry.reconnecting("a", error("gone")))
        yield* become(failed("gone"))
        yield* become(failed("gone"), SourceEntry.loaded("b"))
        yield* become(failed("refused"))
        assert.strictEqual(yield* Queue.take(lines), `Warn: mcp server "a" failed at connect: refused`)
        yield* become(SourceEntry.loaded("a"))
        yield* become(SourceEntry.needsAuth(error("gone")))
        assert.strictEqual(yield* Queue.take(lines), gone)
        yield* become(SourceEntry.loaded("a"))
        yield* become(failed("gone"))
        assert.strictEqual(yield* Queue.take(lines), gone)
        assert.deepStrictEqual(yield* Queue.clear(lines), [])
      }).pipe(
        Effect.provide(ToolkitLayer.make([Layer.succeed(Source, { kind: "mcp", entries })])),
        Effect.provide(Logger.layer([logger]))
      )
    }))

  it.effect("logs each diagnostic that is a warning or an error once, and not more than fifty", () =>
    Effect.gen(function*() {
      const lines = yield* Queue.unbounded<string>()
      const logger = Logger.make(({ logLevel, message }) => {
        Queue.offerUnsafe(lines, `${logLevel}: ${String(message)}`)
      })
      const diagnostic = (message: string, level: Diagnostic.Diagnostic["level"] = "warning") => ({
        level,
        code: "unknown-key",
        path: "mcpServers.a.tols",
        message
      })
      const loaded = (
        ...diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
      ): ReadonlyArray<SourceEntry.SourceEntry> => [SourceEntry.loaded("a", { diagnostics })]
      const entries = yield* SubscriptionRef.make(
        loaded(diagnostic("is unknown"), diagnostic("is odd", "error"), diagnostic("is fine", "info"))
      )
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        assert.deepStrictEqual(yield* Queue.clear(lines), [
          "Warn: mcpServers.a.tols: is unknown",
          "Warn: mcpServers.a.tols: is odd"
        ])
        const many = Array.from({ length: 100 }, (_, index) => diagnostic(`is number ${index}`))
        yield* SubscriptionRef.set(entries, loaded(diagnostic("is unknown"), ...many))
        const more = yield* Effect.forEach(Array.from({ length: 48 }), () => Queue.take(lines))
        assert.deepStrictEqual(
          [more[0], more[46]],
          [0, 46].map((index) => `Warn: mcpServers.a.tols: is number ${index}`)
        )
        assert.match(more[47] ?? "", /see `diagnostics`$/)
        yield* SubscriptionRef.set(entries, loaded(diagnostic("is new")))
        yield* toolkit.snapshot
        assert.deepStrictEqual(yield* Queue.clear(lines), [])
      }).pipe(
        Effect.provide(ToolkitLayer.make([Layer.succeed(Source, { kind: "mcp", entries })])),
        Effect.provide(Logger.layer([logger]))
      )
    }))

  it.effect("logs no failures for a host that shows them itself, and outlives a logger that breaks", () =>
    Effect.gen(function*() {
      const error = new SourceEntry.EntryError({ kind: "agent", entry: "a", phase: "connect", detail: "gone" })
      let count = 0
      const broken = Logger.make(() => {
        count++
        throw new Error("no disk")
      })
      const build = Toolkit.use(({ errors }) => errors).pipe(
        Effect.provide(ToolkitLayer.make([Source.fromEntries("agent", [SourceEntry.failed(error)])])),
        Effect.provide(Logger.layer([broken]))
      )
      assert.deepStrictEqual(Object.keys(yield* Effect.provideService(build, LogFailures, false)), ["a"])
      assert.strictEqual(count, 0)
      assert.deepStrictEqual(Object.keys(yield* build), ["a"])
      assert.strictEqual(count, 1)
    }))

  it.effect("follows its sources, and streams the snapshots", () =>
    Effect.gen(function*() {
      const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([])
      const source = Layer.succeed(Source, { kind: "extra", entries })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        assert.deepStrictEqual(yield* toolkit.toolNames, [])
        const first = yield* Deferred.make<void>()
        const seen = yield* toolkit.changes.pipe(
          Stream.tap(() => Deferred.succeed(first, undefined)),
          Stream.map(({ added, snapshot }) => [snapshot.toolNames, added]),
          Stream.take(2),
          Stream.runCollect,
          Effect.forkChild
        )
        yield* Deferred.await(first)
        yield* SubscriptionRef.set(entries, [SourceEntry.loaded("x", { tools: [echo] })])
        assert.deepStrictEqual(yield* Fiber.join(seen), [[[], []], [["echo"], ["echo"]]])
        assert.strictEqual((yield* toolkit.execute("echo", { a: 1 })).output, `{"a":1}`)
      }).pipe(Effect.provide(ToolkitLayer.make([source])))
    }))

  it.effect("shows and calls at once what a source has just learned", () =>
    Effect.gen(function*() {
      const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([])
      const source = Layer.succeed(Source, { kind: "extra", entries })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        yield* SubscriptionRef.set(entries, [SourceEntry.loaded("x", { tools: [echo] })])
        assert.strictEqual((yield* toolkit.call("echo", { a: 1 })).output, `{"a":1}`)
        yield* SubscriptionRef.set(entries, [])
        assert.deepStrictEqual(yield* toolkit.toolNames, [])
      }).pipe(Effect.provide(ToolkitLayer.make([source])))
    }))

  it.effect("gives the same snapshot until something changes", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      assert.strictEqual(yield* toolkit.snapshot, yield* toolkit.snapshot)
      assert.strictEqual(yield* toolkit.tools, (yield* toolkit.snapshot).tools)
      assert.strictEqual(Option.getOrUndefined(yield* toolkit.get("echo"))?.name, "echo")
      assert.isTrue(Option.isNone(yield* toolkit.get("constructor")))
    }).pipe(withTools(echo)))

  it.effect("renders the plain shape of each provider", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const parameters = { type: "object", properties: {} }
      assert.deepStrictEqual(yield* toolkit.toOpenAI(), [
        { type: "function", function: { name: "echo", description: "", parameters } }
      ])
      assert.deepStrictEqual(yield* toolkit.toOpenAI({ mode: "responses" }), [
        { type: "function", name: "echo", description: "", parameters, strict: false }
      ])
      assert.deepStrictEqual(yield* toolkit.toAnthropic(), [{
        name: "echo",
        description: "",
        input_schema: parameters
      }])
      assert.deepStrictEqual(yield* toolkit.toGemini(), [
        { functionDeclarations: [{ name: "echo", description: "echo", parametersJsonSchema: parameters }] }
      ])
    }).pipe(withTools(echo)))
})

describe("changes", () => {
  it.effect("says what is new, gone and described otherwise, and not what only moved", () =>
    Effect.gen(function*() {
      const tool = (name: string, description: string) => defineTool({ name, description, handler: () => name })
      const entry = (...tools: ReadonlyArray<Tool.Tool>) => [SourceEntry.loaded("x", { tools })]
      const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>(
        entry(tool("a", "1"), tool("b", "1"), tool("c", "1"))
      )
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        const changes = yield* Queue.unbounded<Change>()
        yield* Effect.forkChild(Stream.runForEach(toolkit.changes, (change) => Queue.offer(changes, change)))
        assert.deepStrictEqual((yield* Queue.take(changes)).added, [])
        yield* SubscriptionRef.set(entries, entry(tool("c", "1"), tool("b", "2"), tool("d", "1")))
        const { added, changed, removed } = yield* Queue.take(changes)
        assert.deepStrictEqual([added, removed, changed], [["d"], ["a"], ["b"]])
      }).pipe(Effect.provide(ToolkitLayer.make([Layer.succeed(Source, { kind: "extra", entries })])))
    }))

  it.live("end with the toolkit", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(ToolkitLayer.make([ExtraSource.layer([echo])]), scope)
      const seen = yield* Effect.forkChild(Stream.runCollect(Context.get(context, Toolkit).changes))
      yield* Effect.sleep("20 millis")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(seen)).length, 1)
    }))
})

describe("register, unregister and view", () => {
  it.effect("add and take away tools of one's own, below those given when it was built", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const named = (name: string, text: string) => defineTool({ name, handler: () => text })
      yield* toolkit.register(named("late", "one"), named("echo", "another"), named("off", "disabled"))
      assert.deepStrictEqual(yield* toolkit.toolNames, ["echo", "late"])
      assert.strictEqual((yield* toolkit.call("late")).output, "one")
      assert.strictEqual((yield* toolkit.call("echo", {})).output, "{}")
      assert.deepStrictEqual((yield* toolkit.shadowed).map(({ name }) => name), ["echo"])
      assert.isTrue(yield* toolkit.unregister("late"))
      assert.isFalse(yield* toolkit.unregister("late"))
      assert.strictEqual((yield* Effect.flip(toolkit.call("late")))._tag, "ToolNotFound")
    }).pipe(Effect.provide(ToolkitLayer.make([ExtraSource.layer([echo])], { disableTools: ["off"] }))))

  it.effect("a view neither lists nor calls what it leaves out, and follows the toolkit", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const named = (name: string) => defineTool({ name, handler: () => name })
      const view = toolkit.view({ include: ["git_*", "echo", "*_a*z"], exclude: ["git_push"] })
      yield* toolkit.register(named("git_log"), named("git_push"), named("other"), named("x_abcz"), named("x_z"))
      assert.deepStrictEqual(yield* view.toolNames, ["echo", "git_log", "x_abcz"])
      assert.strictEqual((yield* view.call("git_log")).output, "git_log")
      assert.strictEqual((yield* Effect.flip(view.call("git_push")))._tag, "ToolNotFound")
      assert.strictEqual(yield* view.snapshot, yield* view.snapshot)
      const narrower = view.view({ exclude: ["echo"] })
      assert.deepStrictEqual(yield* narrower.toolNames, ["git_log", "x_abcz"])
      assert.strictEqual((yield* toolkit.toolNames).length, 6)
      for (const options of [["echo"], [], "echo", { include: "echo" }, { includes: ["echo"] }, { exclude: [1] }]) {
        assert.throws(() => Reflect.apply(toolkit.view, toolkit, [options]), /A view takes { include, exclude }/)
      }
    }).pipe(withTools(echo)))
})

describe("addAgent", () => {
  const agentTool = (name: string) => ({
    ...defineTool({ name, source: "a2a", handler: () => name }),
    inputSchema: { type: "object" as const }
  })
  const settle = (agent: RemoteAgent, name: string): SourceEntry.SourceEntry =>
    agent.card === "slow" ? SourceEntry.connecting(name) : SourceEntry.loaded(name, {
      tools: [agentTool(agent.card), agentTool("echo")]
    })
  const agents = Layer.effectContext(Effect.gen(function*() {
    const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([])
    const add = (agent: RemoteAgent, name = "unnamed") =>
      SubscriptionRef.update(entries, (now) => [...now, settle(agent, name)]).pipe(
        Effect.andThen(agent.card === "slow" ? Effect.never : Effect.succeed(settle(agent, name)))
      )
    return Context.make(Source, { kind: "agent", entries }).pipe(Context.add(AgentRegistry, { add }))
  }))

  it.effect("brings an agent's tools in, behind the pipeline, by precedence and disabled names", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const { entry, id } = yield* toolkit.addAgent({ card: "one" }, "helper")
      assert.deepStrictEqual([id, entry._tag], ["helper", "Loaded"])
      assert.strictEqual((yield* toolkit.execute("one")).output, "one")
      yield* toolkit.addAgent({ card: "off" }, "other")
      assert.deepStrictEqual(yield* toolkit.toolNames, ["echo", "one"])
      assert.deepStrictEqual((yield* toolkit.tools).map(({ source }) => source), ["native", "a2a"])
    }).pipe(Effect.provide(ToolkitLayer.make([ExtraSource.layer([echo]), agents], { disableTools: ["off"] }))))

  it.live("ends with the toolkit, and says so", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const toolkit = Context.get(yield* Layer.buildWithScope(ToolkitLayer.make([agents]), scope), Toolkit)
      const adding = yield* Effect.forkChild(toolkit.addAgent({ card: "slow" }, "slow"), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      for (const { entry } of [yield* Fiber.join(adding), yield* toolkit.addAgent({ card: "x" }, "late")]) {
        assert.include(entry._tag === "Failed" ? entry.error.message : "", "the toolkit is closed")
      }
    }))

  it.effect("says what is missing where no source takes agents", () =>
    Effect.gen(function*() {
      const { entry } = yield* Toolkit.use((toolkit) => toolkit.addAgent({ card: "x" }))
      assert.include(entry._tag === "Failed" ? entry.error.message : "", "AgentSource.layer")
    }).pipe(Effect.provide(ToolkitLayer.make([]))))
})

describe("waitFor", () => {
  it.effect("is the option, else the service, else nobody", () =>
    Effect.gen(function*() {
      const own = () => Effect.succeed({ id: "own", ok: true })
      const service = () => Effect.succeed({ id: "service", ok: true })
      const of = (layer: Layer.Layer<Toolkit, SourceEntry.RequiredEntriesFailed>) =>
        Effect.provide(Toolkit.useSync(({ waitFor }) => waitFor), layer)
      assert.isUndefined(yield* of(ToolkitLayer.make([])))
      const given = Layer.succeed(HostResolver, service)
      assert.strictEqual(yield* of(Layer.provide(ToolkitLayer.make([]), given)), service)
      assert.strictEqual(yield* of(Layer.provide(ToolkitLayer.make([], { waitFor: own }), given)), own)
    }))
})

describe("views", () => {
  it.effect("hide excluded tools in their entries too, and no entry holds a way around the pipeline", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const view = toolkit.view({ exclude: ["echo"] })
      assert.deepStrictEqual((yield* view.entries).flatMap(({ entry }) => entry.tools), [])
      const [tool] = (yield* toolkit.entries).flatMap(({ entry }) => entry.tools)
      assert.strictEqual(tool, (yield* toolkit.tools)[0])
    }).pipe(withTools(echo)))

  it.effect("render a provider's shape once for each snapshot", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      assert.strictEqual(yield* toolkit.toOpenAI(), yield* toolkit.toOpenAI({ mode: "chat" }))
      const before = yield* toolkit.toAnthropic()
      yield* toolkit.register(defineTool({ name: "new", handler: () => "" }))
      assert.strictEqual((yield* toolkit.toAnthropic()).length, before.length + 1)
    }).pipe(withTools(echo)))
})

describe("startup and required", () => {
  const error = new SourceEntry.EntryError({ kind: "mcp", entry: "x", phase: "spawn", detail: "gone" })
  const slow = Layer.effect(
    Source,
    Effect.gen(function*() {
      const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([SourceEntry.connecting("x")])
      const loaded = SubscriptionRef.set(entries, [SourceEntry.loaded("x", { tools: [echo] })])
      yield* Effect.forkScoped(Effect.delay(loaded, "5 seconds"))
      return { kind: "mcp" as const, entries }
    })
  )

  it.effect("waits for every entry, or returns at once", () =>
    Effect.gen(function*() {
      const names = Toolkit.use((toolkit) => toolkit.toolNames)
      const background = ToolkitLayer.make([slow], { startup: "background" })
      const connecting = Toolkit.use((toolkit) => toolkit.statuses).pipe(Effect.provide(background))
      assert.deepStrictEqual({ ...yield* connecting }, { x: "connecting" })
      const waiting = yield* Effect.forkChild(names.pipe(Effect.provide(ToolkitLayer.make([slow]))))
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(waiting), ["echo"])
    }))

  it.effect("fails as one when required entries have, and names them all", () =>
    Effect.gen(function*() {
      const entries = [SourceEntry.failed(error, { required: true }), SourceEntry.failed(error)]
      const other = new SourceEntry.EntryError({ kind: "agent", entry: "y", phase: "connect", detail: "refused" })
      const sources = [
        Source.fromEntries("mcp", entries),
        Source.fromEntries("agent", [SourceEntry.failed(other, { required: true })])
      ]
      for (const startup of ["wait", "background"] as const) {
        const failure = yield* Effect.flip(Effect.scoped(Layer.build(ToolkitLayer.make(sources, { startup }))))
        assert.deepStrictEqual(failure.entries.map(({ entry }) => entry), ["x", "y"])
        assert.include(failure.message, `mcp server "x" failed at spawn: gone; agent "y" failed at connect: refused`)
      }
    }))
})

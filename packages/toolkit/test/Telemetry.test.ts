import { defineTool, ToolError, Toolkit } from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { FakeA2aAgent, InMemoryMcpServer } from "@effect-toolnexus/testing"
import { ToolkitLive } from "@effect-toolnexus/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"

const SECRET = "a secret in the arguments"

const tools = [
  defineTool({ name: "slow", handler: () => Effect.as(Effect.sleep("2 seconds"), "done") }),
  defineTool({
    name: "failing",
    handler: (args, { toolName }) => Effect.fail(new ToolError.ToolFailed({ toolName, message: JSON.stringify(args) }))
  }),
  defineTool({
    name: "kept",
    handler: () =>
      Effect.gen(function*() {
        yield* Effect.annotateCurrentSpan("secret", SECRET)
        const { attributes, parent } = yield* Effect.currentSpan
        return {
          parent: Option.match(parent, { onNone: () => "", onSome: nameOf }),
          attributes: [...attributes.keys()]
        }
      })
  }),
  defineTool({ name: "parent", handler: () => Effect.map(Effect.currentSpan, ({ name }) => name) })
]
const layer = ToolkitLayer.make([ExtraSource.layer(tools)])

const nameOf = (span: Tracer.AnySpan): string => span._tag === "Span" ? span.name : ""

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
  yield* Effect.provideService(effect, Tracer.Tracer, tracer)
  return spans
})

describe("Telemetry", () => {
  it.effect("names a call by the conventions, and keeps contents out of it", () =>
    Effect.gen(function*() {
      const spans = yield* traced(
        Toolkit.use((toolkit) => toolkit.execute("failing", { text: SECRET }, { callId: "c1" }))
      )
      const [span] = spans.filter(({ name }) => name === "tool.call")
      assert.deepInclude(Object.fromEntries(span?.attributes ?? []), {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "failing",
        "gen_ai.tool.call.id": "c1",
        "toolnexus.source": "native",
        "error.type": "ToolFailed"
      })
      assert.notInclude(JSON.stringify([...span?.attributes ?? []]) + JSON.stringify(span?.status, printable), SECRET)
    }).pipe(Effect.provide(layer)))

  it.live("traces the build, and how its entries were reached", () =>
    Effect.gen(function*() {
      const { cardUrl } = yield* FakeA2aAgent.make()
      const server = yield* InMemoryMcpServer.make({ tools: [{ name: "t", handler: () => "" }] })
      const build = Layer.build(
        ToolkitLive({ config: { mcpServers: { server } }, agents: { helper: { card: cardUrl } } })
      )
      const spans = yield* traced(Effect.scoped(build))
      const named = spans.map(({ attributes, name }) =>
        [name, attributes.get("toolnexus.entry")].filter(Boolean).join(" ")
      )
      assert.includeMembers(named, [
        "toolkit.build",
        "source.connect server",
        "source.list server",
        "source.connect helper"
      ])
    }))

  it.effect("is the parent of what a handler traces", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      assert.strictEqual((yield* toolkit.call("parent")).output, "tool.call")
    }).pipe(Effect.provide(layer)))

  it.effect("keeps nothing where no tracer is installed, and is below the caller's own", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      for (const caller of ["first", "second"]) {
        const { structured } = yield* Effect.withSpan(toolkit.call("kept"), caller)
        assert.deepStrictEqual(structured, { parent: caller, attributes: [] })
      }
    }).pipe(Effect.provide(layer)))

  it.effect("measures how long calls took, and which failed", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const slow = yield* Effect.forkChild(toolkit.call("slow"))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(slow)
      yield* toolkit.execute("failing")
      const measured = (yield* Metric.snapshot).filter(({ id }) => id === "gen_ai.execute_tool.duration")
      const of = (tool: string) => measured.find(({ attributes }) => attributes?.["gen_ai.tool.name"] === tool)
      assert.deepInclude(of("slow")?.state, { count: 1, sum: 2 })
      assert.strictEqual(of("failing")?.attributes?.["error.type"], "ToolFailed")
      assert.isUndefined(of("slow")?.attributes?.["error.type"])
      // a span without timing knows no start, and the duration is none of its business
      yield* Effect.provideService(toolkit.call("parent"), References.TracerTimingEnabled, false)
      const untimed = (yield* Metric.snapshot).find(({ attributes }) => attributes?.["gen_ai.tool.name"] === "parent")
      assert.deepInclude(untimed?.state, { count: 1, sum: 0 })
    }).pipe(Effect.provide(layer), Effect.provideService(Metric.MetricRegistry, new Map())))

  it.effect("measures calls that their caller gave up, and those that the end of the toolkit cut off", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const toolkit = Context.get(yield* Layer.buildWithScope(layer, scope), Toolkit)
      const [given, cut] = [
        yield* Effect.forkChild(toolkit.call("slow")),
        yield* Effect.forkChild(toolkit.call("slow"))
      ]
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(given)
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.await(cut)
      const measured = (yield* Metric.snapshot).filter(({ id }) => id === "gen_ai.execute_tool.duration")
      assert.deepStrictEqual(measured.map(({ attributes }) => attributes?.["error.type"]), ["Interrupted"])
      assert.deepInclude(measured[0]?.state, { count: 2, sum: 2 })
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

  it.effect("counts what is called after a thousand other names as one", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const called = Array.from({ length: 1002 }, (_, index) => `tool_${index}`)
      yield* Effect.forEach(called, (name) => toolkit.call(name))
      yield* toolkit.call("tool_0")
      const counts = (yield* Metric.snapshot).flatMap(({ attributes, id, state }) =>
        id === "gen_ai.execute_tool.duration" && "count" in state
          ? [[attributes?.["gen_ai.tool.name"], state.count]]
          : []
      )
      assert.strictEqual(counts.length, 1001)
      assert.deepStrictEqual(Object.fromEntries(counts)["(other)"], 2)
      assert.deepStrictEqual(Object.fromEntries(counts)["tool_0"], 2)
    }).pipe(
      Effect.provide(ToolkitLayer.make([
        ExtraSource.layer(Array.from({ length: 1002 }, (_, n) => defineTool({ name: `tool_${n}`, handler: () => "" })))
      ])),
      Effect.provideService(Metric.MetricRegistry, new Map())
    ))
})

const printable = (_: string, value: unknown) => typeof value === "bigint" ? value.toString() : value

import { defineTool, type Middleware, Toolkit, ToolResult } from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"
import { echo, withTools } from "./withTools.ts"

describe("middleware and limits", () => {
  it.effect("sees checked calls, first outermost, and may answer by itself", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const named = (name: string): Middleware.Middleware => (tool, next) => (args, call) =>
        Effect.suspend(() => {
          order.push(`${name} ${tool.name}`)
          return next({ ...args, by: name }, call)
        })
      const cached: Middleware.Middleware = (tool, next) =>
        tool.name === "cached" ? () => Effect.succeed(ToolResult.success("from the cache")) : next
      const never = defineTool({ name: "cached", handler: () => Effect.die("must not run") })
      const layer = ToolkitLayer.make([ExtraSource.layer([echo, never])], {
        middleware: [named("a"), named("b"), cached]
      })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        assert.strictEqual((yield* toolkit.call("echo", { x: 1 })).output, `{"x":1,"by":"b"}`)
        assert.strictEqual((yield* toolkit.call("cached")).output, "from the cache")
        assert.deepStrictEqual(order, ["a echo", "b echo", "a cached", "b cached"])
      }).pipe(Effect.provide(layer))
    }))

  it.effect("an error result is a failure, whoever answered it", () =>
    Effect.gen(function*() {
      const blocked: Middleware.Middleware = () => () => Effect.succeed(ToolResult.failure("blocked"))
      const layer = ToolkitLayer.make([ExtraSource.layer([echo])], { middleware: [blocked] })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        assert.strictEqual((yield* Effect.flip(toolkit.call("echo")))._tag, "ToolFailed")
        assert.deepStrictEqual((yield* toolkit.execute("echo")).metadata, { error: "ToolFailed" })
      }).pipe(Effect.provide(layer))
    }))

  it.effect("a middleware that throws costs the tools it throws at, now and later", () =>
    Effect.gen(function*() {
      const picky: Middleware.Middleware = (tool, next) => {
        if (tool.name.startsWith("bad")) throw new Error("boo")
        return next
      }
      const named = (name: string) => defineTool({ name, handler: () => name })
      const layer = ToolkitLayer.make([ExtraSource.layer([named("bad"), echo])], { middleware: [picky] })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        yield* toolkit.register(named("bad_later"))
        yield* toolkit.register(named("fine"))
        assert.deepStrictEqual(yield* toolkit.toolNames, ["echo", "fine"])
        assert.deepStrictEqual((yield* toolkit.diagnostics).map(({ code }) => code), ["broken-tool", "broken-tool"])
      }).pipe(Effect.provide(layer))
    }))

  it("a maxOutput that makes no sense is a mistake of the program", () => {
    for (const maxOutput of [0, -3, 199, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => ToolkitLayer.make([], { maxOutput }), /whole number of at least 200/)
    }
  })

  it.effect("keeps the beginning and the end of a long output, and cuts no character in two", () =>
    Effect.gen(function*() {
      const long = defineTool({ name: "long", handler: () => `begin${"😀".repeat(5000)}end` })
      const failing = defineTool({ name: "failing", handler: () => ToolResult.failure("x".repeat(5000)) })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        const { output } = yield* toolkit.call("long")
        assert.isAtMost(output.length, 1000)
        assert.match(output, /^begin😀+\n\[\.\.\. 9008 or more of 10008 characters left out \.\.\.\]\n😀+end$/u)
        assert.isAtMost((yield* toolkit.execute("failing")).output.length, 1000)
        const error = yield* Effect.flip(toolkit.call("failing"))
        assert.isAtMost(error._tag === "ToolFailed" ? error.result?.output.length ?? 0 : 0, 1000)
      }).pipe(Effect.provide(ToolkitLayer.make([ExtraSource.layer([long, failing])], { maxOutput: 1000 })))
    }))

  it.effect("takes a limit that makes no sense for a wrong argument, and no limit for none", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      for (const timeout of [0, -1, Number.NaN]) {
        assert.strictEqual((yield* Effect.flip(toolkit.call("echo", {}, { timeout })))._tag, "InvalidArguments")
      }
      // @ts-expect-error of a variable of the environment, in plain JavaScript
      const { message } = yield* Effect.flip(toolkit.call("echo", {}, { timeout: "5" }))
      assert.include(message, "timeout: must be a number of milliseconds above 0, but is \"5\"")
      assert.strictEqual((yield* toolkit.call("echo", {}, { timeout: Number.POSITIVE_INFINITY })).output, "{}")
    }).pipe(withTools(echo)))

  it.effect("a tool that interrupts itself fails, and doesn't take its caller along", () =>
    Effect.gen(function*() {
      const tool = defineTool({ name: "t", handler: () => Effect.interrupt })
      const mixed = defineTool({ name: "mixed", handler: () => Effect.ensuring(Effect.interrupt, Effect.die("d")) })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        assert.strictEqual((yield* Effect.flip(toolkit.call("t")))._tag, "ToolFailed")
        assert.include((yield* toolkit.execute("t")).output, "interrupted itself")
        const defect = yield* toolkit.execute("mixed").pipe(Effect.provide(Logger.layer([])))
        assert.include(defect.output, "failed unexpectedly")
      }).pipe(withTools(tool, mixed))
    }))
})

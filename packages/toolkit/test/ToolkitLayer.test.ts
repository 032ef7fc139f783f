import { defineTool, Source, SourceEntry, type Tool, ToolError, Toolkit } from "@effect-toolnexus/core"
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
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"

const withTools = (...tools: ReadonlyArray<Tool.Tool>) => Effect.provide(ToolkitLayer.make([ExtraSource.layer(tools)]))
const echo = defineTool({ name: "echo", handler: (args) => JSON.stringify(args) })

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

  it.effect("follows its sources, and streams the snapshots", () =>
    Effect.gen(function*() {
      const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([])
      const source = Layer.succeed(Source, { kind: "extra", entries })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        assert.deepStrictEqual(yield* toolkit.toolNames, [])
        const seen = yield* toolkit.changes.pipe(
          Stream.map(({ toolNames }) => toolNames),
          Stream.take(2),
          Stream.runCollect,
          Effect.forkChild({ startImmediately: true })
        )
        yield* SubscriptionRef.set(entries, [SourceEntry.loaded("x", { tools: [echo] })])
        assert.deepStrictEqual(yield* Fiber.join(seen), [[], ["echo"]])
        assert.strictEqual((yield* toolkit.execute("echo", { a: 1 })).output, `{"a":1}`)
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
      const parameters = { type: "object" }
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
        { functionDeclarations: [{ name: "echo", description: "", parametersJsonSchema: parameters }] }
      ])
    }).pipe(withTools(echo)))
})

describe("call", () => {
  const failing = defineTool({ name: "failing", handler: () => ({ output: "no", isError: true }) })
  const hanging = defineTool({ name: "hanging", handler: () => Effect.never })
  const buggy = defineTool({ name: "buggy", handler: () => Effect.die(new Error("secret detail")) })
  const blank = defineTool({ name: "blank", handler: () => "" })

  it.effect("takes arguments as models send them", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      for (const args of [undefined, null, "", " \n", "{}", {}]) {
        assert.strictEqual((yield* toolkit.call("echo", args)).output, "{}")
      }
      assert.strictEqual((yield* toolkit.call("echo", `{"a":[1]}`)).output, `{"a":[1]}`)
      for (const args of ["[1]", "{", "1", 1, true, [1]]) {
        assert.strictEqual((yield* Effect.flip(toolkit.call("echo", args)))._tag, "InvalidArguments")
      }
    }).pipe(withTools(echo)))

  it.effect("fails with one typed error for each kind of trouble", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const missing = yield* Effect.flip(toolkit.call("ecko"))
      assert.deepStrictEqual(missing._tag === "ToolNotFound" ? missing.suggestions : [], ["echo"])
      const failed = yield* Effect.flip(toolkit.call("failing"))
      assert.deepStrictEqual(failed._tag === "ToolFailed" ? failed.result?.output : "", "no")
      const fiber = yield* Effect.forkChild(Effect.flip(toolkit.call("hanging", {}, { timeout: 50 })))
      yield* TestClock.adjust("50 millis")
      const late = yield* Fiber.join(fiber)
      assert.deepStrictEqual([late._tag, late.message], [
        "ToolTimeout",
        "hanging did not answer within its total limit of 50 ms"
      ])
      assert.isTrue(Exit.hasDies(yield* Effect.exit(toolkit.call("buggy"))))
      assert.strictEqual((yield* toolkit.call("blank")).output, "(no output)")
    }).pipe(withTools(echo, failing, hanging, buggy, blank)))

  it.effect("execute answers the model whatever happens, and logs a defect once under the id it gives", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const log = Logger.layer([Logger.make(({ cause, message }) => {
        logged.push(`${JSON.stringify(message)} ${String(cause.reasons.length)}`)
      })])
      const toolkit = yield* Toolkit
      const unknown = yield* toolkit.execute("delete_repo")
      assert.deepStrictEqual([unknown.output, unknown.isError], ["Unknown tool: delete_repo", true])
      assert.deepStrictEqual(unknown.metadata, { error: "ToolNotFound", suggestions: [] })
      assert.deepStrictEqual((yield* toolkit.execute("failing")).metadata, { error: "ToolFailed" })
      const defect = yield* toolkit.execute("buggy").pipe(Effect.provide(log))
      const id = /^The tool failed unexpectedly \((.+)\)\.$/.exec(defect.output)?.[1] ?? "none"
      assert.notInclude(JSON.stringify(defect), "secret detail")
      assert.strictEqual(logged.length, 1)
      assert.include(logged[0], id)
    }).pipe(withTools(failing, buggy)))

  it.effect("execute lets interruption pass, and the handler's finalizers run", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      let released = false
      const held = defineTool({
        name: "held",
        handler: () =>
          Deferred.succeed(started, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.ensuring(Effect.sync(() => {
              released = true
            }))
          )
      })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        const fiber = yield* Effect.forkChild(toolkit.execute("held"))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        assert.isTrue(released)
      }).pipe(withTools(held))
    }))

  it.effect("hands progress, context and ids to the handler", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const tool = defineTool({
        name: "t",
        handler: (_, call) =>
          Effect.as(call.progress({ progress: 1, total: 2 }), [call.id, String(call.context), call.toolName])
      })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        const onProgress = (progress: unknown) => Effect.sync(() => void seen.push(progress))
        const result = yield* toolkit.call("t", {}, { callId: "c1", context: "me", onProgress })
        assert.deepStrictEqual(result.structured, ["c1", "me", "t"])
        assert.deepStrictEqual(seen, [{ progress: 1, total: 2 }])
        const [first, second] = [yield* toolkit.call("t"), yield* toolkit.call("t")]
        assert.notDeepEqual(first.structured, second.structured)
      }).pipe(withTools(tool))
    }))

  it.effect("a suspension leaves with its call, and execute folds it into a result", () =>
    Effect.gen(function*() {
      const request = { id: "x", kind: "authorization", prompt: "Log in", url: "https://example.com/login" }
      const tool = defineTool({
        name: "t",
        handler: (_, { toolName }) => Effect.fail(new ToolError.ToolSuspended({ toolName, request }))
      })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        const error = yield* Effect.flip(toolkit.call("t", { a: 1 }, { callId: "c" }))
        assert.deepStrictEqual(error._tag === "ToolSuspended" ? error.request.call : undefined, {
          id: "c",
          name: "t",
          arguments: { a: 1 }
        })
        const result = yield* toolkit.execute("t")
        assert.strictEqual(result.output, "Log in\nhttps://example.com/login")
        assert.strictEqual(Object(result.metadata?.["pending"])["kind"], "authorization")
      }).pipe(withTools(tool))
    }))

  it.effect("a closed toolkit answers every call with ToolUnavailable", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(ToolkitLayer.make([ExtraSource.layer([echo])]), scope)
      const toolkit = Context.get(context, Toolkit)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Effect.flip(toolkit.call("echo")))._tag, "ToolUnavailable")
      assert.deepStrictEqual((yield* toolkit.execute("echo")).metadata, { error: "ToolUnavailable" })
    }))
})

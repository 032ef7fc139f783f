import {
  type CallArguments,
  defineTool,
  type Json,
  type Tool,
  ToolError,
  Toolkit,
  ToolResult
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
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"
import { echo, makeHeld, withTools } from "./withTools.ts"

const unreadable: ToolResult.ToolResult = {
  isError: false,
  get output(): string {
    throw new Error("there is no text")
  }
}

describe("schemas", () => {
  const input = {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false
  }
  const strict = defineTool({ name: "strict", input, handler: (args) => args })

  it.effect("arguments that the input schema doesn't allow never reach the handler", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      assert.strictEqual((yield* toolkit.call("strict", { city: "Oslo" })).output, `{"city":"Oslo"}`)
      const error = yield* Effect.flip(toolkit.call("strict", { town: "Oslo" }))
      assert.deepStrictEqual(error._tag === "InvalidArguments" ? error.issues.map(({ path }) => path) : [], [
        "city",
        "town"
      ])
      assert.strictEqual((yield* toolkit.execute("strict", { city: 7 })).metadata?.["error"], "InvalidArguments")
    }).pipe(withTools(strict)))

  it.effect("arguments that are too deep, cyclic or break whoever reads them are wrong arguments", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const refused = (args: CallArguments) =>
        Effect.map(Effect.flip(toolkit.call("echo", args)), (error) => [error._tag, error.message])
      const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`
      const cyclic: Record<string, Json.Json> = {}
      cyclic["self"] = cyclic
      const throwing = {
        get a(): never {
          throw new Error("boo")
        }
      }
      for (const args of [`{"a":${deep}}`, { a: JSON.parse(deep) }, cyclic]) {
        const [tag, message = ""] = yield* refused(args)
        assert.deepStrictEqual([tag, message.includes("nested deeper than 500 levels")], ["InvalidArguments", true])
      }
      assert.include(yield* refused(throwing), "InvalidArguments")
    }).pipe(withTools(echo)))

  it.effect("structured output that breaks its promise is told, and not lost", () =>
    Effect.gen(function*() {
      const promising: Tool.Tool = {
        ...defineTool({ name: "promising", handler: () => ({ n: "one" }) }),
        outputSchema: { type: "object", properties: { n: { type: "number" } } }
      }
      yield* Effect.gen(function*() {
        const { metadata, structured } = yield* Toolkit.use((toolkit) => toolkit.call("promising"))
        assert.deepStrictEqual(structured, { n: "one" })
        assert.deepStrictEqual(Object(metadata?.["outputIssues"])[0].path, "n")
      }).pipe(withTools(promising))
    }))

  it.effect("what can't be checked is a diagnostic, once, and the rest is checked", () =>
    Effect.gen(function*() {
      const odd = {
        type: "object",
        properties: { a: { $ref: "https://example.com/else" }, b: { type: "number" } }
      }
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        yield* toolkit.call("odd", { a: 1, b: 2 })
        yield* toolkit.call("odd", { a: 1 })
        yield* toolkit.unregister("again")
        for (let round = 0; round < 3; round++) {
          yield* toolkit.register(defineTool({ name: "again", input: odd, handler: () => "" }))
          yield* toolkit.call("again")
          yield* toolkit.unregister("again")
        }
        assert.deepStrictEqual(
          (yield* toolkit.diagnostics).map(({ code, path }) => [code, path?.startsWith("odd.inputSchema")]),
          [[
            "schema-reference",
            true
          ]]
        )
        assert.strictEqual((yield* Effect.flip(toolkit.call("odd", { b: "x" })))._tag, "InvalidArguments")
      }).pipe(withTools(defineTool({ name: "odd", input: odd, handler: () => "" })))
    }))
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

  it.live("a result that can't be read costs its own call, whether it comes at once or later", () =>
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      for (const name of ["unreadable", "unreadable_later"]) {
        const exit = yield* Effect.exit(Effect.timeout(toolkit.call(name), "2 seconds"))
        assert.isTrue(Exit.hasDies(exit), name)
      }
      assert.strictEqual((yield* toolkit.call("echo")).output, "{}")
    }).pipe(withTools(
      echo,
      { ...echo, name: "unreadable", handler: () => Effect.succeed(unreadable) },
      { ...echo, name: "unreadable_later", handler: () => Effect.delay(Effect.succeed(unreadable), 5) }
    )))

  it.effect("execute answers the model also where a failure can't be read", () =>
    Effect.gen(function*() {
      const { isError, output } = yield* Toolkit.use((toolkit) => toolkit.execute("odd")).pipe(
        Effect.provide(Logger.layer([]))
      )
      assert.isTrue(isError)
      assert.include(output, "failed unexpectedly")
    }).pipe(withTools({
      ...echo,
      name: "odd",
      handler: (_, { toolName }) =>
        Effect.fail(
          new Proxy(new ToolError.InvalidArguments({ toolName, issues: [] }), {
            get: (error, key) => key === "message" ? assert.fail("nobody reads this") : Reflect.get(error, key)
          })
        )
    })))

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

  it.effect("execute names the error's tag and says what the error says, whatever it is", () =>
    Effect.gen(function*() {
      const toolName = "t"
      const errors: ReadonlyArray<ToolError.ToolError> = [
        new ToolError.InvalidArguments({ toolName, issues: [{ path: "a", message: "is required" }] }),
        new ToolError.ToolFailed({ toolName, message: "no" }),
        new ToolError.ToolFailed({ toolName, message: "no", result: ToolResult.failure("the result") }),
        new ToolError.ToolTimeout({ toolName, limit: 10, phase: "call" }),
        new ToolError.ToolUnavailable({ toolName, reason: "gone" }),
        new ToolError.ToolDenied({ toolName, rule: "no shell" }),
        new ToolError.ToolNotFound({ toolName, suggestions: [] })
      ]
      const tool = defineTool({ name: toolName, handler: ({ index }) => Effect.fail(errors[Number(index)]) })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        for (const [index, error] of errors.entries()) {
          const { isError, metadata, output } = yield* toolkit.execute(toolName, { index })
          assert.deepStrictEqual([isError, metadata?.["error"]], [true, error._tag])
          assert.strictEqual(
            output,
            error._tag === "ToolFailed" ? error.result?.output ?? error.message : error.message
          )
        }
      }).pipe(withTools(tool))
    }))

  it.effect("execute lets interruption pass, and the handler's finalizers run", () =>
    Effect.gen(function*() {
      const { held, isReleased, started } = yield* makeHeld
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        const fiber = yield* Effect.forkChild(toolkit.execute("held"))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        assert.isTrue(isReleased())
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

  it.effect("what fails in a call that a tool makes in turn is that tool's failure", () =>
    Effect.gen(function*() {
      const missing = new ToolError.ToolNotFound({ toolName: "nope", suggestions: [] })
      const plain = defineTool({ name: "outer", handler: () => Effect.fail(missing) })
      yield* Effect.gen(function*() {
        const error = yield* Effect.flip(Toolkit.use((toolkit) => toolkit.call("outer")))
        assert.deepStrictEqual([error._tag, error.message], ["ToolFailed", "Unknown tool: nope"])
      }).pipe(withTools(plain))
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
      for (const [name, args] of [["echo", "{}"], ["echo", "["], ["no_such_tool", "{}"]] as const) {
        assert.strictEqual((yield* Effect.flip(toolkit.call(name, args)))._tag, "ToolUnavailable")
        assert.deepStrictEqual((yield* toolkit.execute(name, args)).metadata, { error: "ToolUnavailable" })
      }
      yield* Scope.close(scope, Exit.void)
    }))
})

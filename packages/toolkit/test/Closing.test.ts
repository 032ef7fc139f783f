import { defineTool, type Middleware, ToolCall, Toolkit, type ToolkitService, ToolResult } from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"
import { echo, makeHeld } from "./withTools.ts"

describe("closing", () => {
  it.live("ends the calls in flight, runs their finalizers, and says why", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { held, isReleased, started } = yield* makeHeld
      const context = yield* Layer.buildWithScope(ToolkitLayer.make([ExtraSource.layer([held])]), scope)
      const call = yield* Effect.forkChild(Effect.flip(Context.get(context, Toolkit).call("held")))
      yield* Deferred.await(started)
      yield* Effect.sleep("10 millis")
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(isReleased())
      const error = yield* Fiber.join(call)
      assert.strictEqual(error.message, "held is unavailable: the toolkit was closed during the call")
    }))

  it.live("doesn't wait for a handler that can't be ended, nor for one that waits for the close", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const built = yield* Deferred.make<ToolkitService>()
      const tools = [
        defineTool({ name: "deaf", handler: () => Effect.uninterruptible(Effect.sleep("5 seconds")) }),
        defineTool({ name: "closing", handler: () => Effect.as(Scope.close(scope, Exit.void), "closed") }),
        defineTool({
          name: "outer",
          handler: () => Effect.flatMap(Deferred.await(built), ({ call }) => call("closing"))
        })
      ]
      const patient: Middleware.Middleware = (_, next) => (args, call) =>
        Effect.timeoutOrElse(next(args, call), {
          duration: "1 minute",
          orElse: () => Effect.succeed(ToolResult.success(""))
        })
      const layer = ToolkitLayer.make([ExtraSource.layer(tools)], { middleware: [patient] })
      const toolkit = Context.get(yield* Layer.buildWithScope(layer, scope), Toolkit)
      yield* Deferred.succeed(built, toolkit)
      const deaf = yield* Effect.forkChild(Effect.flip(toolkit.call("deaf")))
      const outer = yield* Effect.forkChild(Effect.exit(toolkit.call("outer")))
      yield* Effect.timeout(Scope.close(scope, Exit.void), "2 seconds")
      assert.strictEqual((yield* Effect.timeout(Fiber.join(deaf), "100 millis"))._tag, "ToolUnavailable")
      yield* Effect.timeout(Fiber.join(outer), "100 millis")
    }))

  it.effect("also ends what goes on behind a tool that was taken out of a snapshot", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(ToolkitLayer.make([ExtraSource.layer([echo])]), scope)
      const [tool] = yield* Context.get(context, Toolkit).tools
      yield* Scope.close(scope, Exit.void)
      const error = yield* Effect.flip(tool?.handler({}, ToolCall.make("echo", "c")) ?? Effect.void)
      assert.deepInclude(error, { _tag: "ToolUnavailable" })
    }))
})

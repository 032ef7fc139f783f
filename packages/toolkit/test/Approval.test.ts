import {
  Answer,
  defineTool,
  type Json,
  type Resolver,
  Suspension,
  type Tool,
  Toolkit,
  ToolResult
} from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Policy from "../src/Policy.ts"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"
import { pendingOf, use, yes } from "./suspending.ts"

describe("an approval", () => {
  const runs: Array<Json.JsonObject> = []
  const remove = defineTool({
    name: "remove",
    annotations: { destructiveHint: true },
    handler: (args, call) => {
      runs.push(args)
      return call.resumed === undefined && args["ask"] === true
        ? Suspension.request(call, { kind: "question", prompt: "Really?", state: "s" })
        : ToolResult.success(`removed, ${JSON.stringify(call.resumed?.answer.data ?? "at once")}`)
    }
  })
  const policy = [Policy.ask({ tool: "remove", reason: "it is gone then" })]

  it.effect("is asked before the handler runs, and runs it once, though two resume", () =>
    use({ tools: [remove], policy }, ({ call, resume }) =>
      Effect.gen(function*() {
        runs.length = 0
        const request = yield* pendingOf(call("remove", { path: "a" }))
        assert.deepInclude(request, {
          kind: "approval",
          prompt: `Allow remove {"path":"a"}? (it is gone then)`,
          state: { toolnexus: { gate: true } }
        })
        assert.deepStrictEqual(runs, [])
        const answer = Answer.make(request, true)
        const exits = yield* Effect.all(
          [resume(request, answer), resume(request, answer), resume(request, answer)].map(Effect.exit),
          { concurrency: 3 }
        )
        assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
        assert.deepStrictEqual(runs, [{ path: "a" }])
      })))

  it.effect("that is declined runs nothing", () =>
    use({ tools: [remove], policy }, ({ call, resume }) =>
      Effect.gen(function*() {
        runs.length = 0
        const request = yield* pendingOf(call("remove"))
        assert.strictEqual((yield* Effect.flip(resume(request, Answer.make(request, false))))._tag, "ToolDenied")
        assert.strictEqual((yield* Effect.flip(resume(request, Answer.make(request, true))))._tag, "ToolDenied")
        assert.deepStrictEqual(runs, [])
      })))

  it.effect("is no round: the handler may ask after it, and the approval holds", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const waitFor: Resolver = (request) =>
        Effect.sync(() => {
          asked.push(request.kind)
          return Answer.make(request, true, "sure")
        })
      const inline = yield* use({ tools: [remove], policy, waitFor }, ({ call }) => call("remove", { ask: true }))
      assert.deepStrictEqual([inline.output, asked], [`removed, "sure"`, ["approval", "question"]])

      const gate = yield* use({ tools: [remove], policy }, ({ call }) => pendingOf(call("remove", { ask: true })))
      const question = yield* use({ tools: [remove], policy }, ({ resume }) =>
        pendingOf(resume(gate, Answer.make(gate, true))))
      assert.strictEqual(question.kind, "question")
      const done = yield* use({ tools: [remove], policy }, ({ resume }) =>
        resume(question, Answer.make(question, true, "fine")))
      assert.strictEqual(done.output, `removed, "fine"`)
    }))

  it.effect("that nobody gave is asked for on the way, and the answer before it isn't lost", () =>
    Effect.gen(function*() {
      const question = yield* use({ tools: [remove] }, ({ call }) => pendingOf(call("remove", { ask: true })))
      const gate = yield* use(
        { tools: [remove], policy },
        ({ resume }) => pendingOf(resume(question, Answer.make(question, true, "early")))
      )
      assert.strictEqual(gate.kind, "approval")
      const done = yield* use({ tools: [remove], policy }, ({ resume }) => resume(gate, Answer.make(gate, true)))
      assert.strictEqual(done.output, `removed, "early"`)
    }))

  it.effect("of a call within a call is not the outer one's", () =>
    Effect.gen(function*() {
      const outer: Tool.Tool<Toolkit> = defineTool({
        name: "outer",
        handler: () => Effect.flatMap(Toolkit, (toolkit) => toolkit.call("remove"))
      })
      const inner = ToolkitLayer.make([ExtraSource.layer([remove])], { policy })
      const layer = Layer.provide(ToolkitLayer.make([ExtraSource.layer([outer])], { policy, waitFor: yes() }), inner)
      const error = yield* Effect.provide(Toolkit.use(({ call }) => Effect.flip(call("outer"))), layer)
      assert.strictEqual(error._tag, "ToolFailed")
    }))
})

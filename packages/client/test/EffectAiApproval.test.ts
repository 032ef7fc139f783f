/** Approvals as effect/ai has them: asked for by a policy, given in the conversation. */
import { Answer, defineTool, Suspension, Toolkit } from "@effect-toolnexus/core"
import { ScriptedModel } from "@effect-toolnexus/testing"
import { Policy } from "@effect-toolnexus/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { EffectAi } from "../src/index.ts"
import { agent, ask } from "./support.ts"

const { call, text } = ScriptedModel

describe("approvals in effect/ai", () => {
  const remove = (ran: Array<unknown>) =>
    defineTool({ name: "remove", input: { type: "object" }, handler: (args) => `removed ${ran.push(args)}` })
  const policy = [Policy.ask({ tool: "remove" })]

  it.effect("are the policy's: asked for, run once approved, and not when declined", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      yield* Effect.gen(function*() {
        for (const approved of [true, false]) {
          const first = yield* ask("remove it")
          assert.deepStrictEqual(first.toolResults, [])
          const request = first.content.find((part) => part.type === "tool-approval-request")
          assert.strictEqual(request?.toolCallId, "call_remove")
          const said = Prompt.toolMessage({
            content: [Prompt.toolApprovalResponsePart({ approvalId: request?.approvalId ?? "", approved })]
          })
          const history = Prompt.concat(Prompt.make("remove it"), Prompt.fromResponseParts(first.content))
          const second = yield* ask(Prompt.concat(history, Prompt.fromMessages([said])))
          assert.deepStrictEqual(
            second.toolResults.map(({ encodedResult }) => encodedResult),
            approved ? ["removed 1"] : [{ type: "execution-denied", reason: undefined }]
          )
        }
      }).pipe(Effect.provide(agent([remove(ran)], [
        [call("remove", { path: "/" })],
        [text("done")],
        [call("remove", { path: "/" })],
        [text("sorry")]
      ], { policy })))
      assert.deepStrictEqual(ran, [{ path: "/" }])
    }))

  it.effect("hold for a toolkit, by whatever view of it is asked next", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      yield* Effect.gen(function*() {
        const { view } = yield* Toolkit
        const asking = (prompt: Prompt.RawInput) =>
          LanguageModel.generateText({ prompt, toolkit: EffectAi.fromToolkit(view({ include: ["rem*"] })) })
        const first = yield* asking("remove it")
        const request = first.content.find((part) => part.type === "tool-approval-request")
        const said = Prompt.toolMessage({
          content: [Prompt.toolApprovalResponsePart({ approvalId: request?.approvalId ?? "", approved: true })]
        })
        const history = Prompt.concat(Prompt.make("remove it"), Prompt.fromResponseParts(first.content))
        const second = yield* asking(Prompt.concat(history, Prompt.fromMessages([said])))
        assert.deepStrictEqual(second.toolResults.map(({ encodedResult }) => encodedResult), ["removed 1"])
      }).pipe(Effect.provide(agent([remove(ran)], [[call("remove", { path: "/" })], [text("done")]], { policy })))
    }))

  it.effect("aren't given by calling the handler, nor by another call's", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      yield* Effect.gen(function*() {
        const first = yield* ask()
        assert.strictEqual(first.content.filter((part) => part.type === "tool-approval-request").length, 1)
        const kit = yield* EffectAi.toolkit
        for (const [id, args] of [["call_remove", { path: "/" }], ["other", { path: "a" }]] as const) {
          const [result] = yield* Stream.runCollect(Stream.unwrap(kit.handle("remove", args, id)))
          assert.isTrue(result?.isFailure, id)
        }
        assert.deepStrictEqual(ran, [])
      }).pipe(Effect.provide(agent([remove(ran)], [[call("remove", { path: "a" })]], { policy })))
    }))

  it.effect("can be given in another process, where the conversation is handed over", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      const first = yield* Effect.provide(ask("remove it"), agent([remove(ran)], [[call("remove")]], { policy }))
      const request = first.content.find((part) => part.type === "tool-approval-request")
      const stored = JSON.stringify(
        Schema.encodeSync(Prompt.Prompt)(Prompt.concat(
          Prompt.make("remove it"),
          Prompt.concat(
            Prompt.fromResponseParts(first.content),
            Prompt.fromMessages([
              Prompt.toolMessage({
                content: [Prompt.toolApprovalResponsePart({ approvalId: request?.approvalId ?? "", approved: true })]
              })
            ])
          )
        ))
      )
      const prompt = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Prompt.Prompt))(stored)
      const second = yield* Effect.gen(function*() {
        const toolkit = EffectAi.fromToolkit(yield* Toolkit, { approvedIn: prompt })
        return yield* LanguageModel.generateText({ prompt, toolkit })
      }).pipe(Effect.provide(agent([remove(ran)], [[text("done")]], { policy })))
      assert.deepStrictEqual(second.toolResults.map(({ encodedResult }) => encodedResult), ["removed 1"])
    }))

  it.effect("hold for one call, also where this process has asked and is handed the conversation", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      yield* Effect.gen(function*() {
        const first = yield* ask("remove it")
        const request = first.content.find((part) => part.type === "tool-approval-request")
        const prompt = Prompt.concat(
          Prompt.fromResponseParts(first.content),
          Prompt.fromMessages([
            Prompt.toolMessage({
              content: [Prompt.toolApprovalResponsePart({ approvalId: request?.approvalId ?? "", approved: true })]
            })
          ])
        )
        const kit = yield* EffectAi.fromToolkit(yield* Toolkit, { approvedIn: prompt })
        const params = first.content.find((part) => part.type === "tool-call")?.params
        for (const isFailure of [false, true]) {
          const [result] = yield* Stream.runCollect(Stream.unwrap(kit.handle("remove", params, "call_remove")))
          assert.strictEqual(result?.isFailure, isFailure)
        }
      }).pipe(Effect.provide(agent([remove(ran)], [[call("remove")]], { policy })))
      assert.strictEqual(ran.length, 1)
    }))

  it.effect("hold for the same arguments in another order, and for none that nobody can spell", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      const asked = { a: { c: [1, { y: 1, x: 2 }], b: 2 }, d: 3 }
      yield* Effect.gen(function*() {
        const kit = yield* EffectAi.toolkit
        const asks = (id: string, args: unknown) => {
          const isAsked = kit.tools["remove"]?.needsApproval
          const answer = typeof isAsked === "function" && isAsked(args, { toolCallId: id, messages: [] })
          return Effect.isEffect(answer) ? answer : Effect.succeed(answer)
        }
        const fails = (id: string, args: unknown) =>
          Effect.map(
            Stream.runCollect(Stream.unwrap(kit.handle("remove", args, id))),
            ([result]) => result?.isFailure
          )
        assert.isTrue(yield* asks("1", asked))
        const again = { d: 3, a: { b: 2, c: [1, { x: 2, y: 1 }] } }
        const other = { d: 3, a: { b: 2, c: [{ x: 2, y: 1 }, 1] } }
        assert.deepStrictEqual([yield* fails("1", other), yield* fails("1", again)], [true, false])
        yield* asks("2", { size: 1n })
        assert.isTrue(yield* fails("2", { size: 2n }))
      }).pipe(Effect.provide(agent([remove(ran)], [], { policy })))
      assert.strictEqual(ran.length, 1)
    }))

  it.effect("that a conversation gives are given to the very call, not to another by its id", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      const asked = { approvalId: "1", toolCallId: "call_remove" }
      const approvedIn = Prompt.fromMessages([
        Prompt.assistantMessage({
          content: [
            Prompt.toolCallPart({ id: "call_remove", name: "remove", params: { path: "a" }, providerExecuted: false }),
            Prompt.toolApprovalRequestPart(asked)
          ]
        }),
        Prompt.toolMessage({ content: [Prompt.toolApprovalResponsePart({ approvalId: "1", approved: true })] })
      ])
      yield* Effect.gen(function*() {
        const kit = yield* EffectAi.fromToolkit(yield* Toolkit, { approvedIn })
        const fails = (args: unknown) =>
          Effect.map(
            Stream.runCollect(Stream.unwrap(kit.handle("remove", args, "call_remove"))),
            ([result]) => result?.isFailure
          )
        assert.deepStrictEqual([yield* fails({ path: "/" }), yield* fails({ path: "a" })], [true, false])
      }).pipe(Effect.provide(agent([remove(ran)], [], { policy })))
      assert.deepStrictEqual(ran, [{ path: "a" }])
    }))

  it.effect("answered inline are no business of the model's", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      const response = yield* Effect.provide(
        ask(),
        agent([remove(ran)], [[call("remove")]], {
          policy,
          waitFor: (request) => Effect.succeed(Answer.make(request, true))
        })
      )
      assert.deepStrictEqual(response.toolResults.map(({ encodedResult }) => encodedResult), ["removed 1"])
    }))

  it.effect("don't answer what the handler itself asks; that comes back with its request", () =>
    Effect.gen(function*() {
      const paint = defineTool({
        name: "remove",
        handler: (_, running) => Suspension.request(running, { kind: "question", prompt: "Which colour?" })
      })
      yield* Effect.gen(function*() {
        const first = yield* ask()
        const request = first.content.find((part) => part.type === "tool-approval-request")
        const second = yield* ask(
          Prompt.concat(
            Prompt.fromResponseParts(first.content),
            Prompt.fromMessages([
              Prompt.toolMessage({
                content: [Prompt.toolApprovalResponsePart({ approvalId: request?.approvalId ?? "", approved: true })]
              })
            ])
          )
        )
        const [part] = second.toolResults
        assert.isTrue(part?.isFailure)
        assert.strictEqual(part?.encodedResult, "Which colour?")
        assert.property(part?.result, "metadata")
        assert.include(JSON.stringify(part?.result), `"kind":"question"`)
      }).pipe(Effect.provide(agent([paint], [[call("remove")], [text("ok")]], { policy })))
    }))
})

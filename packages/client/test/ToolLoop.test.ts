import { Answer, defineTool, type Request, Toolkit } from "@effect-toolnexus/core"
import { ScriptedModel } from "@effect-toolnexus/testing"
import { Policy } from "@effect-toolnexus/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ToolLoop } from "../src/index.ts"
import { agent, endless, paint, requestAt, requests, resultsIn, rolesIn, weather } from "./support.ts"

const { call, finish, text } = ScriptedModel

/** As it would come back from a file. */
const stored = <A, I>(schema: Schema.Codec<A, I>, value: A): A =>
  Schema.decodeUnknownSync(Schema.fromJsonString(schema))(JSON.stringify(Schema.encodeSync(schema)(value)))

const approve = (approvalId: string, approved: boolean) =>
  Prompt.fromMessages([
    Prompt.toolMessage({ content: [Prompt.toolApprovalResponsePart({ approvalId, approved })] })
  ])

describe("ToolLoop", () => {
  it.effect("asks the model again with the results of what it called, until it calls nothing", () =>
    Effect.gen(function*() {
      const outcome = yield* ToolLoop.run({ prompt: "Where is it warmer?" })
      assert.deepStrictEqual([outcome.text, outcome.rounds, outcome.stopped, outcome.finishReason], [
        "In Rome.",
        2,
        "done",
        "stop"
      ])
      const second = yield* requestAt(1)
      assert.deepStrictEqual(rolesIn(second), ["user", "assistant", "tool"])
      assert.deepStrictEqual(resultsIn(second), { a: "sunny in Oslo", b: "sunny in Rome" })
      assert.deepStrictEqual(outcome.prompt.content.map(({ role }) => role), ["user", "assistant", "tool", "assistant"])
    }).pipe(Effect.provide(agent([weather], [
      [call("weather", { city: "Oslo" }, "a"), call("weather", { city: "Rome" }, "b")],
      [text("In Rome.")]
    ]))))

  it.effect("answers a tool that the model made up, and goes on", () =>
    Effect.gen(function*() {
      const outcome = yield* ToolLoop.run({ prompt: "?" })
      assert.strictEqual(outcome.text, "I see.")
      assert.deepStrictEqual(resultsIn(yield* requestAt(1)), {
        call_wether: "Unknown tool: wether",
        call_constructor: "Unknown tool: constructor",
        call_weather: "sunny in Oslo"
      })
    }).pipe(Effect.provide(agent([weather], [
      [call("wether", { city: "Oslo" }), call("constructor"), call("weather", { city: "Oslo" })],
      [text("I see.")]
    ]))))

  it.effect("takes tools by any name that is one", () =>
    Effect.gen(function*() {
      const outcome = yield* ToolLoop.run({ prompt: "?" })
      assert.strictEqual(outcome.stopped, "done")
      assert.deepStrictEqual(Object.values(resultsIn(yield* requestAt(1))), [
        "proto",
        "constructor",
        "Unknown tool: toString"
      ])
    }).pipe(Effect.provide(agent(
      [
        defineTool({ name: "__proto__", handler: () => "proto" }),
        defineTool({ name: "constructor", handler: () => "constructor" })
      ],
      [[call("__proto__", {}, "1"), call("constructor", {}, "2"), call("toString", {}, "3")], [text("ok")]]
    ))))

  it.effect("answers it also where there is no tool at all", () =>
    Effect.gen(function*() {
      yield* ToolLoop.run({ prompt: "?" })
      assert.deepStrictEqual(resultsIn(yield* requestAt(1)), { call_ghost: "Unknown tool: ghost" })
    }).pipe(Effect.provide(agent([], [[call("ghost")], [text("I see.")]]))))

  it.effect("ends at its bound, with a conversation that can go on", () =>
    Effect.gen(function*() {
      const outcome = yield* ToolLoop.run({ prompt: "?", maxRounds: 2 })
      assert.deepStrictEqual([outcome.rounds, outcome.stopped], [2, "rounds"])
      const later = yield* ToolLoop.run({ prompt: outcome.prompt })
      assert.deepStrictEqual([later.text, later.stopped], ["enough", "done"])
      assert.strictEqual((yield* requests).length, 3)
    }).pipe(Effect.provide(agent([weather], [
      [call("weather", { city: "a" }, "1")],
      [call("weather", { city: "b" }, "2")],
      [text("enough")]
    ]))))

  it.effect("goes on where a model only pauses, until its bound", () =>
    Effect.gen(function*() {
      const { stopped, text: said } = yield* ToolLoop.run({ prompt: "?" })
      assert.deepStrictEqual([stopped, said], ["done", "found it"])
      const { rounds, stopped: later } = yield* ToolLoop.run({ prompt: "?", maxRounds: 1 })
      assert.deepStrictEqual([rounds, later], [1, "rounds"])
    }).pipe(Effect.provide(agent([weather], [
      [text("searching"), finish("pause")],
      [text("found it")],
      [text("searching"), finish("pause")]
    ]))))

  it.effect("tells calls of one answer apart, also where the model gives them one id", () =>
    Effect.gen(function*() {
      const { prompt, waiting } = yield* ToolLoop.run({ prompt: "?" })
      assert.deepStrictEqual(waiting.map(({ toolCallId }) => toolCallId), ["x", "x_2"])
      const answers = waiting.flatMap(({ request }, index) =>
        request === undefined ? [] : [{ request, answer: Answer.make(request, true, `colour ${index}`) }]
      )
      yield* ToolLoop.run({ prompt, answers })
      assert.deepStrictEqual(resultsIn(yield* requestAt(1)), {
        x: "painted it \"colour 0\"",
        x_1: "sunny in Oslo",
        x_2: "painted it \"colour 1\""
      })
    }).pipe(Effect.provide(agent([weather, paint], [
      [call("paint", {}, "x"), call("weather", { city: "Oslo" }, "x_1"), call("paint", {}, "x")],
      [text("done")]
    ]))))

  it.effect("takes only a bound that is one", () =>
    Effect.gen(function*() {
      for (const maxRounds of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        const exit = yield* Effect.exit(ToolLoop.run({ prompt: "?", maxRounds }))
        assert.include(JSON.stringify(exit), "Die", String(maxRounds))
      }
    }).pipe(Effect.provide(agent([], []))))

  it.effect("runs nothing of an answer that was cut off", () =>
    Effect.gen(function*() {
      let ran = 0
      yield* Effect.gen(function*() {
        const outcome = yield* ToolLoop.run({ prompt: "?" })
        assert.deepStrictEqual([outcome.stopped, outcome.finishReason, ran], ["incomplete", "length", 0])
        assert.include(JSON.stringify(outcome.prompt), "cut off (length)")
      }).pipe(Effect.provide(agent([defineTool({ name: "count", handler: () => ++ran })], [
        [call("count"), finish("length")]
      ])))
    }))

  it.effect("sees what changes between rounds, and only what a view shows", () =>
    Effect.gen(function*() {
      const add = defineTool({ name: "add", handler: () => "added" })
      const time = defineTool({ name: "time", handler: () => "noon" })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        yield* ToolLoop.stream({ prompt: "?" }).pipe(
          Stream.tap((part) => part.type === "tool-result" ? toolkit.register(weather, time) : Effect.void),
          Stream.runDrain
        )
        const declared = (yield* requests).map(({ tools }) => tools.map(({ name }) => name))
        assert.deepStrictEqual(declared, [["add"], ["add", "weather", "time"]])
        yield* Effect.provideService(ToolLoop.run({ prompt: "?" }), Toolkit, toolkit.view({ exclude: ["time"] }))
        assert.deepStrictEqual((yield* requestAt(2)).tools.map(({ name }) => name), ["add", "weather"])
        assert.deepStrictEqual(resultsIn(yield* requestAt(3)), { call_time: "Unknown tool: time" })
      }).pipe(Effect.provide(agent([add], [
        [call("add")],
        [text("done")],
        [call("time")],
        [text("done")]
      ])))
    }))

  it.effect("interrupts what it runs", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const slow = endless(Deferred.succeed(started, undefined))
      const fiber = yield* Effect.forkChild(
        Effect.provide(ToolLoop.run({ prompt: "?" }), agent([slow.tool], [[call("slow")]]))
      )
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(slow.wasInterrupted())
    }))

  it.effect("streams the same: parts as they come, then results, then the outcome", () =>
    Effect.gen(function*() {
      const parts = yield* Stream.runCollect(ToolLoop.stream({ prompt: "?" }))
      assert.deepStrictEqual(parts.map(({ type }) => type), [
        "tool-call",
        "finish",
        "tool-result",
        "text-start",
        "text-delta",
        "text-delta",
        "text-end",
        "finish",
        "outcome"
      ])
      const last = parts.at(-1)
      assert.isTrue(last?.type === "outcome" && last.outcome.text === "It is sunny." && last.outcome.rounds === 2)
      assert.deepStrictEqual(resultsIn(yield* requestAt(1)), { call_weather: "sunny in Oslo" })
    }).pipe(Effect.provide(agent([weather], [[call("weather", { city: "Oslo" })], [text("It is sunny.")]]))))
})

describe("a loop that waits for people", () => {
  const policy = [Policy.ask({ tool: "remove" })]

  it.effect("ends, and goes on in another process with the answers: a question and an approval at once", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const remove = defineTool({ name: "remove", handler: () => `removed ${ran.push("remove")}` })
      const first = yield* Effect.provide(
        ToolLoop.run({ prompt: "?" }),
        agent([paint, remove, weather], [
          [call("paint"), call("remove"), call("weather", { city: "Oslo" })]
        ], { policy })
      )
      assert.deepStrictEqual([first.stopped, first.rounds], ["waiting", 1])
      assert.deepStrictEqual(first.waiting.map(({ request, toolCallId }) => [toolCallId, request?.kind]), [
        ["call_paint", "question"],
        ["call_remove", "approval"]
      ])
      const [asked, approval] = first.waiting.map(({ request }) => request)
      const prompt = stored(Prompt.Prompt, first.prompt)
      const answerOf = (request: Request.Request | undefined, data?: string) => {
        if (request === undefined) throw new Error("no request")
        return { request, answer: Answer.make(request, true, data) }
      }
      yield* Effect.gen(function*() {
        const half = yield* ToolLoop.run({ prompt, answers: [answerOf(asked, "blue")] })
        assert.deepStrictEqual([half.stopped, half.rounds], ["waiting", 0])
        // whoever stores only the latest outcome can answer what is left
        assert.deepStrictEqual(half.waiting, first.waiting.slice(1))
        const later = yield* ToolLoop.run({ prompt: stored(Prompt.Prompt, half.prompt) })
        assert.deepStrictEqual(later.waiting, first.waiting.slice(1))
        const whole = yield* ToolLoop.run({ prompt: half.prompt, answers: [answerOf(approval)] })
        assert.deepStrictEqual([whole.stopped, whole.text], ["done", "All done."])
        const request = yield* requestAt(0)
        assert.deepStrictEqual(resultsIn(request), {
          call_paint: `painted it "blue"`,
          call_remove: "removed 1",
          call_weather: "sunny in Oslo"
        })
        assert.notInclude(JSON.stringify(request.prompt), "tool-approval")
      }).pipe(Effect.provide(agent([paint, remove, weather], [[text("All done.")]], { policy })))
    }))

  it.effect("goes on with what was approved or declined in the conversation itself", () =>
    Effect.gen(function*() {
      let ran = 0
      const remove = defineTool({ name: "remove", handler: () => `removed ${++ran}` })
      yield* Effect.gen(function*() {
        for (const approved of [true, false]) {
          const first = yield* ToolLoop.run({ prompt: "?" })
          const approvalId = first.waiting[0]?.approvalId ?? ""
          const second = yield* ToolLoop.run({ prompt: Prompt.concat(first.prompt, approve(approvalId, approved)) })
          assert.strictEqual(second.stopped, "done")
        }
        assert.deepStrictEqual(resultsIn(yield* requestAt(1)), { call_remove: "removed 1" })
        assert.deepStrictEqual(resultsIn(yield* requestAt(3)), { call_remove: "The user declined this call." })
        assert.strictEqual(ran, 1)
      }).pipe(
        Effect.provide(agent([remove], [[call("remove")], [text("a")], [call("remove")], [text("b")]], { policy }))
      )
    }))

  it.effect("takes no earlier approval of another call by the same id", () =>
    Effect.gen(function*() {
      let ran = 0
      const remove = defineTool({ name: "remove", handler: () => `removed ${++ran}` })
      yield* Effect.gen(function*() {
        const first = yield* ToolLoop.run({ prompt: "?" })
        const approvalId = first.waiting[0]?.approvalId ?? ""
        const approved = Prompt.concat(first.prompt, approve(approvalId, true))
        // as a history looks that nobody has cleared
        const history = Prompt.concat(
          approved,
          Prompt.fromMessages([
            Prompt.toolMessage({
              content: [
                Prompt.toolResultPart({
                  id: "call_remove",
                  name: "remove",
                  isFailure: false,
                  result: "removed",
                  providerExecuted: false
                })
              ]
            }),
            Prompt.assistantMessage({
              content: [
                Prompt.toolCallPart({ id: "call_remove", name: "remove", params: {}, providerExecuted: false }),
                Prompt.toolApprovalRequestPart({ approvalId: "later", toolCallId: "call_remove" })
              ]
            })
          ])
        )
        const second = yield* ToolLoop.run({ prompt: history })
        assert.deepStrictEqual(second.waiting, [{ toolCallId: "call_remove", approvalId: "later" }])
        const request = first.waiting[0]?.request
        assert.isDefined(request)
        const foreign = yield* ToolLoop.run({
          prompt: history,
          answers: [{ request, answer: Answer.make(request, true) }]
        })
        assert.deepStrictEqual([foreign.stopped, foreign.unused.map(({ answer }) => answer.id)], ["waiting", [
          request.id
        ]])
        assert.strictEqual(ran, 0)
      }).pipe(Effect.provide(agent([remove], [[call("remove")]], { policy })))
    }))

  it.effect("takes no answer for another call's, and none twice", () =>
    Effect.gen(function*() {
      let ran = 0
      const remove = defineTool({ name: "remove", handler: () => `removed ${++ran}` })
      yield* Effect.gen(function*() {
        const first = yield* ToolLoop.run({ prompt: "?" })
        const request = first.waiting[0]?.request
        assert.isDefined(request)
        const answer = Answer.make(request, true)
        const wrong = yield* ToolLoop.run({
          prompt: first.prompt,
          answers: [{ request, answer: { ...answer, id: "x" } }]
        })
        assert.strictEqual(wrong.stopped, "done")
        assert.include(JSON.stringify(resultsIn(yield* requestAt(1))), "id")
        assert.strictEqual(ran, 0)
        yield* ToolLoop.run({ prompt: first.prompt, answers: [{ request, answer }] })
        yield* ToolLoop.run({ prompt: first.prompt, answers: [{ request, answer }] })
        assert.strictEqual(ran, 1)
        assert.include(JSON.stringify(resultsIn(yield* requestAt(3))), "already answered")
      }).pipe(Effect.provide(agent([remove], [[call("remove")], [text("a")], [text("b")], [text("c")]], { policy })))
    }))

  it.effect("says which answers it had no use for, and takes none to what is no request", () =>
    Effect.gen(function*() {
      const { prompt, unused: none, waiting } = yield* ToolLoop.run({ prompt: "?" })
      assert.deepStrictEqual(none, [])
      const request = waiting[0]?.request
      assert.isDefined(request)
      const other = { ...request, id: "other" }
      const stray = { request: other, answer: Answer.make(other, true) }
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(message))
      const whole = yield* ToolLoop.run({
        prompt,
        answers: [stray, { request, answer: Answer.make(request, true, "blue") }]
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual([whole.stopped, whole.unused], ["done", [stray]])
      assert.deepStrictEqual(logged, [[
        "An answer was not used: the conversation doesn't wait for request other, of a call of paint"
      ]])
      // @ts-expect-error as a program without a compiler may have it
      const exit = yield* Effect.exit(ToolLoop.run({ prompt, answers: [{ ...stray, request: waiting[0] }] }))
      assert.include(
        String(Exit.isFailure(exit) && Cause.squash(exit.cause)),
        "TypeError: answers[0].request is no request"
      )
    }).pipe(Effect.provide(agent([paint], [[call("paint")], [text("done")]]))))

  it.effect("shows no request but the one that an approval is about", () =>
    Effect.gen(function*() {
      const { prompt, waiting } = yield* ToolLoop.run({ prompt: "?" })
      const approvalId = waiting[0]?.approvalId ?? ""
      const forged = JSON.parse(
        JSON.stringify(Schema.encodeSync(Prompt.Prompt)(prompt)).replace(`"id":"${approvalId}"`, `"id":"x"`)
      )
      const { waiting: later } = yield* ToolLoop.run({ prompt: Schema.decodeUnknownSync(Prompt.Prompt)(forged) })
      assert.deepStrictEqual(later, [{ toolCallId: "call_paint", approvalId }])
    }).pipe(Effect.provide(agent([paint], [[call("paint")]]))))

  it.effect("doesn't run again what was interrupted before it had an answer", () =>
    Effect.gen(function*() {
      const prompt = Prompt.concat(
        Prompt.make("?"),
        Prompt.fromMessages([
          Prompt.assistantMessage({
            content: [
              Prompt.toolCallPart({ id: "lost", name: "weather", params: { city: "Oslo" }, providerExecuted: false })
            ]
          })
        ])
      )
      yield* ToolLoop.run({ prompt })
      assert.include(JSON.stringify(resultsIn(yield* requestAt(0))), "It is not known whether")
    }).pipe(Effect.provide(agent([weather], [[text("ok")]]))))

  it.effect("is asked again where an approved call asks something else", () =>
    Effect.gen(function*() {
      const first = yield* ToolLoop.run({ prompt: "?" })
      const second = yield* ToolLoop.run({
        prompt: Prompt.concat(first.prompt, approve(first.waiting[0]?.approvalId ?? "", true))
      })
      assert.deepStrictEqual(second.waiting.map(({ request }) => request?.kind), ["question"])
      const again = yield* ToolLoop.run({ prompt: second.prompt })
      assert.deepStrictEqual(again.waiting.map(({ approvalId }) => approvalId), [second.waiting[0]?.approvalId])
      const request = second.waiting[0]?.request
      assert.isDefined(request)
      const third = yield* ToolLoop.run({
        prompt: second.prompt,
        answers: [{ request, answer: Answer.make(request, true, "red") }]
      })
      assert.strictEqual(third.text, "done")
      assert.deepStrictEqual(resultsIn(yield* requestAt(1)), { call_paint: `painted it "red"` })
    }).pipe(Effect.provide(agent([paint], [[call("paint")], [text("done")]], { policy: [Policy.ask()] }))))
})

import { Answer, defineTool, Suspension, Toolkit, ToolResult } from "@effect-toolnexus/core"
import { ScriptedModel } from "@effect-toolnexus/testing"
import { Policy } from "@effect-toolnexus/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Chat from "effect/ai/Chat"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Model from "effect/ai/Model"
import * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { EffectAi, ToolLoop } from "../src/index.ts"
import { agent, endless, look, requestAt, requests, weather } from "./support.ts"

const { call, text } = ScriptedModel

const ask = (prompt: Prompt.RawInput = "?") => LanguageModel.generateText({ prompt, toolkit: EffectAi.toolkit })

describe("EffectAi.toolkit", () => {
  it.effect("is what generateText takes: declared by JSON Schema, run through the pipeline, text for the model", () =>
    Effect.gen(function*() {
      const response = yield* ask()
      assert.deepStrictEqual(
        response.toolResults.map(({ encodedResult, isFailure, result }) => [encodedResult, isFailure, result]),
        [["sunny in Oslo", false, ToolResult.success("sunny in Oslo")]]
      )
      const { tools } = yield* requestAt(0)
      assert.deepStrictEqual(
        tools.map((tool) => [tool.name, AiTool.getDescription(tool), AiTool.getStrictMode(tool)]),
        [
          ["weather", "The weather in a city", false]
        ]
      )
      assert.deepStrictEqual(tools.map((tool) => AiTool.getJsonSchema(tool)), [{
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"]
      }])
    }).pipe(Effect.provide(agent([weather], [[call("weather", { city: "Oslo" })]]))))

  it.effect("returns every failure to the model, and one tool's costs no other anything", () =>
    Effect.gen(function*() {
      const response = yield* ask()
      const results = Object.fromEntries(
        response.toolResults.map(({ encodedResult, id, isFailure, result }) => [
          id,
          [isFailure, "metadata" in result ? result.metadata?.["error"] : undefined, String(encodedResult)]
        ])
      )
      assert.deepStrictEqual(results["call_weather"]?.slice(0, 2), [true, "InvalidArguments"])
      assert.include(results["call_weather"]?.[2], "city")
      assert.deepStrictEqual(results["call_broken"], [true, "ToolFailed", "no database"])
      assert.deepStrictEqual(results["call_denied"]?.slice(0, 2), [true, "ToolDenied"])
      assert.deepStrictEqual(results["call_defect"]?.slice(0, 2), [true, "Defect"])
      assert.notInclude(results["call_defect"]?.[2], "secret")
      assert.deepStrictEqual(results["good"], [false, undefined, "sunny in Rome"])
    }).pipe(Effect.provide(agent(
      [
        weather,
        defineTool({ name: "broken", handler: () => Effect.fail(new Error("no database")) }),
        defineTool({ name: "denied", handler: () => "never" }),
        defineTool({ name: "defect", handler: () => Effect.die("secret") })
      ],
      [[
        call("weather", { town: "Oslo" }),
        call("broken"),
        call("denied"),
        call("defect"),
        call("weather", { city: "Rome" }, "good")
      ]],
      { policy: [Policy.deny({ tool: "denied" })] }
    ))))

  it.effect("says which part of a failure was whose", () =>
    Effect.gen(function*() {
      const kit = yield* EffectAi.toolkit
      const origin = (name: string, args: unknown) =>
        kit.handle(name, args).pipe(Effect.flatMap(Stream.runCollect), Effect.map(([result]) => result?.failureOrigin))
      assert.strictEqual(yield* origin("weather", { town: 1 }), "parameters")
      assert.strictEqual(yield* origin("weather", "no object"), "parameters")
      assert.strictEqual(yield* origin("weather", undefined), "parameters")
      assert.strictEqual(yield* origin("ghost", {}), "handler")
      assert.isUndefined(yield* origin("weather", { city: "Oslo" }))
    }).pipe(Effect.provide(agent([weather], []))))

  it.effect("is as it is at each turn, also in a Chat", () =>
    Effect.gen(function*() {
      const chat = yield* Chat.empty
      yield* chat.generateText({ prompt: "a", toolkit: EffectAi.toolkit })
      const { register, unregister } = yield* Toolkit
      yield* register(defineTool({ name: "time", handler: () => "noon" }))
      yield* chat.generateText({ prompt: "b", toolkit: EffectAi.toolkit })
      yield* unregister("time")
      yield* Stream.runDrain(chat.streamText({ prompt: "c", toolkit: EffectAi.toolkit }))
      const declared = (yield* requests).map(({ tools }) => tools.map(({ name }) => name))
      assert.deepStrictEqual(declared, [["weather"], ["weather", "time"], ["weather"]])
      assert.include(yield* chat.exportJson, "sunny in Rome")
    }).pipe(Effect.provide(agent([weather], [
      [text("hello")],
      [text("hello again")],
      [call("weather", { city: "Rome" })]
    ]))))

  it.effect("keeps its tools as long as they are the same, so that nothing is compiled again", () =>
    Effect.gen(function*() {
      const [first, second] = [yield* EffectAi.toolkit, yield* EffectAi.toolkit]
      assert.strictEqual(first.tools, second.tools)
      yield* (yield* Toolkit).register(defineTool({ name: "time", handler: () => "noon" }))
      assert.notStrictEqual((yield* EffectAi.toolkit).tools, first.tools)
    }).pipe(Effect.provide(agent([weather], []))))

  it.effect("declares names and schemas by the rules of the model's provider, and reads calls back", () =>
    Effect.gen(function*() {
      const headers = defineTool({
        name: "web/fetch.page",
        input: {
          type: "object",
          properties: { "max-bytes": { type: "integer" }, headers: { type: "object", additionalProperties: true } }
        },
        handler: (args) => args
      })
      const declared = (provider: Layer.Layer<never> | Layer.Layer<Model.ProviderName>) =>
        Effect.gen(function*() {
          const kit = yield* Effect.provide(EffectAi.toolkit, provider)
          const [tool] = Object.values(kit.tools)
          assert.isDefined(tool)
          const schema = JSON.stringify(AiTool.getJsonSchema(tool))
          const [result] = yield* Stream.runCollect(
            Stream.unwrap(kit.handle(tool.name, { max_bytes: 3 }))
          )
          return { name: tool.name, isOwn: schema.includes("max-bytes"), output: result?.encodedResult }
        }).pipe(Effect.provide(agent([headers], [])))
      const provider = (name: string) => Layer.succeed(Model.ProviderName, name)
      const { isOwn, name } = yield* declared(provider("anthropic"))
      assert.match(name, /^web_fetch_page/)
      assert.isTrue(isOwn)
      for (const each of [provider("google"), provider("somebody"), Layer.empty]) {
        assert.deepStrictEqual(yield* declared(each), { name, isOwn: false, output: `{"max-bytes":3}` })
      }
    }))

  it.effect("hands images on to the model, and no file it doesn't take", () =>
    Effect.gen(function*() {
      const response = yield* ask()
      const [part] = response.toolResults
      assert.strictEqual(part?.encodedResult, "a picture")
      assert.deepStrictEqual(
        part?.modelOutput?.map((each) => each.type === "file" ? [each.mediaType, each.data] : each.text),
        ["a picture", ["image/png", "aGk="]]
      )
      const history = Prompt.fromResponseParts(response.content)
      assert.include(JSON.stringify(history), "image/png")
    }).pipe(Effect.provide(agent([look], [[call("look")]]))))

  it.effect("can't answer a tool that the model made up: a loop of one round does", () =>
    Effect.gen(function*() {
      // the day effect/ai hands it on, the documents are to say so
      for (
        const request of [ask(), Stream.runDrain(LanguageModel.streamText({ prompt: "?", toolkit: EffectAi.toolkit }))]
      ) {
        const error = yield* Effect.flip(request)
        assert.strictEqual(error.reason._tag, "InvalidOutputError")
      }
      const { prompt, stopped } = yield* ToolLoop.run({ prompt: "?", maxRounds: 1 })
      assert.strictEqual(stopped, "rounds")
      const results = prompt.content.flatMap(({ content, role }) => role === "tool" ? content : [])
      assert.deepStrictEqual(results.map((part) => part.type === "tool-result" ? part.result : part.type), [
        "sunny in Oslo",
        "Unknown tool: wether"
      ])
    }).pipe(Effect.provide(agent(
      [weather],
      Array.from({ length: 3 }, () => [call("weather", { city: "Oslo" }), call("wether", { city: "Rome" })])
    ))))

  it.effect("interrupts its calls with the request", () =>
    Effect.gen(function*() {
      for (
        const request of [ask(), Stream.runDrain(LanguageModel.streamText({ prompt: "?", toolkit: EffectAi.toolkit }))]
      ) {
        const started = yield* Deferred.make<void>()
        const slow = endless(Deferred.succeed(started, undefined))
        const fiber = yield* Effect.forkChild(Effect.provide(request, agent([slow.tool], [[call("slow")]])))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(slow.wasInterrupted())
      }
    }))

  it.effect("puts the span of a call below that of the request, and its id on it", () =>
    Effect.gen(function*() {
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      yield* Effect.withTracer(ask(), tracer)
      const span = spans.find(({ name }) => name === "tool.call")
      assert.strictEqual(span?.attributes.get("gen_ai.tool.call.id"), "call_weather")
      const above: Array<string> = []
      for (let at: Tracer.AnySpan | undefined = span; at?._tag === "Span"; at = parentOf(at)) above.push(at.name)
      assert.include(above, "LanguageModel.generateText")
    }).pipe(Effect.provide(agent([weather], [[call("weather", { city: "Oslo" })]]))))

  it.effect("gives each call the options that its host chose, and the model's id", () =>
    Effect.gen(function*() {
      const told: Array<unknown> = []
      const who = defineTool({
        name: "who",
        handler: (_, { context, id, progress }) => Effect.as(progress({ progress: 1 }), `${String(context)} ${id}`)
      })
      yield* Effect.gen(function*() {
        const kit = yield* EffectAi.fromToolkit(yield* Toolkit, {
          callOptions: ({ id, name }) => ({
            context: `caller of ${name}`,
            onProgress: () => Effect.sync(() => told.push(id))
          })
        })
        const response = yield* LanguageModel.generateText({ prompt: "?", toolkit: kit })
        assert.deepStrictEqual(response.toolResults.map((each) => each.encodedResult), ["caller of who call_who"])
        assert.deepStrictEqual(told, ["call_who"])
      }).pipe(Effect.provide(agent([who], [[call("who")]])))
    }))
})

const parentOf = (span: Tracer.Span): Tracer.AnySpan | undefined =>
  span.parent._tag === "Some" ? span.parent.value : undefined

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

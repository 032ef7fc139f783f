import { defineTool, Toolkit, ToolResult } from "@effect-toolnexus/core"
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
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { EffectAi, ToolLoop } from "../src/index.ts"
import { agent, ask, endless, look, requestAt, requests, weather } from "./support.ts"

const { call, text } = ScriptedModel

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

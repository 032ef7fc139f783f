/** Against the real `ai`: its own loop, with its own scripted model. */
import { Answer, defineTool, ToolResult } from "@effect-toolnexus/core"
import { Policy } from "@effect-toolnexus/toolkit"
import { assert, describe, it } from "@effect/vitest"
import { generateText, isStepCount, type ModelMessage, simulateReadableStream, streamText } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import * as Effect from "effect/Effect"
import { type PlainToolkit } from "../src/index.ts"
import { endless, look, paint, using, weather } from "./support.ts"

type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>

const usage: Generated["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}

const turn = (content: Generated["content"]): Generated => ({
  content,
  finishReason: { unified: content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop", raw: undefined },
  usage,
  warnings: []
})

const call = (toolName: string, input: unknown, toolCallId = `call_${toolName}`): Generated["content"][number] => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input)
})

const said = (text: string): Generated["content"][number] => ({ type: "text", text })

const resultsOf = (model: MockLanguageModelV4, request: number) =>
  Object.fromEntries(
    (model.doGenerateCalls[request]?.prompt ?? []).flatMap((message) =>
      message.role === "tool"
        ? message.content.flatMap((part) => part.type === "tool-result" ? [[part.toolCallId, part.output]] : [])
        : []
    )
  )

describe("toAiSdk", () => {
  it("is what generateText takes as its tools", () =>
    using({ tools: [weather] }, async (toolkit) => {
      const model = new MockLanguageModelV4({
        doGenerate: [turn([call("weather", { city: "Oslo" })]), turn([said("It is sunny.")])]
      })
      const result = await generateText({
        model,
        prompt: "?",
        tools: await toolkit.toAiSdk(),
        stopWhen: isStepCount(5)
      })
      assert.strictEqual(result.text, "It is sunny.")
      assert.deepStrictEqual(model.doGenerateCalls[0]?.tools, [{
        type: "function",
        name: "weather",
        description: "The weather in a city",
        inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
      }])
      assert.deepStrictEqual(resultsOf(model, 1), { call_weather: { type: "text", value: "sunny in Oslo" } })
      const [first] = result.steps
      assert.deepStrictEqual(first?.toolResults.map(({ output }) => output), [ToolResult.success("sunny in Oslo")])
    }))

  it("is what streamText takes", () =>
    using({ tools: [weather] }, async (toolkit) => {
      const model = new MockLanguageModelV4({
        doStream: {
          stream: simulateReadableStream({
            chunks: [
              { type: "tool-call", toolCallId: "1", toolName: "weather", input: `{"city":"Rome"}` },
              { type: "finish", finishReason: { unified: "tool-calls", raw: undefined }, usage }
            ]
          })
        }
      })
      const result = streamText({ model, prompt: "?", tools: await toolkit.toAiSdk() })
      assert.deepStrictEqual((await result.toolResults).map(({ output }) => output), [
        ToolResult.success("sunny in Rome")
      ])
    }))

  it("answers failures to the model, with the error for the program", () =>
    using({
      tools: [
        weather,
        defineTool({
          name: "broken",
          handler: () => {
            throw new Error("no database")
          }
        })
      ]
    }, async (toolkit) => {
      const model = new MockLanguageModelV4({
        doGenerate: [
          turn([call("weather", { town: "Oslo" }), call("broken", {}), call("weather", { city: "Rome" }, "good")]),
          turn([said("ok")])
        ]
      })
      const { steps } = await generateText({
        model,
        prompt: "?",
        tools: await toolkit.toAiSdk(),
        stopWhen: isStepCount(5)
      })
      const errors = steps[0]?.content.flatMap((part) => part.type === "tool-error" ? [part.error] : []) ?? []
      assert.deepStrictEqual(errors.map((error) => error instanceof Error && "_tag" in error ? error._tag : error), [
        "InvalidArguments",
        "ToolFailed"
      ])
      const results = resultsOf(model, 1)
      assert.deepInclude(results["call_broken"], { type: "error-text", value: "ToolFailed: no database" })
      assert.include(JSON.stringify(results["call_weather"]), "city")
      assert.deepInclude(results["good"], { type: "text", value: "sunny in Rome" })
    }))

  it("aborts what runs when the request is aborted, and rejects with the reason", () => {
    const abort = new AbortController()
    const slow = endless(Effect.sync(() => abort.abort(new Error("enough"))))
    return using({ tools: [slow.tool] }, async (toolkit) => {
      const model = new MockLanguageModelV4({ doGenerate: [turn([call("slow", {})]), turn([said("never")])] })
      const tools = await toolkit.toAiSdk()
      const failure = await generateText({
        model,
        prompt: "?",
        tools,
        abortSignal: abort.signal,
        stopWhen: isStepCount(5)
      })
        .then(({ text }) => text, (error: unknown) => error)
      await slow.interrupted
      assert.deepInclude(failure, { message: "enough" })
      assert.strictEqual(model.doGenerateCalls.length, 1)
    })
  })

  it("hands files on that the model takes", () =>
    using({ tools: [look] }, async (toolkit) => {
      const model = new MockLanguageModelV4({ doGenerate: [turn([call("look", {})]), turn([said("nice")])] })
      await generateText({ model, prompt: "?", tools: await toolkit.toAiSdk(), stopWhen: isStepCount(5) })
      const output = JSON.stringify(resultsOf(model, 1)["call_look"])
      assert.include(output, `"type":"content"`)
      assert.include(output, "a picture")
      assert.include(output, "image/png")
      assert.notMatch(output, /audio\/wav|image\/tiff/)
    }))

  it("declares by the rules of a provider, and reads back what the model sends", () =>
    using({
      tools: [
        defineTool({
          name: "web/fetch.page",
          input: { type: "object", properties: { "max-bytes": { type: "integer" } }, required: ["max-bytes"] },
          handler: (args) => args
        })
      ]
    }, async (toolkit) => {
      for (
        const [target, key] of [["anthropic", "max-bytes"], ["gemini", "max_bytes"], [undefined, "max_bytes"]] as const
      ) {
        const tools = await toolkit.toAiSdk(target === undefined ? {} : { target })
        const [name = ""] = Object.keys(tools)
        assert.match(name, /^web_fetch_page/)
        const model = new MockLanguageModelV4({ doGenerate: [turn([call(name, { [key]: 3 }, "1")]), turn([said("")])] })
        await generateText({ model, prompt: "?", tools, stopWhen: isStepCount(5) })
        assert.deepInclude(resultsOf(model, 1)["1"], { type: "text", value: `{"max-bytes":3}` })
      }
    }))

  it("asks for approvals in the AI SDK's own way; what nobody approved doesn't run", async () => {
    let ran = 0
    const remove = defineTool({ name: "remove", handler: () => `removed ${++ran}` })
    const options = { tools: [remove], policy: [Policy.ask({ tool: "remove" })] }
    for (const approved of [true, false]) {
      const messages: Array<ModelMessage> = [{ role: "user", content: "remove it" }]
      await using(options, async (toolkit) => {
        const model = new MockLanguageModelV4({ doGenerate: [turn([call("remove", {})])] })
        const { content, response } = await generateText({
          model,
          messages,
          tools: await toolkit.toAiSdk(),
          stopWhen: isStepCount(5)
        })
        const request = content.find((part) => part.type === "tool-approval-request")
        assert.isDefined(request)
        messages.push(...response.messages, {
          role: "tool",
          content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved }]
        })
      })
      // another process
      await using(options, async (toolkit) => {
        const model = new MockLanguageModelV4({ doGenerate: [turn([said("done")])] })
        await generateText({ model, messages, tools: await toolkit.toAiSdk(), stopWhen: isStepCount(5) })
        assert.include(JSON.stringify(resultsOf(model, 0)), approved ? "removed 1" : "execution-denied")
        const [tool] = Object.values(await toolkit.toAiSdk())
        const error = await tool?.execute({}, { toolCallId: "call_remove", messages: [] }).catch((cause: unknown) =>
          cause
        )
        assert.deepInclude(error, { _tag: "ToolSuspended" })
      })
    }
    assert.strictEqual(ran, 1)
  })

  it("are called by hand with nothing but their input, as a test may", async () => {
    await using({ tools: [weather], policy: [Policy.ask({ tool: "never" })] }, async (toolkit) => {
      const [tool] = Object.values(await toolkit.toAiSdk())
      assert.strictEqual((await tool?.execute({ city: "Oslo" }))?.output, "sunny in Oslo")
      const [broken] = Object.values(await toolkit.toAiSdk({ callOptions: () => assert.fail("broken") }))
      assert.match(String(await broken?.execute({ city: "Oslo" }).catch((error: unknown) => error)), /broken/)
    })
  })

  it("takes no earlier approval of another call by the same id, and hands the SDK's context on", async () => {
    let ran = 0
    const remove = defineTool({
      name: "remove",
      input: { type: "object" },
      handler: (_, { context }) => `removed ${++ran} for ${String(context)}`
    })
    await using({ tools: [remove], policy: [Policy.ask()] }, async (toolkit) => {
      const [tool] = Object.values(await toolkit.toAiSdk({ callOptions: ({ context }) => ({ context }) }))
      const called = { type: "tool-call", toolCallId: "1", toolName: "remove", input: { path: "a", all: true } }
      const asked = [
        { role: "assistant", content: [called] },
        { role: "assistant", content: [{ type: "tool-approval-request", approvalId: "a", toolCallId: "1" }] },
        { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] }
      ]
      const again = [
        { role: "tool", content: [{ type: "tool-result", toolCallId: "1" }] },
        { role: "assistant", content: [called] }
      ]
      const outcome = (messages: ReadonlyArray<unknown>, input: unknown = { all: true, path: "a" }) =>
        tool?.execute(input, { toolCallId: "1", messages, context: "ann" }).then(
          ({ output }) => output,
          (error: unknown) => error instanceof Error ? error.name : error
        )
      assert.strictEqual(await outcome([...asked, ...again]), "ToolSuspended")
      assert.strictEqual(await outcome([...asked].toReversed()), "ToolSuspended")
      assert.strictEqual(await outcome(asked.map((message) => ({ ...message, role: "user" }))), "ToolSuspended")
      for (const input of [{ path: "/", all: true }, {}, null]) {
        assert.strictEqual(await outcome(asked, input), "ToolSuspended")
      }
      const other = { ...called, toolName: "list" }
      assert.strictEqual(await outcome([{ content: [other] }, ...asked.slice(1)]), "ToolSuspended")
      assert.strictEqual(await outcome([{ content: "?" }, null, ...asked]), "removed 1 for ann")
    })
  })

  it("lets a resolver answer inline, and gives the program the request where there is none", async () => {
    const generate = async (toolkit: PlainToolkit.PlainToolkit) => {
      const model = new MockLanguageModelV4({ doGenerate: [turn([call("paint", {})]), turn([said("ok")])] })
      const result = await generateText({
        model,
        prompt: "?",
        tools: await toolkit.toAiSdk(),
        stopWhen: isStepCount(5)
      })
      return { result, output: resultsOf(model, 1)["call_paint"] }
    }
    const asked: Array<unknown> = []
    await using({
      tools: [paint],
      waitFor: (request, { context }) => {
        asked.push([request.prompt, context])
        return Promise.resolve(Answer.make(request, true, "blue"))
      }
    }, async (toolkit) => {
      assert.deepInclude((await generate(toolkit)).output, { type: "text", value: `painted it "blue"` })
      assert.deepStrictEqual(asked, [["Which colour?", undefined]])
    })
    await using({ tools: [paint] }, async (toolkit) => {
      const { output, result } = await generate(toolkit)
      assert.deepInclude(output, { type: "error-text", value: "ToolSuspended: Which colour?" })
      const error = result.steps[0]?.content.find((part) => part.type === "tool-error")?.error
      assert.isTrue(error instanceof Error && "request" in error)
    })
  })
})

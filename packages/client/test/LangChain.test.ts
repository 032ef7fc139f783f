/** Against the real `@langchain/core`, and LangGraph's `ToolNode`, which runs what an agent's model calls. */
import { Answer, defineTool, type Request, ToolResult } from "@effect-toolnexus/core"
import { Policy } from "@effect-toolnexus/toolkit"
import { assert, describe, it } from "@effect/vitest"
import { AIMessage, type BaseMessage, isToolMessage } from "@langchain/core/messages"
import { DynamicStructuredTool } from "@langchain/core/tools"
import { convertToOpenAITool } from "@langchain/core/utils/function_calling"
import { FakeListChatModel } from "@langchain/core/utils/testing"
import {
  Annotation,
  Command,
  interrupt,
  isInterrupted,
  MemorySaver,
  MessagesAnnotation,
  StateGraph
} from "@langchain/langgraph"
import { ToolNode } from "@langchain/langgraph/prebuilt"
import * as Effect from "effect/Effect"
import { type LangChain, type PlainToolkit } from "../src/index.ts"
import { endless, paint, using, weather } from "./support.ts"

const toTools = async (toolkit: PlainToolkit.PlainToolkit, options?: LangChain.Options) =>
  (await toolkit.toLangChain(options)).map((fields) => new DynamicStructuredTool(fields))

const called = (...calls: ReadonlyArray<readonly [name: string, args: Record<string, unknown>]>) =>
  new AIMessage({ content: "", tool_calls: calls.map(([name, args]) => ({ name, args, id: `call_${name}` })) })

/** What a node of tools answers to a model's message, in short. */
const answersOf = (messages: ReadonlyArray<BaseMessage>) =>
  messages.flatMap((message) => isToolMessage(message) ? [[message.name, message.status, message.content]] : [])

const runNode = async (tools: Array<DynamicStructuredTool>, message: AIMessage, signal?: AbortSignal) => {
  const state: { readonly messages: Array<BaseMessage> } = await new ToolNode(tools).invoke(
    { messages: [message] },
    signal === undefined ? {} : { signal }
  )
  return state.messages
}

describe("toLangChain", () => {
  it("is what DynamicStructuredTool is made of, and a model binds", () =>
    using({ tools: [weather] }, async (toolkit) => {
      const tools = await toTools(toolkit)
      const [tool] = tools
      assert.isDefined(tool)
      assert.deepStrictEqual(convertToOpenAITool(tool), {
        type: "function",
        function: {
          name: "weather",
          description: "The weather in a city",
          parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
        }
      })
      const model = new FakeListChatModel({ responses: ["hello"] }).bindTools(tools)
      assert.strictEqual((await model.invoke("?")).content, "hello")
      assert.strictEqual(await tool.invoke({ city: "Oslo" }), "sunny in Oslo")
      const message = await tool.invoke({ type: "tool_call", id: "1", name: "weather", args: { city: "Rome" } })
      assert.deepInclude(message, {
        content: "sunny in Rome",
        artifact: ToolResult.success("sunny in Rome"),
        tool_call_id: "1"
      })
    }))

  it("answers failures to the model", () =>
    using({
      tools: [weather, defineTool({ name: "broken", handler: () => Effect.fail(new Error("no database")) })]
    }, async (toolkit) => {
      const answers = answersOf(
        await runNode(await toTools(toolkit), called(["weather", { city: "Oslo" }], ["broken", {}], ["ghost", {}]))
      )
      assert.deepStrictEqual(answers.map(([name, status]) => [name, status]), [
        ["weather", "success"],
        ["broken", "error"],
        ["ghost", "error"]
      ])
      assert.include(answers[1]?.[2], "no database")
      const [tool] = await toTools(toolkit)
      const error = await tool?.invoke({ town: "Oslo" }).catch((cause: unknown) => cause)
      assert.include(String(error), "city")
    }))

  it("aborts what runs when the run is aborted", async () => {
    const abort = new AbortController()
    const slow = endless(Effect.sync(() => abort.abort(new Error("enough"))))
    await using({ tools: [slow.tool] }, async (toolkit) => {
      const failure = await runNode(await toTools(toolkit), called(["slow", {}]), abort.signal).catch(
        (error: unknown) => error
      )
      await slow.interrupted
      assert.isDefined(failure)
    })
  })

  it("hands images on as content blocks, and the whole result as the artifact", () => {
    const result = ToolResult.success("a picture", {
      content: [{ type: "image", data: "aGk=", mimeType: "image/png" }]
    })
    return using({ tools: [defineTool({ name: "look", handler: () => result })] }, async (toolkit) => {
      const [message] = await runNode(await toTools(toolkit), called(["look", {}]))
      assert.deepStrictEqual(message?.content, [
        { type: "text", text: "a picture" },
        { type: "image", mimeType: "image/png", data: "aGk=" }
      ])
      assert.deepStrictEqual(message !== undefined && isToolMessage(message) ? message.artifact : undefined, result)
    })
  })

  it("reads back what a model sends by lowered names", () =>
    using({
      tools: [
        defineTool({
          name: "web/fetch.page",
          input: { type: "object", properties: { "max-bytes": { type: "integer" } }, required: ["max-bytes"] },
          handler: (args, { id }) => ({ args, id })
        })
      ]
    }, async (toolkit) => {
      const tools = await toTools(toolkit)
      const name = tools[0]?.name ?? ""
      const [message] = await runNode(tools, called([name, { max_bytes: 3 }]))
      assert.deepStrictEqual(message?.content, `{"args":{"max-bytes":3},"id":"call_${name}"}`)
    }))

  it("ends a graph where a call waits for a person, and goes on with the answer", async () => {
    let ran = 0
    const remove = defineTool({ name: "remove", handler: () => `removed ${++ran}` })
    await using({ tools: [remove, paint], policy: [Policy.ask({ tool: "remove" })] }, async (toolkit) => {
      const tools = await toTools(toolkit, {
        onSuspended: (request) => interrupt<Request.Request, Answer.Answer>(request)
      })
      const graph = new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec }))
        .addNode("tools", new ToolNode(tools))
        .addEdge("__start__", "tools")
        .compile({ checkpointer: new MemorySaver() })
      for (
        const [name, kind, data, answer] of [
          ["remove", "approval", undefined, "removed 1"],
          ["paint", "question", "blue", `painted it "blue"`]
        ] as const
      ) {
        const config = { configurable: { thread_id: name } }
        const stopped: unknown = await graph.invoke({ messages: [called([name, {}])] }, config)
        assert.isTrue(isInterrupted<Request.Request>(stopped))
        const request = isInterrupted<Request.Request>(stopped) ? stopped.__interrupt__[0]?.value : undefined
        assert.strictEqual(request?.kind, kind)
        assert.isDefined(request)
        const { messages } = await graph.invoke(new Command({ resume: Answer.make(request, true, data) }), config)
        assert.deepStrictEqual(answersOf(messages), [[name, "success", answer]])
      }
      assert.strictEqual(ran, 1)
    })
  })

  it("throws the request where nobody answers, and takes a no for a no", () =>
    using({ tools: [weather], policy: [Policy.ask()] }, async (toolkit) => {
      const outcome = async (options?: LangChain.Options) => {
        const [tool] = await toTools(toolkit, options)
        return await tool?.invoke({ city: "Oslo" }).catch((error: unknown) => error)
      }
      assert.deepInclude(await outcome(), { _tag: "ToolSuspended" })
      const no = (request: Request.Request) => Promise.resolve(Answer.make(request, false))
      assert.deepInclude(await outcome({ onSuspended: no }), { _tag: "ToolDenied" })
    }))
})

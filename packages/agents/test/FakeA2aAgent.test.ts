import { ToolError } from "@effect-toolnexus/core"
import { A2aReply, FakeA2aAgent } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { callTool, toolOf } from "./fixtures/support.ts"

/** The agent that users get for their tests, which is written by others and strict about what it is sent. */
describe.each(
  [["0.3", false], ["0.3", true], ["1.0", false], ["1.0", true], ["both", false], ["both", true]] as const
)("with the fake agent that speaks %s, streaming %s", (dialect, streaming) => {
  it.live("a call comes to its end", () =>
    Effect.gen(function*() {
      const agent = yield* FakeA2aAgent.make({
        dialect,
        streaming,
        reply: (text) => A2aReply.completed(`You said ${text}`, { polls: 2 })
      })
      const tool = yield* toolOf({ card: agent.cardUrl, pollEvery: 10 })
      assert.strictEqual((yield* callTool(tool, undefined, "hello")).output, "You said hello")
      const methods = (yield* agent.requests).flatMap(({ body }) => /"method":"(\w+\/?\w+)"/.exec(body)?.[1] ?? [])
      assert.strictEqual(methods.length, streaming ? 1 : 3)
    }))

  it.live("a message is an answer, and what never ends is left in time", () =>
    Effect.gen(function*() {
      const reply = (text: string) => text === "hang" ? A2aReply.endless : A2aReply.message("just", "words")
      const agent = yield* FakeA2aAgent.make({ dialect, streaming, reply })
      const tool = yield* toolOf({ card: agent.cardUrl, pollEvery: 10, timeout: 2000 })
      assert.strictEqual((yield* callTool(tool)).output, "just\nwords")
      assert.instanceOf(yield* Effect.flip(callTool(tool, undefined, "hang")), ToolError.ToolTimeout)
    }))

  it.live("a suspended call goes on", () =>
    Effect.gen(function*() {
      const agent = yield* FakeA2aAgent.make({
        dialect,
        streaming,
        reply: A2aReply.waiting("input-required", "Which colour?", A2aReply.completed("painted it"))
      })
      const tool = yield* toolOf({ card: agent.cardUrl, pollEvery: 10 })
      const error = yield* Effect.flip(callTool(tool))
      const { id, state } = error instanceof ToolError.ToolSuspended ? error.request : yield* error
      const result = yield* callTool(tool, { answer: { id, ok: true, data: "blue" }, state })
      assert.strictEqual(result.output, "painted it")
    }))
})

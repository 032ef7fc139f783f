/** Agents in a whole toolkit: rounds of questions, answers that are no, and what providers make of their tools. */
import { Answer, type Request, Toolkit } from "@effect-toolnexus/core"
import { A2aReply, FakeA2aAgent } from "@effect-toolnexus/testing"
import * as ToolkitLive from "@effect-toolnexus/toolkit/ToolkitLive"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cardOf, said, start, task } from "./fixtures/rawAgent.ts"

const toolkitOf = (card: string, answer?: (request: Request.Request) => Answer.Answer) =>
  ToolkitLive.ToolkitLive({
    agents: { helper: { card, pollEvery: 10 } },
    builtins: false,
    ...(answer === undefined ? {} : { waitFor: (request: Request.Request) => Effect.succeed(answer(request)) })
  })

const ask = (times: number): A2aReply.Reply =>
  times === 0 ? A2aReply.completed("at last") : A2aReply.waiting("input-required", `question ${times}`, ask(times - 1))

const yes = (request: Request.Request) => Answer.make(request, true, "yes")

describe.each(["0.3", "1.0"] as const)("an agent of %s in a toolkit", (dialect) => {
  it.live("is answered inline, up to ten times", () =>
    Effect.gen(function*() {
      for (const [times, expected] of [[10, "at last"], [11, "unresolved: question 1"]] as const) {
        const agent = yield* FakeA2aAgent.make({ name: "helper", dialect, reply: ask(times) })
        const { output } = yield* Effect.provide(
          Toolkit.use(({ execute }) => execute("helper_answer", { task: "x" })),
          toolkitOf(agent.cardUrl, yes)
        )
        assert.strictEqual(output, expected)
        // what nobody answers any more is canceled
        assert.strictEqual((yield* agent.cancels).length, times === 11 ? 1 : 0)
      }
    }))

  it.live("is canceled when the answer is no", () =>
    Effect.gen(function*() {
      const agent = yield* FakeA2aAgent.make({ name: "helper", dialect, streaming: true, reply: ask(1) })
      const call = Toolkit.use(({ call: make }) => make("helper_answer", { task: "x" }))
      const error = yield* Effect.flip(
        Effect.provide(call, toolkitOf(agent.cardUrl, (request) => Answer.make(request, false)))
      )
      assert.strictEqual(error._tag, "ToolDenied")
      yield* Effect.sleep(10).pipe(
        Effect.andThen(agent.cancels),
        Effect.repeat({ until: (cancels) => cancels.length === 1 }),
        Effect.timeout(5000)
      )
    }))

  it.live("is gone on with by another toolkit, once the answer is what the agent wants", () =>
    Effect.gen(function*() {
      const schema = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] }
      const agent = yield* start({
        card: (base) => cardOf(base, "1.0", { capabilities: {} }),
        answer: ({ before }, wire) =>
          wire.result(
            before === 0
              ? task("INPUT_REQUIRED", {
                status: {
                  state: "TASK_STATE_INPUT_REQUIRED",
                  message: { ...said("Which?"), parts: [{ text: "Which?" }, { data: { schema } }] }
                }
              })
              : task("COMPLETED", { artifacts: [{ artifactId: "a", parts: [{ text: "done" }] }] })
          )
      })
      const first = yield* Effect.provide(
        Effect.flip(Toolkit.use(({ call }) => call("helper_answer", { task: "x" }))),
        toolkitOf(agent.url)
      )
      const request = first._tag === "ToolSuspended" ? first.request : yield* Effect.die(first)
      const resume = (data: string | { readonly colour: string }) =>
        Effect.provide(
          Effect.result(Toolkit.use((toolkit) => toolkit.resume(request, Answer.make(request, true, data)))),
          toolkitOf(agent.url)
        )
      const wrong = yield* resume("blue")
      assert.strictEqual(wrong._tag === "Failure" ? wrong.failure._tag : "", "InvalidArguments")
      const right = yield* resume({ colour: "blue" })
      assert.strictEqual(right._tag === "Success" ? right.success.output : "", "done")
      assert.deepInclude(agent.asked[1]?.params.message, { taskId: "t1", contextId: "c1" })
    }))

  it.live("is a tool that every provider takes, and its arguments are checked", () =>
    Effect.gen(function*() {
      const agent = yield* FakeA2aAgent.make({ name: "helper", dialect })
      const program = Effect.gen(function*() {
        const { check, execute } = yield* Toolkit
        for (const provider of ["openai", "openai-responses", "anthropic", "gemini"] as const) {
          assert.deepStrictEqual((yield* check(provider, { strict: true })).left_out, [])
        }
        const { output } = yield* execute("helper_answer", { task: "x", file: "a" })
        assert.match(output, /Invalid arguments/)
        assert.strictEqual((yield* execute("helper_answer", { task: "x", files: [{ text: "a" }] })).output, "x")
      })
      yield* Effect.provide(program, toolkitOf(agent.cardUrl))
    }))
})

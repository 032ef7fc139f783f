/** Everything a toolkit can do, once: look, call, change it while it lives, narrow it, follow it. */
import { A2aReply, FakeA2aAgent } from "@effect-toolnexus/testing"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect, Fiber, Latch, Option, Stream } from "effect"
import { defineTool, Precedence, Toolkit, ToolkitLive } from "effect-toolnexus"

const bash = defineTool({
  name: "bash",
  description: "A shell of one's own in place of the builtin",
  handler: (_, { progress }) => Effect.as(progress({ progress: 1, total: 1, message: "done" }), "not today")
})

const program = Effect.gen(function*() {
  const toolkit = yield* Toolkit
  const { sources, toolNames } = yield* toolkit.snapshot
  yield* Console.log(toolNames, sources)
  yield* Console.log(
    (yield* toolkit.shadowed).map(({ loser, name, winner }) => `${name}: ${winner.kind} over ${loser.kind}`)
  )
  yield* Console.log(Option.isSome(yield* toolkit.get("read")))

  // a call, with its progress; and a tool that a model made up
  const onProgress = (progress: object) => Console.log("progress", progress)
  yield* Console.log((yield* toolkit.call("bash", {}, { onProgress })).output)
  yield* Console.log((yield* toolkit.execute("delete_repo", "{}")).output)

  // while it lives: every change is seen by whoever follows, once it has begun to
  const following = yield* Latch.make()
  const followed = yield* toolkit.changes.pipe(
    Stream.tap(() => following.open),
    Stream.filter(({ added }) => added.length > 0),
    Stream.map(({ added }) => added),
    Stream.take(2),
    Stream.runCollect,
    Effect.forkChild({ startImmediately: true })
  )
  yield* following.await
  yield* toolkit.register(defineTool({ name: "late", handler: () => "better than never" }))
  const agent = yield* FakeA2aAgent.make({ name: "Helper", reply: (text) => A2aReply.completed(text) })
  const { entry, id } = yield* toolkit.addAgent({ card: agent.cardUrl, pollEvery: 20 }, "helper")
  yield* Console.log(id, entry._tag, yield* Fiber.join(followed))
  yield* Console.log(yield* toolkit.unregister("late"))

  // fewer tools, for a model that should have fewer
  const view = toolkit.view({ include: ["read", "Helper_*"] })
  yield* Console.log(yield* view.toolNames, (yield* view.execute("bash")).output)
  for (
    const tools of [yield* view.toOpenAI({ mode: "responses" }), yield* view.toAnthropic(), yield* view.toGemini()]
  ) {
    yield* Console.log(JSON.stringify(tools).length > 0)
  }
})

const toolkit = ToolkitLive({ tools: [bash], precedence: Precedence.standard, startup: "background" })
NodeRuntime.runMain(Effect.scoped(Effect.provide(program, toolkit)))

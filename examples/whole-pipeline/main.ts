/**
 * The whole pipeline: a remote agent by its card, tools left out by name, stages of one's own around every call, a
 * resolver for what needs a person, and a shutdown that ends the calls in flight.
 */
import { A2aReply, assertNothingLeft, FakeA2aAgent, ScriptedMcpServer } from "@effect-toolnexus/testing"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect, Fiber } from "effect"
import { Answer, type Middleware, Toolkit, ToolkitLive } from "effect-toolnexus"

/** Runs once for each tool; what it returns runs for each call. */
const logged: Middleware.Middleware = (tool, next) => (args, call) =>
  Effect.tap(next(args, call), () => Console.log(`- ${tool.name} was called by ${String(call.context)}`))

const program = Effect.gen(function*() {
  const agent = yield* FakeA2aAgent.make({ name: "Writer", reply: (text) => A2aReply.completed(`wrote ${text}`) })
  const slow = ScriptedMcpServer.command({ tools: [{ name: "never", does: [{ hang: true }] }, { name: "purge" }] })
  const toolkit = ToolkitLive({
    config: { mcpServers: { slow }, agents: { writer: { card: agent.cardUrl, pollEvery: 20 } } },
    disableTools: ["slow_purge", "bash"],
    middleware: [logged],
    waitFor: (request) => Effect.succeed(Answer.make(request, true)),
    maxOutput: 2000
  })

  const inFlight = yield* Effect.gen(function*() {
    const { call, execute, toolNames } = yield* Toolkit
    yield* Console.log(yield* toolNames)
    yield* Console.log((yield* call("Writer_answer", { task: "a poem" }, { context: "user 7", timeout: 5000 })).output)
    return yield* Effect.forkDetach(execute("slow_never"), { startImmediately: true })
  }).pipe(Effect.provide(toolkit))

  // by now the toolkit is closed: the call that was in flight has its answer, and no process is left
  yield* Console.log((yield* Fiber.join(inFlight)).output)
})

NodeRuntime.runMain(assertNothingLeft(program))

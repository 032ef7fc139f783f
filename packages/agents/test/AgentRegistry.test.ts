import { AgentSource } from "@effect-toolnexus/agents"
import { AgentRegistry, type RemoteAgent, Source } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { start } from "./fixtures/scriptedAgent.ts"
import { callTool, messageOf, phaseOf, platform, toolsOf } from "./fixtures/support.ts"

/** The source of one agent from the beginning, and what a toolkit does with it later. */
const registryWith = Effect.fnUntraced(function*(first: RemoteAgent) {
  const layer = AgentSource.layer({ agents: [["first", { folder: "/", ...first }]] })
  const context = yield* Layer.build(Layer.provide(layer, platform))
  const source = Context.get(context, Source)
  yield* Source.settled(source)
  return {
    add: Context.get(context, AgentRegistry).add,
    entries: SubscriptionRef.get(source.entries),
    names: Effect.map(
      SubscriptionRef.get(source.entries),
      (entries) => Object.fromEntries(entries.map(({ name, tools }) => [name, tools.map((tool) => tool.name)]))
    )
  }
})

describe("AgentRegistry", () => {
  it.live("adds an agent whose tools have names of their own, though cards and skills are called the same", () =>
    Effect.gen(function*() {
      const registry = yield* registryWith({ card: (yield* start({ speaks: "1.0" })).url })
      const second = yield* registry.add({ card: (yield* start({ speaks: "0.3" })).url }, "second")
      assert.strictEqual(second._tag, "Loaded")
      const names = yield* registry.names
      assert.deepStrictEqual(names["first"], ["helper_answer"])
      assert.match(names["second"]?.[0] ?? "", /^helper_answer_[0-9a-f]{6}$/)
      assert.deepStrictEqual(toolsOf([second]).map(({ name }) => name), names["second"])
    }))

  it.live("puts an agent in the place of the one that had its name, also of one still on its way", () =>
    Effect.gen(function*() {
      const slow = yield* start({ speaks: "1.0", intercept: () => true })
      const registry = yield* registryWith({ card: (yield* start({ speaks: "1.0" })).url })
      const replaced = yield* Effect.forkChild(registry.add({ card: slow.url }, "first"), { startImmediately: true })
      const next = yield* start({ speaks: "1.0", name: "Next" })
      const entry = yield* registry.add({ card: next.url }, "first")
      assert.deepStrictEqual(toolsOf([entry]).map(({ name }) => name), ["Next_answer"])
      assert.deepStrictEqual(yield* registry.names, { first: ["Next_answer"] })
      // whoever waited for the earlier one has what stands there now
      assert.isDefined(replaced.pollUnsafe())
    }))

  it.live("gives a failed entry, called after the card, and keeps the others", () =>
    Effect.gen(function*() {
      const registry = yield* registryWith({ card: (yield* start({ speaks: "1.0" })).url })
      const wrong = yield* registry.add({ card: "http://user:passw0rd@127.0.0.1:1/card" })
      assert.deepStrictEqual([wrong.name, wrong._tag, phaseOf(wrong)], ["http://127.0.0.1:1/card", "Failed", "connect"])
      assert.notInclude(messageOf(wrong), "passw0rd")
      const bad = yield* registry.add({ card: "nonsense", timeout: -1 }, "bad")
      assert.deepStrictEqual([bad._tag, phaseOf(bad)], ["Failed", "config"])
      // @ts-expect-error: untyped callers
      assert.strictEqual(phaseOf(yield* registry.add(null, "nothing")), "config")
      // @ts-expect-error: untyped callers
      assert.strictEqual(phaseOf(yield* registry.add(undefined)), "config")
      assert.deepStrictEqual((yield* registry.entries).slice(0, 3).map(({ _tag }) => _tag), [
        "Loaded",
        "Failed",
        "Failed"
      ])
    }))

  it.live("ends the calls of an agent that is replaced, and tells it", () =>
    Effect.gen(function*() {
      const agent = yield* start({ speaks: "1.0", steps: [{ state: "working" }] })
      const registry = yield* registryWith({ card: agent.url, pollEvery: 20 })
      const tool = toolsOf(yield* registry.entries)[0] ?? (yield* Effect.die(new Error("no tool")))
      const call = yield* Effect.forkChild(Effect.flip(callTool(tool)))
      const until = (method: string) =>
        Effect.sleep(10).pipe(
          Effect.repeat({ while: () => !agent.methods().includes(method) }),
          Effect.timeout(5000)
        )
      yield* until("GetTask")
      const next = yield* start({ speaks: "0.3", name: "Next" })
      yield* registry.add({ card: next.url, as: "agent" }, "first")
      const error = yield* Fiber.join(call)
      assert.strictEqual(error._tag, "ToolUnavailable")
      assert.match(error.message, /the agent replaced/)
      yield* until("CancelTask")
      assert.deepStrictEqual(yield* registry.names, { first: ["Next"] })
    }))
})

import { ToolCall, ToolError } from "@effect-toolnexus/core"
import { assertNothingLeft } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { type Dialect, type Script, type ScriptedAgent, start, type Step } from "./fixtures/scriptedAgent.ts"
import { callTool, toolOf } from "./fixtures/support.ts"

const WORKING: Step = { state: "working" }
const COMPLETED: Step = { state: "completed", artifacts: [[{ text: "42" }]] }

const begin = Effect.fnUntraced(function*(script: Script, timeout = 10_000) {
  const agent = yield* start(script)
  const tool = yield* toolOf({ card: agent.url, pollEvery: 20, timeout })
  return { agent, tool }
})

const call = (script: Script, timeout?: number) => Effect.flatMap(begin(script, timeout), ({ tool }) => callTool(tool))

const until = (agent: ScriptedAgent, method: string, times = 1) =>
  Effect.sleep(10).pipe(
    Effect.repeat({ while: () => agent.methods().filter((called) => called === method).length < times }),
    Effect.timeout(3000)
  )

const CANCEL: Readonly<Record<Dialect, string>> = { "0.3": "tasks/cancel", "1.0": "CancelTask" }
const DIALECTS = ["0.3", "1.0"] as const

describe.each(DIALECTS)("a call of an agent of %s", (speaks) => {
  it.live("follows the task to its end", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ speaks, steps: [{ state: "submitted" }, WORKING, WORKING, COMPLETED] })
      const result = yield* callTool(tool)
      assert.strictEqual(result.output, "42")
      assert.isFalse(result.isError)
      const { ms, ...rest } = result.metadata ?? {}
      assert.deepStrictEqual(rest, { agent: "helper", taskId: "t1", contextId: "c1", state: "completed" })
      assert.isNumber(ms)
      const [send, get] = speaks === "1.0" ? ["SendMessage", "GetTask"] : ["message/send", "tasks/get"]
      assert.deepStrictEqual(agent.methods(), [send, get, get, get])
    }))

  it.live("takes a message for the answer", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ speaks, steps: [{ message: "forty-two" }] })
      const result = yield* callTool(tool)
      assert.strictEqual(result.output, "forty-two")
      assert.strictEqual(result.metadata?.["contextId"], "c1")
      assert.strictEqual(agent.calls.length, 1)
    }))

  it.live("is understood where the card claims the other version, and remembers", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({
        speaks,
        claims: speaks === "1.0" ? "0.3" : "1.0",
        steps: [WORKING, COMPLETED]
      })
      assert.strictEqual((yield* callTool(tool)).output, "42")
      const wrong = agent.calls.length
      assert.strictEqual((yield* callTool(tool)).output, "42")
      assert.strictEqual(wrong, 3)
      assert.strictEqual(agent.calls.length, 5)
    }))

  it.live.each(["failed", "rejected", "canceled"])("fails when the task ends as %s", (state) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(call({ speaks, steps: [WORKING, { state, text: "too hard" }] }))
      assert.instanceOf(error, ToolError.ToolFailed)
      assert.strictEqual(error.message, `A2A task t1 ${state}: too hard`)
      if (error instanceof ToolError.ToolFailed) assert.strictEqual(error.result?.metadata?.["state"], state)
    }))

  it.live("cancels the task when the time is up", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ speaks, steps: [WORKING] }, 200)
      const error = yield* Effect.flip(callTool(tool))
      assert.instanceOf(error, ToolError.ToolTimeout)
      if (error instanceof ToolError.ToolTimeout) assert.deepStrictEqual([error.limit, error.phase], [200, "total"])
      yield* until(agent, CANCEL[speaks])
      assert.strictEqual(agent.calls.at(-1)?.params["id"], "t1")
    }))

  it.live("cancels the task when it is interrupted", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ speaks, steps: [WORKING] })
      const fiber = yield* Effect.forkChild(callTool(tool))
      yield* Effect.sleep(100)
      yield* Fiber.interrupt(fiber)
      yield* until(agent, CANCEL[speaks])
    }))

  it.live("suspends for input and goes on with the same task and context", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({
        speaks,
        steps: [WORKING, { state: "input-required", text: "Which colour?" }],
        resumed: [WORKING, COMPLETED]
      })
      const request = yield* suspension(callTool(tool))
      const { state, ...shown } = request
      assert.deepStrictEqual(shown, { id: "call-1", kind: "input", prompt: "Which colour?" })
      assert.deepInclude(state, { taskId: "t1", contextId: "c1" })
      const result = yield* callTool(tool, answered(request.state, "blue"))
      assert.strictEqual(result.output, "42")
      const resumed = agent.calls[2]?.params["message"]
      assert.deepInclude(resumed, { taskId: "t1", contextId: "c1" })
      assert.deepInclude(resumed, { parts: [speaks === "1.0" ? { text: "blue" } : { kind: "text", text: "blue" }] })
    }))
})

const suspension = Effect.fnUntraced(function*(suspended: Effect.Effect<unknown, ToolError.ToolError>) {
  const error = yield* Effect.flip(suspended)
  return error instanceof ToolError.ToolSuspended ? error.request : yield* Effect.die(error)
})

const answered = (state: ToolCall.Resumed["state"], data: string): ToolCall.Resumed => ({
  answer: { id: "call-1", ok: true, data },
  state
})

describe("a call of an agent", () => {
  it.live("sends the task, the version and no id of an earlier task", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ speaks: "1.0" })
      yield* callTool(tool)
      yield* callTool(tool)
      for (const { headers, params } of agent.calls) {
        assert.strictEqual(headers["a2a-version"], "1.0")
        assert.deepInclude(params["message"], { role: "ROLE_USER", parts: [{ text: "What is six times seven?" }] })
        assert.notProperty(params["message"], "taskId")
      }
    }))

  it.live("joins the text of artifacts, and keeps files and data beside it", () =>
    Effect.gen(function*() {
      const artifacts = [
        [{ kind: "text", text: "one" }, { kind: "data", data: { a: 1 } }],
        [{ kind: "text", text: "two" }, { kind: "file", file: { bytes: "QQ==", mimeType: "image/png" } }, {
          kind: "file",
          file: { uri: "https://h/f.pdf", mimeType: "application/pdf", name: "f.pdf" }
        }]
      ]
      const result = yield* call({ speaks: "0.3", steps: [{ state: "completed", artifacts }] })
      assert.strictEqual(result.output, "one\ntwo")
      assert.deepStrictEqual(result.structured, { a: 1 })
      assert.deepStrictEqual(result.content, [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
        { type: "image", data: "QQ==", mimeType: "image/png" },
        { type: "resource_link", uri: "https://h/f.pdf", name: "f.pdf", mimeType: "application/pdf" }
      ])
    }))

  it.live("answers with the agent's last message where there are no artifacts", () =>
    Effect.gen(function*() {
      const result = yield* call({ speaks: "0.3", steps: [{ state: "completed", text: "all done" }] })
      assert.strictEqual(result.output, "all done")
    }))

  it.live("doesn't take an unknown state for an end", () =>
    Effect.gen(function*() {
      const result = yield* call({
        speaks: "1.0",
        steps: [{ state: "exploring" }, { state: "unspecified" }, COMPLETED]
      })
      assert.strictEqual(result.output, "42")
    }))

  it.live("sends a person to the login that the agent names", () =>
    Effect.gen(function*() {
      const text = "Please log in at https://login.example/start?x=1."
      const { tool } = yield* begin({ speaks: "1.0", steps: [{ state: "auth-required", text }] })
      const request = yield* suspension(callTool(tool))
      assert.strictEqual(request.kind, "authorization")
      assert.strictEqual(request.prompt, text)
      assert.strictEqual(request.url, "https://login.example/start?x=1")
    }))

  it.live("a login without an address that is safe is done elsewhere, and only said to be done", () =>
    Effect.gen(function*() {
      for (
        const text of [
          "Log in with your admin",
          "Log in at http://login.example/",
          "Log in at https://bank.example@evil.example/"
        ]
      ) {
        const { tool } = yield* begin({ speaks: "1.0", steps: [{ state: "auth-required", text }] })
        const { kind, prompt, url } = yield* suspension(callTool(tool))
        assert.deepStrictEqual([kind, prompt, url], ["input", text, undefined])
      }
    }))

  it.live("cancels the task of a suspension that was declined", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ speaks: "1.0" })
      const withdraw = tool.suspension?.withdraw ?? (() => Effect.die("nothing is cleared up"))
      yield* withdraw({ taskId: "t1" }, ToolCall.make(tool.name, "call-1"))
      yield* until(agent, "CancelTask")
    }))

  it.live("bears with a poll or two that is lost, and not with more", () =>
    Effect.gen(function*() {
      const lost: Step = { status: 503 }
      const result = yield* call({ speaks: "1.0", steps: [WORKING, lost, lost, WORKING, lost, COMPLETED] })
      assert.strictEqual(result.output, "42")
      const error = yield* Effect.flip(call({ speaks: "1.0", steps: [WORKING, lost] }))
      assert.match(error.message, /HTTP 503/)
    }))

  it.live("never sends again what may have begun", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ speaks: "1.0", steps: [{ status: 503 }] })
      const error = yield* Effect.flip(callTool(tool))
      assert.instanceOf(error, ToolError.ToolFailed)
      assert.strictEqual(agent.calls.length, 1)
    }))

  it.live("reports the agent's own error, and tries no other dialect for it", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({
        speaks: "1.0",
        steps: [{ error: { code: -32602, message: "task too long" } }]
      })
      const error = yield* Effect.flip(callTool(tool))
      assert.match(error.message, /-32602: task too long/)
      assert.strictEqual(agent.calls.length, 1)
    }))

  it.live("tries the other dialect once, and reports the first refusal", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ speaks: "1.0", steps: [{ error: { code: -32601, message: "first" } }] })
      const error = yield* Effect.flip(callTool(tool))
      assert.match(error.message, /-32601: first/)
      assert.deepStrictEqual(agent.methods(), ["SendMessage", "message/send"])
    }))

  it.live("is unavailable when the agent is gone", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const agent = yield* Scope.provide(start({ speaks: "1.0" }), scope)
      const tool = yield* toolOf({ card: agent.url })
      yield* Scope.close(scope, Exit.void)
      assert.instanceOf(yield* Effect.flip(callTool(tool)), ToolError.ToolUnavailable)
    }))

  it.live("cancels a task whose id came only after the caller had left", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ speaks: "1.0", steps: [WORKING], sendDelay: 800 })
      const fiber = yield* Effect.forkChild(callTool(tool))
      yield* until(agent, "SendMessage")
      yield* Effect.timeout(Fiber.interrupt(fiber), 700)
      yield* until(agent, "CancelTask")
    }))

  it.live("waits for its turn where only so many calls may run at once, within its time", () =>
    Effect.gen(function*() {
      for (const maxConcurrent of [1, undefined]) {
        const agent = yield* start({ speaks: "1.0", sendDelay: 400 })
        const bound = maxConcurrent === undefined ? {} : { maxConcurrent }
        const tool = yield* toolOf({ card: agent.url, pollEvery: 20, timeout: 600, ...bound })
        const calls = yield* Effect.forkChild(
          Effect.all([callTool(tool), callTool(tool)].map(Effect.result), { concurrency: 2 })
        )
        yield* Effect.sleep(200)
        assert.strictEqual(agent.calls.length, maxConcurrent ?? 2)
        const failures = (yield* Fiber.join(calls)).filter(Result.isFailure)
        // the second has 200 of its 600 ms left when its turn comes
        const expected = maxConcurrent === undefined ? [] : ["ToolTimeout"]
        assert.deepStrictEqual(failures.map(({ failure }) => failure._tag), expected)
      }
    }))

  it.live("leaves out data that is too deep", () =>
    Effect.gen(function*() {
      const { tool } = yield* begin({
        speaks: "1.0",
        intercept: (request, response) => {
          if (request.method === "GET") return false
          const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`
          const artifacts = `[{"parts":[{"text":"kept"},{"data":${deep}}]}]`
          const task = `{"id":"t1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":${artifacts}}`
          response.end(`{"jsonrpc":"2.0","id":1,"result":{"task":${task}}}`)
          return true
        }
      })
      const result = yield* callTool(tool)
      assert.deepStrictEqual([result.output, result.structured], ["kept", undefined])
    }))

  it.live("leaves an agent that doesn't answer at once, and closes within its limit", () =>
    Effect.gen(function*() {
      const agent = yield* start({ speaks: "1.0", steps: [{ hang: true }] })
      const scope = yield* Scope.make()
      const tool = yield* Scope.provide(toolOf({ card: agent.url }), scope)
      const fiber = yield* Effect.forkChild(callTool(tool))
      yield* until(agent, "SendMessage")
      yield* Effect.timeout(Fiber.interrupt(fiber), 1000)
      yield* Effect.timeout(Scope.close(scope, Exit.void), 2500)
    }))

  it.live("ends as unavailable when the source closes under it, and cancels the task", () =>
    Effect.gen(function*() {
      const agent = yield* start({ speaks: "1.0", steps: [WORKING] })
      const scope = yield* Scope.make()
      const tool = yield* Scope.provide(toolOf({ card: agent.url, pollEvery: 20 }), scope)
      const fiber = yield* Effect.forkChild(Effect.flip(callTool(tool)))
      yield* until(agent, "GetTask")
      yield* Scope.close(scope, Exit.void)
      assert.instanceOf(yield* Fiber.join(fiber), ToolError.ToolUnavailable)
      yield* until(agent, "CancelTask")
      assert.instanceOf(yield* Effect.flip(callTool(tool)), ToolError.ToolUnavailable)
    }))

  it.effect("polls at intervals that grow to ten times the first", () =>
    Effect.gen(function*() {
      const agent = yield* start({ speaks: "1.0", steps: [WORKING] })
      const tool = yield* TestClock.withLive(toolOf({ card: agent.url, pollEvery: 1000, timeout: 60_000 }))
      const fiber = yield* Effect.forkChild(Effect.flip(callTool(tool)))
      let polls = 0
      for (const interval of [1000, 1500, 2250, 3375, 5062.5, 7593.75, 10_000, 10_000]) {
        // what a poll answers comes over a real wire, so the next interval begins a moment later
        yield* TestClock.withLive(Effect.sleep(50))
        yield* TestClock.adjust(interval - 1)
        assert.strictEqual(agent.calls.length, 1 + polls)
        yield* TestClock.adjust(1)
        polls += 1
        yield* TestClock.withLive(until(agent, "GetTask", polls))
      }
      yield* TestClock.withLive(Effect.sleep(50))
      yield* TestClock.adjust("60 seconds")
      const error = yield* TestClock.withLive(Fiber.join(fiber))
      assert.instanceOf(error, ToolError.ToolTimeout)
    }))

  it.live("leaves nothing behind", () =>
    assertNothingLeft(Effect.gen(function*() {
      const { tool } = yield* begin({ speaks: "1.0", steps: [WORKING, COMPLETED] })
      yield* callTool(tool)
    })))

  it.live("bounds an answer that never ends", () =>
    Effect.gen(function*() {
      const chunk = "x".repeat(1024 * 1024)
      const { tool } = yield* begin({
        speaks: "1.0",
        intercept: (request, response) => {
          if (request.method === "GET") return false
          response.writeHead(200)
          const flood = () => {
            while (response.writable && response.write(chunk)) { /* until the buffer is full */ }
          }
          response.on("drain", flood)
          flood()
          return true
        }
      })
      const error = yield* Effect.flip(callTool(tool))
      assert.match(error.message, /more than 16777216 bytes/)
    }))
})

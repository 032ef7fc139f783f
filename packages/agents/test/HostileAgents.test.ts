/** Agents that ask, forget, hang, redirect and cut. Each call ends in its own answer or in one typed error. */
import { ToolCall, ToolError } from "@effect-toolnexus/core"
import { assertNothingLeft } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { artifact, bare, bareDone, cardOf, done, type Options, said, start, status, task } from "./fixtures/rawAgent.ts"
import { begin, call, until } from "./fixtures/rawCall.ts"
import { callTool, toolOf } from "./fixtures/support.ts"

describe("an agent", () => {
  const plain = { card: (base: string) => cardOf(base, "1.0", { capabilities: {} }) }

  it.live("that asks twice is answered twice, with one task, and its time goes on", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ before }, wire) => {
        setTimeout(() => {
          wire.result(
            before < 2
              ? task("INPUT_REQUIRED", { status: { state: "TASK_STATE_INPUT_REQUIRED", message: said(`${before}?`) } })
              : done
          )
        }, 30)
      }, plain)
      let state: ToolCall.Resumed["state"]
      for (const expected of ["0?", "1?"]) {
        const error = yield* Effect.flip(
          callTool(tool, state === undefined ? undefined : { answer: { id: "call-1", ok: true, data: "yes" }, state })
        )
        assert.strictEqual(error.message, expected)
        const before = spentOf(state)
        state = error._tag === "ToolSuspended" ? error.request.state : undefined
        assert.isAbove(spentOf(state), before)
      }
      const result = yield* callTool(tool, { answer: { id: "call-1", ok: true, data: "yes" }, state })
      assert.strictEqual(result.output, "42")
      assert.isAbove(Number(result.metadata?.["ms"]), spentOf(state))
      assert.deepStrictEqual(
        agent.asked.map(({ params }) => params.message?.taskId),
        [undefined, "t1", "t1"]
      )
    }))

  it.live("has no more time after a question than was left before it", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(() => {}, plain, 5000)
      const state = { taskId: "t1", contextId: "c1", spent: 4900 }
      const fiber = yield* Effect.forkChild(
        Effect.flip(callTool(tool, { answer: { id: "call-1", ok: true }, state }))
      )
      const error = yield* Effect.timeout(Fiber.join(fiber), 3000)
      assert.instanceOf(error, ToolError.ToolTimeout)
      // which task it is was known before it answered
      yield* until(agent, "CancelTask")
    }))

  it.live("that sees by itself that somebody has logged in isn't told", () =>
    Effect.gen(function*() {
      // also where it takes a moment to say so
      const { agent, tool } = yield* begin(
        ({ before, method }, wire) => {
          if (before === 0) return wire.cut()
          return wire.result(method === "GetTask" ? bareDone : {})
        },
        plain
      )
      const state = { taskId: "t1", isLogin: true }
      const result = yield* callTool(tool, { answer: { id: "call-1", ok: true }, state })
      assert.strictEqual(result.output, "42")
      assert.deepStrictEqual(agent.methods(), ["GetTask", "GetTask"])
    }))

  it.live("that has forgotten the task says so, and nothing is begun anew", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin((_, wire) => wire.error(-32001, "Task not found"), plain)
      const state = { taskId: "t1", contextId: "c1" }
      const error = yield* Effect.flip(callTool(tool, { answer: { id: "call-1", ok: true }, state }))
      assert.match(error.message, /-32001: Task not found; it has forgotten what it was asked/)
      assert.strictEqual(agent.asked.length, 1)
    }))

  it.live("asks for no secret by a form, and shows data where it has no words", () =>
    Effect.gen(function*() {
      const form = { type: "object", properties: { password: { type: "string" } } }
      const ask = (state: string, data: unknown) =>
        Effect.flip(call((_, wire) =>
          wire.result(task(state, {
            status: { state: `TASK_STATE_${state}`, message: { role: "ROLE_AGENT", parts: [{ data }] } }
          })), plain))
      const login = yield* ask("AUTH_REQUIRED", { form, link: "https://login.example/y" })
      assert.deepInclude(login._tag === "ToolSuspended" ? login.request : {}, {
        kind: "authorization",
        url: "https://login.example/y"
      })
      assert.notProperty(login._tag === "ToolSuspended" ? login.request : {}, "data")
      const input = yield* ask("INPUT_REQUIRED", { options: ["a", "b"] })
      assert.strictEqual(input.message, "{\"options\":[\"a\",\"b\"]}")
      const asked = yield* ask("INPUT_REQUIRED", form)
      assert.deepStrictEqual(asked._tag === "ToolSuspended" ? asked.request.data : undefined, { schema: form })
    }))

  it.live("that asks for a login at an endless address is read in no time", () =>
    Effect.gen(function*() {
      const text = `at https://login.example/${".".repeat(300_000)}x, or https://login.example/z!?.`
      const started = process.cpuUsage()
      const error = yield* Effect.flip(call(
        (_, wire) =>
          wire.result(task("AUTH_REQUIRED", { status: { state: "TASK_STATE_AUTH_REQUIRED", message: said(text) } })),
        plain
      ))
      assert.isBelow(process.cpuUsage(started).user / 1000, 3000)
      assert.strictEqual(error._tag, "ToolSuspended")
    }))

  it.live("whose task has an endless id has none", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(call((_, wire) => wire.result(task("COMPLETED", {}, "t".repeat(5000))), plain))
      assert.match(error.message, /answered wrongly: neither a task nor a message/)
    }))

  it.live("that hangs with its card's answer, with a send and with a poll is left in time", () =>
    Effect.gen(function*() {
      const silent = yield* begin(() => {}, plain, 300)
      assert.instanceOf(yield* Effect.flip(callTool(silent.tool)), ToolError.ToolTimeout)
      const { agent, tool } = yield* begin(
        ({ method }, wire) => {
          if (method === "SendMessage") wire.result(task("WORKING"))
        },
        plain,
        300
      )
      assert.instanceOf(yield* Effect.flip(callTool(tool)), ToolError.ToolTimeout)
      yield* until(agent, "CancelTask")
    }))

  it.live("that redirects what it was told to another server is not followed", () =>
    Effect.gen(function*() {
      const other = yield* start({ answer: (_, wire) => wire.result(done) })
      const redirecting: Options["answer"] = ({ path }, { response }) => {
        response.writeHead(307, { location: path === "/rpc" ? `${other.url}/rpc` : "/rpc" })
        response.end()
      }
      const error = yield* Effect.flip(call(redirecting, plain))
      assert.match(error.message, /another server/)
      assert.deepStrictEqual(other.asked, [])
      const agent = yield* start({ answer: redirecting, ...plain })
      const headers = { "X-Key": "secret-of-mine" }
      const tool = yield* toolOf({ card: agent.url, headers, allowOrigins: [other.url] })
      assert.strictEqual((yield* callTool(tool)).output, "42")
      assert.strictEqual(other.asked[0]?.headers["x-key"], "secret-of-mine")
    }))

  it.live.each<readonly [string, RegExp]>([
    ["<html>", /not a JSON-RPC response/],
    ["{\"jsonrpc\":\"2.0\",\"result\":null}", /neither a task nor a message/],
    ["{\"jsonrpc\":\"2.0\",\"result\":{\"task\":{\"id\":\"\"}}}", /neither a task nor a message/],
    ["{\"jsonrpc\":\"2.0\",\"result\":{\"task\":{\"id\":3,\"status\":[]}}}", /neither a task nor a message/],
    ["{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":{}}}", /error -1: no reason was given/],
    ["", /not a JSON-RPC response/]
  ])("that answers %j has answered wrongly", ([body, message]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(call((_, { response }) => response.end(body), plain))
      assert.instanceOf(error, ToolError.ToolFailed)
      assert.match(error.message, message)
    }))

  it.live("comes again when it said it would, after polls that were turned away", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ before, method }, wire) => {
        if (method === "SendMessage") return wire.result(task("WORKING"))
        if (before > 0) return wire.result(bareDone)
        wire.response.writeHead(429, { "retry-after": "1" })
        wire.response.end()
      }, plain)
      const result = yield* callTool(tool)
      assert.strictEqual(result.output, "42")
      assert.isAtLeast(Number(result.metadata?.["ms"]), 1000)
      assert.strictEqual(agent.asked.length, 3)
    }))

  it.live("ends fifty calls at once rightly, whatever is cut", () =>
    assertNothingLeft(Effect.gen(function*() {
      const texts = new Map<string, string>()
      const { agent, tool } = yield* begin(
        ({ before, method, params }, wire) => {
          const answered = (id: string) => [{ artifactId: "a", parts: [{ text: `done ${texts.get(id)}` }] }]
          const { id = `task-${before}`, message } = params
          if (message !== undefined) texts.set(id, message.parts[0]?.text ?? "")
          const luck = Number(/\d+/.exec(id)?.[0]) % 5
          if (method === "GetTask") {
            if (before % 7 === 3) return wire.cut()
            return wire.result(bare("COMPLETED", { artifacts: answered(id) }, id))
          }
          if (method === "CancelTask") return wire.result(bare("CANCELED", {}, id))
          if (luck === 4 && method === "SubscribeToTask") return wire.error(-32001)
          wire.stream(task("WORKING", {}, id), artifact("half", false, "a", id))
          const isCut = method === "SendStreamingMessage" ? luck > 0 : before % 3 === 0
          // a cut may take along what has not been read by then, and who has read nothing of a task can't go on with it
          setTimeout(() => {
            if (isCut) return wire.cut()
            wire.event(artifact(`done ${texts.get(id)}`, false, "a", id))
            wire.event(status("COMPLETED", undefined, id))
            wire.end()
          }, 150 + before % 20)
        },
        {},
        30_000
      )
      const tasks = Array.from({ length: 50 }, (_, index) => `call ${index}`)
      const results = yield* Effect.forEach(tasks, (text) => callTool(tool, undefined, text), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(results.map(({ output }) => output), tasks.map((text) => `done ${text}`))
      assert.strictEqual(agent.methods().filter((method) => method === "SendStreamingMessage").length, 50)
    })), 60_000)

  it.live(
    "that cuts every stream as it opens fails each of fifty calls once, and closes in time",
    () =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const { agent, tool } = yield* Scope.provide(begin((_, wire) => wire.cut()), scope)
        const errors = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.flip(callTool(tool)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual([...new Set(errors.map(({ _tag }) => _tag))], ["ToolUnavailable"])
        assert.strictEqual(agent.asked.length, 50)
        yield* Effect.timeout(Scope.close(scope, Exit.void), 5000)
      }),
    30_000
  )
})

const spentOf = (state: ToolCall.Resumed["state"]): number =>
  typeof state === "object" && state !== null && "spent" in state ? Number(state["spent"]) : 0

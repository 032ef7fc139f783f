/** Agents that lie, cut, flood, hang and talk nonsense. Each call ends in its own answer or in one typed error. */
import { ToolCall, ToolError } from "@effect-toolnexus/core"
import { assertNothingLeft } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { artifact, bare, cardOf, type Options, type RawAgent, said, start, status, task } from "./fixtures/rawAgent.ts"
import { callTool, entriesOf, messageOf, toolOf, toolsOf } from "./fixtures/support.ts"

const begin = Effect.fnUntraced(function*(answer: Options["answer"], rest: Partial<Options> = {}, timeout = 10_000) {
  const agent = yield* start({ answer, ...rest })
  const tool = yield* toolOf({ card: agent.url, pollEvery: 20, timeout })
  return { agent, tool }
})

const call = (answer: Options["answer"], rest?: Partial<Options>, timeout?: number) =>
  Effect.flatMap(begin(answer, rest, timeout), ({ tool }) => callTool(tool))

const until = (agent: RawAgent, method: string) =>
  Effect.sleep(10).pipe(Effect.repeat({ while: () => !agent.methods().includes(method) }), Effect.timeout(5000))

const DONE = [{ artifactId: "a", parts: [{ text: "42" }] }]

describe("a stream", () => {
  it.live("puts artifacts together in order, and tells the caller", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin((_, wire) => {
        wire.stream()
        wire.event(task("WORKING"))
        wire.event(artifact("one ", false, "a"))
        wire.event(artifact("other", false, "b"))
        wire.event(artifact("two", true, "a"))
        wire.event(artifact("replaced", false, "c"))
        wire.event(artifact("three", false, "c"))
        wire.event(status("WORKING", "nearly there"))
        wire.event(status("COMPLETED"))
        wire.end()
      })
      const told: Array<ToolCall.Progress> = []
      const onProgress: ToolCall.ToolCall["progress"] = (progress) => Effect.sync(() => void told.push(progress))
      const result = yield* tool.handler({ task: "x" }, ToolCall.make(tool.name, "c", { onProgress }))
      assert.strictEqual(result.output, "one two\nother\nthree")
      assert.deepStrictEqual(agent.methods(), ["SendStreamingMessage"])
      assert.isTrue(told.some(({ message }) => message === "nearly there"))
      assert.deepStrictEqual(told.map(({ progress }) => progress), told.map((_, index) => index + 1))
    }))

  it.live("that is cut goes on where the task is, and the task as it is in the end counts", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ before, method }, wire) => {
        if (method === "GetTask") {
          return wire.result(
            bare("COMPLETED", { artifacts: [{ artifactId: "a", parts: [{ text: "on" }, { text: "e" }] }] })
          )
        }
        wire.stream()
        if (method === "SendStreamingMessage") {
          wire.event(task("WORKING"))
          wire.event(artifact("o"))
          wire.event(artifact("n", true))
          return setTimeout(wire.cut, 30)
        }
        wire.event(task("WORKING"))
        if (before === 0) return setTimeout(wire.cut, 30)
        wire.event(status("COMPLETED"))
        wire.end()
      })
      // in pieces, as it was streamed
      assert.strictEqual((yield* callTool(tool)).output, "one")
      assert.deepStrictEqual(agent.methods(), [
        "SendStreamingMessage",
        "SubscribeToTask",
        "SubscribeToTask",
        "GetTask"
      ])
      assert.strictEqual(agent.asked.at(-1)?.params.id, "t1")
    }))

  it.live.each([-32001, -32601, -32004, -32603])(
    "that can't be gone on with (%s) leaves the task to be asked for",
    (code) =>
      Effect.gen(function*() {
        const { agent, tool } = yield* begin(({ before, method }, wire) => {
          if (method === "SubscribeToTask") return wire.error(code)
          if (method === "GetTask") {
            return wire.result(before < 2 ? bare("WORKING") : bare("COMPLETED", { artifacts: DONE }))
          }
          wire.stream()
          wire.event(task("SUBMITTED"))
          wire.end()
        })
        assert.strictEqual((yield* callTool(tool)).output, "42")
        assert.deepStrictEqual(agent.methods().filter((method) => method === "SubscribeToTask").length, 1)
      })
  )

  it.live("that brings nothing new, however often it is asked for, is given up for polls", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ method }, wire) => {
        if (method === "GetTask") return wire.result(bare("COMPLETED", { artifacts: DONE }))
        wire.stream()
        wire.event(task("WORKING"))
        wire.end()
      })
      assert.strictEqual((yield* callTool(tool)).output, "42")
      assert.strictEqual(agent.methods().filter((method) => method === "SubscribeToTask").length, 4)
    }))

  it.live("that stays open in silence ends when the task has", () =>
    Effect.gen(function*() {
      const { tool } = yield* begin(({ method }, wire) => {
        if (method === "GetTask") return wire.result(bare("COMPLETED", { artifacts: DONE }))
        wire.stream()
        wire.event(task("WORKING"))
      })
      assert.strictEqual((yield* callTool(tool)).output, "42")
    }))

  it.live("that stays open after the end isn't waited for", () =>
    Effect.gen(function*() {
      const result = yield* call((_, wire) => {
        wire.stream()
        wire.event(task("COMPLETED", { artifacts: DONE }))
      })
      assert.strictEqual(result.output, "42")
    }))

  it.live("of a task that is over begins nothing again, and its last artifacts count", () =>
    Effect.gen(function*() {
      const result = yield* call((_, wire) => {
        wire.stream()
        wire.event(task("WORKING"))
        wire.event(status("COMPLETED", "done"))
        wire.event(artifact("42"))
        wire.event(status("WORKING", "or not"))
        wire.event(task("WORKING"))
        wire.end()
      })
      assert.deepStrictEqual([result.output, result.metadata?.["state"]], ["42", "completed"])
    }))

  it.live("that is silent for a while isn't set back by how the task was", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ method }, wire) => {
        if (method === "GetTask") {
          return wire.result(bare("WORKING", { artifacts: [{ artifactId: "a", parts: [{ text: "o" }] }] }))
        }
        wire.stream()
        wire.event(task("WORKING"))
        wire.event(artifact("on"))
        setTimeout(() => {
          wire.event(artifact("e", true))
          wire.event(status("COMPLETED"))
          wire.end()
        }, 700)
      })
      assert.strictEqual((yield* callTool(tool)).output, "one")
      assert.include(agent.methods(), "GetTask")
    }))

  it.live("that ends before it says anything is an error, and nothing is sent again", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin((_, wire) => {
        wire.stream()
        wire.response.write(": hello\n\n")
        wire.end()
      })
      const error = yield* Effect.flip(callTool(tool))
      assert.match(error.message, /ended its answer before it said anything/)
      assert.deepStrictEqual(agent.methods(), ["SendStreamingMessage"])
    }))

  it.live("of which half is nonsense is as good as the other half", () =>
    Effect.gen(function*() {
      const result = yield* call((_, wire) => {
        wire.stream()
        wire.response.write("data: {\n\ndata: 3\n\ndata: {\"jsonrpc\":\"2.0\",\"result\":{\"weather\":{}}}\n\n")
        wire.event(task("WORKING"))
        wire.event({ statusUpdate: 3 })
        wire.event(artifact("someone else's", false, "a", "t2"))
        wire.event(artifact("mine"))
        wire.event(status("COMPLETED", "theirs", "t2"))
        wire.event({ somethingNew: { taskId: "t1" } })
        wire.event(status("COMPLETED"))
        wire.end()
      })
      assert.strictEqual(result.output, "mine")
      assert.strictEqual(result.metadata?.["taskId"], "t1")
    }))

  it.live.each<readonly [string, string]>([
    ["text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"x\"}}"],
    ["application/json", "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"x\"}}"],
    ["", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"x\"}}"],
    ["", "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"x\"}}"]
  ])("whose error comes as %j, without an end, is an error", ([type, body]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(call((_, { response }) => {
        if (type !== "") response.setHeader("content-type", type)
        response.end(body)
      }))
      assert.match(error.message, /refused with error -32001: x/)
    }))

  it.live("that breaks with an error is followed to what became of the task, or fails and is canceled", () =>
    Effect.gen(function*() {
      for (const end of ["COMPLETED", "WORKING"]) {
        const { agent, tool } = yield* begin(({ method }, wire) => {
          if (method === "GetTask") return wire.result(bare(end, { artifacts: DONE }))
          if (method === "CancelTask") return wire.result(bare("CANCELED"))
          wire.stream()
          wire.event(task("WORKING"))
          wire.response.end("data: {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"oops\"}}\n\n")
        })
        if (end === "COMPLETED") assert.strictEqual((yield* callTool(tool)).output, "42")
        else {
          assert.match((yield* Effect.flip(callTool(tool))).message, /-32603: oops/)
          yield* until(agent, "CancelTask")
        }
      }
    }))

  it.live("is asked for as a whole where the end of it is bare", () =>
    Effect.gen(function*() {
      const result = yield* call(({ method }, wire) => {
        if (method === "GetTask") return wire.result(bare("COMPLETED", { artifacts: DONE }))
        wire.stream()
        wire.event(task("WORKING"))
        wire.event(status("COMPLETED"))
        wire.end()
      })
      assert.strictEqual(result.output, "42")
    }))

  it.live("that floods is cut off, and the task canceled", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(
        ({ method }, wire) => {
          if (method !== "SendStreamingMessage") {
            return wire.result(bare(method === "CancelTask" ? "CANCELED" : "WORKING"))
          }
          wire.stream()
          wire.event(task("WORKING"))
          const text = "x".repeat(1024 * 1024)
          const flood = () => {
            for (let count = 0; count < 4 && !wire.response.destroyed; count++) wire.event(artifact(text, true))
            if (!wire.response.destroyed) setTimeout(flood, 1)
          }
          flood()
        },
        {},
        60_000
      )
      const error = yield* Effect.flip(callTool(tool))
      assert.match(error.message, /more than 16777216 bytes/)
      yield* until(agent, "CancelTask")
    }), 60_000)

  it.live("of endless small parts is cut off as well", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(call(({ method }, wire) => {
        if (method !== "SendStreamingMessage") {
          return wire.result(bare(method === "CancelTask" ? "CANCELED" : "WORKING"))
        }
        wire.stream()
        wire.event(task("WORKING"))
        const parts = Array.from({ length: 11_000 }, () => ({ data: 1 }))
        wire.event({ artifactUpdate: { taskId: "t1", artifact: { artifactId: "a", parts } } })
      }))
      assert.match(error.message, /more than/)
    }))

  it.live("and polls that bring ever more are, too, in as many artifacts as they like", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(
        ({ before, method }, wire) => {
          if (method === "CancelTask") return wire.result(bare("CANCELED"))
          const artifacts = [{ artifactId: `a${before}`, parts: [{ text: "x".repeat(7 * 1024 * 1024) }] }]
          return wire.result(method === "GetTask" ? bare("WORKING", { artifacts }) : task("WORKING"))
        },
        { card: (base) => cardOf(base, "1.0", { capabilities: {} }) },
        60_000
      )
      const error = yield* Effect.flip(callTool(tool))
      assert.match(error.message, /more than 16777216 bytes/)
      yield* until(agent, "CancelTask")
      assert.strictEqual(agent.methods().filter((method) => method === "GetTask").length, 3)
    }), 60_000)

  it.live("a message of endless small parts is no answer, and why a task failed is told in short", () =>
    Effect.gen(function*() {
      const parts = Array.from({ length: 11_000 }, () => ({ text: "x" }))
      const error = yield* Effect.flip(call((_, wire) => wire.result({ message: { parts } })))
      assert.match(error.message, /more than/)
      const ended = { state: "TASK_STATE_FAILED", message: { parts: parts.map(() => ({ text: "no. ".repeat(20) })) } }
      const failed = yield* Effect.flip(call((_, wire) => wire.result(task("FAILED", { status: ended }))))
      assert.match(failed.message, /^A2A task t1 failed: no\. no\./)
      assert.isBelow(failed.message.length, 11_000)
    }))

  it.live("of endless news ends with the time of the call", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(
        ({ method }, wire) => {
          if (method !== "SendStreamingMessage") {
            return wire.result(bare(method === "CancelTask" ? "CANCELED" : "WORKING"))
          }
          wire.stream()
          wire.event(task("WORKING"))
          const timer = setInterval(() => wire.event(status("WORKING", "still")), 1)
          wire.response.on("close", () => clearInterval(timer))
        },
        {},
        400
      )
      const error = yield* Effect.flip(callTool(tool))
      assert.instanceOf(error, ToolError.ToolTimeout)
      yield* until(agent, "CancelTask")
    }))
})

describe("a card that lies", () => {
  it.live("about streams", () =>
    Effect.gen(function*() {
      for (const code of [-32004, -32601]) {
        const { agent, tool } = yield* begin(({ method }, wire) => {
          if (method === "SendMessage") return wire.result(task("COMPLETED", { artifacts: DONE }))
          wire.error(code)
        })
        assert.strictEqual((yield* callTool(tool)).output, "42")
        const first = agent.asked.length
        assert.strictEqual((yield* callTool(tool)).output, "42")
        // and it is remembered
        assert.strictEqual(agent.asked.length, first + 1)
      }
    }))

  it.live("about the version, in a stream", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ method }, wire) => {
        if (method !== "message/stream") return wire.error(-32601)
        wire.stream()
        wire.event({ kind: "task", id: "t1", contextId: "c1", status: { state: "working" } })
        wire.event({
          kind: "artifact-update",
          taskId: "t1",
          contextId: "c1",
          artifact: { artifactId: "a", parts: [{ kind: "text", text: "42" }] }
        })
        wire.event({
          kind: "status-update",
          taskId: "t1",
          contextId: "c1",
          status: { state: "completed" },
          final: true
        })
        wire.end()
      })
      assert.strictEqual((yield* callTool(tool)).output, "42")
      assert.strictEqual((yield* callTool(tool)).output, "42")
      assert.deepStrictEqual(agent.methods(), ["SendStreamingMessage", "message/stream", "message/stream"])
      assert.isUndefined(agent.asked.at(-1)?.headers["a2a-version"])
    }))

  it.live("to a server that takes what it doesn't know for no request at all", () =>
    Effect.gen(function*() {
      const result = yield* call(({ method }, wire) => {
        if (method !== "message/send") return wire.error(-32600, "Invalid Request")
        wire.result({
          kind: "task",
          id: "t1",
          status: { state: "completed" },
          artifacts: [{ parts: [{ text: "42" }] }]
        })
      }, { card: (base) => cardOf(base, "1.0", { capabilities: {} }) })
      assert.strictEqual(result.output, "42")
    }))

  it.live("about both, and refuses everything: the first refusal is told", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ method }, wire) => wire.error(-32601, method))
      assert.match((yield* Effect.flip(callTool(tool))).message, /-32601: SendStreamingMessage/)
      assert.deepStrictEqual(agent.methods(), ["SendStreamingMessage", "message/stream", "SendMessage", "message/send"])
    }))
})

describe("an agent", () => {
  const plain = { card: (base: string) => cardOf(base, "1.0", { capabilities: {} }) }

  it.live("that asks twice is answered twice, with one task, and its time goes on", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ before }, wire) => {
        setTimeout(() => {
          wire.result(
            before < 2
              ? task("INPUT_REQUIRED", { status: { state: "TASK_STATE_INPUT_REQUIRED", message: said(`${before}?`) } })
              : task("COMPLETED", { artifacts: DONE })
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
          return wire.result(method === "GetTask" ? bare("COMPLETED", { artifacts: DONE }) : {})
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
      const other = yield* start({ answer: (_, wire) => wire.result(task("COMPLETED", { artifacts: DONE })) })
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
        if (before > 0) return wire.result(bare("COMPLETED", { artifacts: DONE }))
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
          const done = (id: string) => [{ artifactId: "a", parts: [{ text: `done ${texts.get(id)}` }] }]
          const { id = `task-${before}`, message } = params
          if (message !== undefined) texts.set(id, message.parts[0]?.text ?? "")
          const luck = Number(/\d+/.exec(id)?.[0]) % 5
          if (method === "GetTask") {
            if (before % 7 === 3) return wire.cut()
            return wire.result(bare("COMPLETED", { artifacts: done(id) }, id))
          }
          if (method === "CancelTask") return wire.result(bare("CANCELED", {}, id))
          if (luck === 4 && method === "SubscribeToTask") return wire.error(-32001)
          wire.stream()
          wire.event(task("WORKING", {}, id))
          wire.event(artifact("half", false, "a", id))
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

describe("a card", () => {
  it.live("of nonsense is the entry's own failure", () =>
    Effect.gen(function*() {
      const answer = () => {}
      const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
        [cardOf("http://h", "1.0", { skills: [] }), /advertises no skill.*"as": "agent"/],
        [cardOf("http://h", "1.0", { supportedInterfaces: [{ url: "x:y", protocolBinding: "GRPC" }] }), /no JSON-RPC/],
        [[], /not an agent card/],
        ["card", /not an agent card/],
        [{ name: "x".repeat(10), url: "http://[" }, /no JSON-RPC/]
      ]
      for (const [card, message] of cases) {
        const agent = yield* start({ answer, card: () => card })
        const [entry] = yield* entriesOf({ x: { card: agent.url } })
        assert.match(messageOf(entry), message)
      }
    }))

  it.live("of many skills is bounded", () =>
    Effect.gen(function*() {
      const skills = Array.from({ length: 1500 }, (_, id) => ({ id: `s${id}`, name: "n", description: "d".repeat(10) }))
      const agent = yield* start({ answer: () => {}, card: (base) => cardOf(base, "1.0", { skills }) })
      const entries = yield* entriesOf({ x: { card: agent.url } })
      assert.strictEqual(toolsOf(entries).length, 1000)
      assert.deepStrictEqual(entries[0]?.diagnostics.map(({ code }) => code), ["too-many-skills"])
    }))
})

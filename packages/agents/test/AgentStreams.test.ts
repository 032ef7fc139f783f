/** Streams that cut, flood, hang and talk nonsense: a call ends with what became of its task, or in one typed error. */
import { ToolCall, ToolError } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { artifact, bare, bareDone, cardOf, DONE, done, status, task } from "./fixtures/rawAgent.ts"
import { begin, call, endless, until } from "./fixtures/rawCall.ts"
import { callTool } from "./fixtures/support.ts"

describe("a stream", () => {
  it.live("puts artifacts together in order, and tells the caller", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin((_, wire) => {
        wire.stream(
          task("WORKING"),
          artifact("one ", false, "a"),
          artifact("other", false, "b"),
          artifact("two", true, "a"),
          artifact("replaced", false, "c"),
          artifact("three", false, "c"),
          status("WORKING", "nearly there"),
          status("COMPLETED")
        )
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
            return wire.result(before < 2 ? bare("WORKING") : bareDone)
          }
          wire.stream(task("SUBMITTED"))
          wire.end()
        })
        assert.strictEqual((yield* callTool(tool)).output, "42")
        assert.deepStrictEqual(agent.methods().filter((method) => method === "SubscribeToTask").length, 1)
      })
  )

  it.live("that brings nothing new, however often it is asked for, is given up for polls", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(({ method }, wire) => {
        if (method === "GetTask") return wire.result(bareDone)
        wire.stream(task("WORKING"))
        wire.end()
      })
      assert.strictEqual((yield* callTool(tool)).output, "42")
      assert.strictEqual(agent.methods().filter((method) => method === "SubscribeToTask").length, 4)
    }))

  it.live("that stays open in silence ends when the task has", () =>
    Effect.gen(function*() {
      const { tool } = yield* begin(({ method }, wire) => {
        if (method === "GetTask") return wire.result(bareDone)
        wire.stream(task("WORKING"))
      })
      assert.strictEqual((yield* callTool(tool)).output, "42")
    }))

  it.live("that stays open after the end isn't waited for", () =>
    Effect.gen(function*() {
      const result = yield* call((_, wire) => {
        wire.stream(done)
      })
      assert.strictEqual(result.output, "42")
    }))

  it.live("of a task that is over begins nothing again, and its last artifacts count", () =>
    Effect.gen(function*() {
      const result = yield* call((_, wire) => {
        wire.stream(
          task("WORKING"),
          status("COMPLETED", "done"),
          artifact("42"),
          status("WORKING", "or not"),
          task("WORKING")
        )
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
        wire.stream(task("WORKING"), artifact("on"))
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
          wire.stream(task("WORKING"))
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
        if (method === "GetTask") return wire.result(bareDone)
        wire.stream(task("WORKING"), status("COMPLETED"))
        wire.end()
      })
      assert.strictEqual(result.output, "42")
    }))

  it.live("that floods is cut off, and the task canceled", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin(
        endless((wire) => {
          wire.stream(task("WORKING"))
          const text = "x".repeat(1024 * 1024)
          const flood = () => {
            for (let count = 0; count < 4 && !wire.response.destroyed; count++) wire.event(artifact(text, true))
            if (!wire.response.destroyed) setTimeout(flood, 1)
          }
          flood()
        }),
        {},
        60_000
      )
      const error = yield* Effect.flip(callTool(tool))
      assert.match(error.message, /more than 16777216 bytes/)
      yield* until(agent, "CancelTask")
    }), 60_000)

  it.live("of endless small parts is cut off as well", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(call(endless((wire) => {
        wire.stream(task("WORKING"))
        const parts = Array.from({ length: 11_000 }, () => ({ data: 1 }))
        wire.event({ artifactUpdate: { taskId: "t1", artifact: { artifactId: "a", parts } } })
      })))
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
        endless((wire) => {
          wire.stream(task("WORKING"))
          const timer = setInterval(() => wire.event(status("WORKING", "still")), 1)
          wire.response.on("close", () => clearInterval(timer))
        }),
        {},
        400
      )
      const error = yield* Effect.flip(callTool(tool))
      assert.instanceOf(error, ToolError.ToolTimeout)
      yield* until(agent, "CancelTask")
    }))
})

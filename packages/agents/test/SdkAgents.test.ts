/** Calls of agents that others built: with the official SDK of both versions, and with the compatibility mode of the newer one. */
import { ToolCall, ToolError } from "@effect-toolnexus/core"
import { assertNothingLeft } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type Behaviour, delay, type Flavour, type Options, start } from "./fixtures/sdkAgent.ts"
import { callTool, entriesOf, toolOf, toolsOf } from "./fixtures/support.ts"

const FLAVOURS: ReadonlyArray<readonly [Flavour, boolean]> = [
  ["0.3", true],
  ["0.3", false],
  ["1.0", true],
  ["1.0", false],
  ["compat", true],
  ["compat", false]
]

const form = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] }

/** What is done is what the text of the message says. */
const behave: Behaviour = async (turn) => {
  if (turn.text.startsWith("reply")) return turn.reply("just words")
  turn.begin()
  if (turn.text.startsWith("echo")) {
    turn.artifact("a", [{ kind: "text", text: turn.text }])
    turn.status("completed")
  } else if (turn.text.startsWith("stream")) {
    turn.status("working", "thinking")
    await delay(30)
    for (const [index, text] of ["for", "ty-", "two"].entries()) turn.artifact("a", [{ kind: "text", text }], index > 0)
    turn.artifact("b", [{ kind: "data", data: { answer: 42 } }])
    await delay(30)
    turn.status("completed", "that was it")
  } else if (turn.text.startsWith("ask")) {
    turn.status("input-required", [{ kind: "text", text: "Which colour?" }, { kind: "data", data: { schema: form } }])
  } else if (turn.text.startsWith("login")) {
    turn.status("auth-required", "Log in at https://login.example/x")
  } else if (turn.text.startsWith("fail")) {
    turn.status("failed", "too hard")
  } else if (turn.text.startsWith("reject")) {
    turn.status("rejected", "not mine")
  } else if (turn.text.startsWith("file")) {
    const files = turn.message.parts.filter((part) => part.kind === "file")
    turn.artifact("a", [{ kind: "text", text: `${files.length} files` }, ...files])
    turn.status("completed")
  } else if (turn.text.startsWith("slow")) {
    turn.status("working", "slowly")
    while (!turn.isCanceled()) await delay(10)
  } else {
    turn.artifact("a", [{ kind: "text", text: `got ${turn.text}` }])
    turn.status("completed")
  }
}

const begin = Effect.fnUntraced(function*(options: Partial<Options> & Pick<Options, "flavour" | "streaming">) {
  const agent = yield* start({ behave, ...options })
  const tool = yield* toolOf({ card: agent.url, pollEvery: 20, timeout: 20_000 })
  return { agent, tool }
})

const suspended = Effect.fnUntraced(function*(call: Effect.Effect<unknown, ToolError.ToolError>) {
  const error = yield* Effect.flip(call)
  return error instanceof ToolError.ToolSuspended ? error.request : yield* Effect.die(error)
})

const until = (isSo: () => boolean) =>
  Effect.sleep(10).pipe(Effect.repeat({ while: () => !isSo() }), Effect.timeout(5000))

describe.each(FLAVOURS)("an agent of the SDK, %s, streaming %s", (flavour, streaming) => {
  it.live("answers with an artifact, and with a message", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ flavour, streaming })
      const result = yield* callTool(tool, undefined, "echo this")
      assert.strictEqual(result.output, "echo this")
      assert.strictEqual(result.metadata?.["state"], "completed")
      assert.isString(result.metadata?.["taskId"])
      assert.strictEqual((yield* callTool(tool, undefined, "reply")).output, "just words")
      const opening = streaming ? ["message/stream", "SendStreamingMessage"] : ["message/send", "SendMessage"]
      assert.strictEqual(agent.methods[0], flavour === "0.3" ? opening[0] : opening[1])
    }))

  it.live("works for a while, and what it says meanwhile reaches the caller", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ flavour, streaming })
      const told: Array<string | undefined> = []
      const onProgress: ToolCall.ToolCall["progress"] = ({ message }) => Effect.sync(() => void told.push(message))
      const result = yield* tool.handler({ task: "stream" }, ToolCall.make(tool.name, "c", { onProgress }))
      // polled, what came in pieces is a list of parts that nobody can tell from paragraphs
      assert.strictEqual(result.output, streaming ? "forty-two" : "for\nty-\ntwo")
      assert.deepStrictEqual(result.structured, { answer: 42 })
      assert.isNotEmpty(told)
      // a poll may come too late for it
      if (!streaming) return
      assert.include(told, "thinking")
      assert.include(told, "that was it")
      assert.deepStrictEqual(agent.methods.length, 1)
    }))

  it.live.each(["fail", "reject"])("ends as %sed", (how) =>
    Effect.gen(function*() {
      const { tool } = yield* begin({ flavour, streaming })
      const error = yield* Effect.flip(callTool(tool, undefined, how))
      assert.instanceOf(error, ToolError.ToolFailed)
      assert.match(error.message, /^A2A task \S+ (failed: too hard|rejected: not mine)$/)
    }))

  it.live("asks with a schema, and goes on with the same task, on another toolkit too", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ flavour, streaming })
      const request = yield* suspended(callTool(tool, undefined, "ask me"))
      assert.strictEqual(request.prompt, "Which colour?")
      assert.deepStrictEqual(request.data, { schema: form })
      const elsewhere = yield* toolOf({ card: agent.url, pollEvery: 20 })
      const answer = { id: request.id, ok: true, data: { colour: "blue" } }
      const stored: unknown = JSON.parse(JSON.stringify(request.state))
      assert.deepStrictEqual(stored, request.state)
      const result = yield* callTool(elsewhere, { answer, state: request.state })
      assert.strictEqual(result.output, "got {\"colour\":\"blue\"}")
      assert.deepInclude(request.state, { taskId: result.metadata?.["taskId"] })
    }))

  it.live("sends somebody to a login, and goes on when that is done", () =>
    Effect.gen(function*() {
      const { tool } = yield* begin({ flavour, streaming })
      const { id, kind, state, url } = yield* suspended(callTool(tool, undefined, "login"))
      assert.deepStrictEqual([kind, url], ["authorization", "https://login.example/x"])
      const result = yield* callTool(tool, { answer: { id, ok: true }, state })
      assert.strictEqual(result.output, "got Done.")
    }))

  it.live("takes files and gives them back", () =>
    Effect.gen(function*() {
      const { tool } = yield* begin({ flavour, streaming })
      const files = [
        { text: "hello", name: "a.txt" },
        { bytes: "iVBORw0KGgo=", mimeType: "image/png", name: "b.png" },
        { uri: "https://files.example/c.pdf", mimeType: "application/pdf", name: "c.pdf" }
      ]
      const result = yield* tool.handler({ task: "files", files }, ToolCall.make(tool.name, "c"))
      assert.strictEqual(result.output, "3 files")
      assert.deepStrictEqual(result.content?.slice(1), [
        { type: "resource", uri: "a2a:a.txt", mimeType: "text/plain", blob: btoa("hello") },
        { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
        {
          type: "resource_link",
          uri: "https://files.example/c.pdf",
          name: "c.pdf",
          mimeType: "application/pdf"
        }
      ])
    }))

  it.live("is told when nobody waits any longer", () =>
    Effect.gen(function*() {
      const { agent, tool } = yield* begin({ flavour, streaming })
      const fiber = yield* Effect.forkChild(callTool(tool, undefined, "slow"))
      yield* until(() => agent.methods.length > 0)
      yield* Effect.sleep(100)
      yield* Fiber.interrupt(fiber)
      yield* until(() => agent.canceled.length === 1)
    }))

  it.live("shows more of itself to those it knows", () =>
    Effect.gen(function*() {
      const agent = yield* start({ flavour, streaming, behave, extended: true })
      const entries = yield* entriesOf({
        known: { card: agent.url, headers: { Authorization: "Bearer token-of-mine" }, pollEvery: 20 },
        unknown: { card: agent.url }
      })
      assert.deepStrictEqual(entries.map(({ tools }) => tools.length), [2, 1])
      assert.deepStrictEqual(entries[0]?.diagnostics, [])
      assert.deepStrictEqual(entries[1]?.diagnostics.map(({ code }) => code), ["extended-card-skipped"])
      const [tool] = toolsOf(entries)
      if (tool !== undefined) assert.strictEqual((yield* callTool(tool, undefined, "echo")).output, "echo")
    }))

  it.live("answers fifty calls at once", () =>
    assertNothingLeft(Effect.gen(function*() {
      const { tool } = yield* begin({ flavour, streaming })
      const texts = Array.from({ length: 50 }, (_, index) => `echo ${index}`)
      const results = yield* Effect.forEach(texts, (text) => callTool(tool, undefined, text), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(results.map(({ output }) => output), texts)
    })), 60_000)
})

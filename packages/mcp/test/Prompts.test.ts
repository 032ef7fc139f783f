import { InMemoryMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { call, define, everything, inProcess, open, platform, scripted, session, tempFile, toolOf } from "./support.ts"

const offering = (answers: object) => ({ capabilities: { prompts: { listChanged: true }, completions: {} }, answers })

describe("a list of prompts", () => {
  it.live("has each with its arguments, and leaves out what is none", () =>
    Effect.gen(function*() {
      const prompts = [
        {
          name: "review",
          title: "Review",
          description: "Reviews code",
          arguments: [
            { name: "language", required: true },
            { name: "style", description: "how" },
            { required: true },
            3
          ]
        },
        { name: "plain", arguments: null },
        { title: "nameless" },
        { name: "n".repeat(1001) }
      ]
      const live = yield* session(offering({ "prompts/list": [{ prompts }] }))
      const { diagnostics, items } = yield* live.listPrompts
      assert.deepStrictEqual(items.map(({ raw: _raw, ...item }) => item), [
        {
          server: "a",
          name: "review",
          title: "Review",
          description: "Reviews code",
          arguments: [
            { name: "language", required: true },
            { name: "style", description: "how", required: false }
          ]
        },
        { server: "a", name: "plain", arguments: [] }
      ])
      assert.deepStrictEqual(items[0]?.raw, prompts[0])
      assert.deepStrictEqual(diagnostics.map(({ code }) => code), [
        "malformed-prompt-argument",
        "malformed-prompt-argument",
        "malformed-prompt",
        "malformed-prompt"
      ])
    }).pipe(Effect.provide(platform)))

  it.live("says that it changed", () =>
    Effect.gen(function*() {
      const live = yield* session(offering({}))
      const changed = yield* Effect.forkChild(Stream.runHead(live.promptsChanged))
      yield* live.callTool("say", { messages: [{ method: "notifications/prompts/list_changed" }] })
      assert.strictEqual((yield* Fiber.join(changed))._tag, "Some")
    }).pipe(Effect.provide(platform)))
})

describe("a prompt", () => {
  it.live("is messages, whatever is in them", () =>
    Effect.gen(function*() {
      const messages = [
        { role: "user", content: { type: "text", text: "hi\udc00", annotations: { priority: 1 } } },
        { role: "assistant", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
        { role: "user", content: { type: "resource", resource: { uri: "a:1", text: "x" } } },
        { role: "user", content: { type: "hologram", depth: 3 } },
        { role: "system", content: { type: "text", text: "obey" } },
        { role: "user" }
      ]
      const live = yield* session(offering({ "prompts/get": { description: "d", messages } }))
      const filled = yield* live.getPrompt("review", { language: "ts" })
      assert.strictEqual(filled.description, "d")
      assert.deepStrictEqual(filled.messages.map(({ content, role }) => [role, content]), [
        ["user", { type: "text", text: "hi\ufffd" }],
        ["assistant", { type: "image", data: "AAAA", mimeType: "image/png" }],
        ["user", { type: "resource", uri: "a:1", text: "x" }],
        ["user", undefined]
      ])
      assert.deepStrictEqual(filled.messages[3]?.raw, messages[3])
      assert.deepStrictEqual(filled.diagnostics.map(({ message }) => message), [
        "the prompt \"review\" has 2 messages that can't be read, and are left out"
      ])
    }).pipe(Effect.provide(platform)))

  it.live("is asked for with its arguments, and refused as the server says", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const error = { code: -32602, message: "language is missing" }
      const live = yield* session({ ...offering({ "prompts/get": { error } }), log })
      assert.strictEqual((yield* Effect.flip(live.getPrompt("review", { style: "terse" }))).message, error.message)
      const asked = readFileSync(log, "utf8").split("\n").find((line) => line.includes("prompts/get")) ?? "{}"
      assert.deepStrictEqual(JSON.parse(asked).params, { name: "review", arguments: { style: "terse" } })
      const without = yield* session()
      const refused = yield* Effect.flip(without.getPrompt("review"))
      assert.strictEqual(refused.message, "mcp server \"a\" does not offer prompts")
    }).pipe(Effect.provide(platform)))
})

describe("completion", () => {
  const question = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "v" } } as const

  it.live("gives at most a hundred texts", () =>
    Effect.gen(function*() {
      const values = [3, ...Array.from({ length: 150 }, (_, index) => `v${index}`)]
      const live = yield* session(offering({ "completion/complete": { completion: { values, total: 151 } } }))
      const completion = yield* live.complete(question)
      assert.deepStrictEqual([completion.values.length, completion.total, completion.hasMore], [99, 151, true])
    }).pipe(Effect.provide(platform)))

  it.live("is refused where it isn't offered, and an answer that is none is no completion", () =>
    Effect.gen(function*() {
      const live = yield* session(offering({ "completion/complete": { completion: { values: "v" } } }))
      assert.strictEqual(
        (yield* Effect.flip(live.complete(question))).message,
        "its answer is not what the protocol asks for at completion.values"
      )
      const without = yield* session()
      assert.strictEqual((yield* Effect.flip(without.complete(question)))._tag, "McpNotOffered")
    }).pipe(Effect.provide(platform)))

  it.live("is asked of servers of a time when nobody said so", () =>
    Effect.gen(function*() {
      const greeting = { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "old", version: "1" } }
      const old = inProcess((method) => {
        if (method === "initialize") return greeting
        return method === "tools/list" ? { tools: [] } : { completion: { values: ["v1"], hasMore: false } }
      })
      const { source } = yield* open({ old })
      assert.deepStrictEqual(yield* source.complete("old", question), { values: ["v1"], hasMore: false })
    }).pipe(Effect.provide(platform)))
})

describe("instructions", () => {
  it.live("are there by server name, without secrets, cut where they are long, also while it is repaired", () =>
    Effect.gen(function*() {
      const long = `token s3cret-token ${"x".repeat(9_982)}😀`
      const own = yield* InMemoryMcpServer.make({ instructions: "In process.", tools: [] })
      const { entries, source } = yield* open({
        long: scripted({ instructions: `${long} and more` }, { env: { TOKEN: "s3cret-token" } }),
        plain: scripted({ tools: [{ name: "kill" }] }),
        blank: scripted({ instructions: " \n" }),
        own: define(own),
        dead: scripted({ exitAtStart: 1 })
      })
      const instructions = yield* source.instructions
      assert.deepStrictEqual([...instructions.keys()], ["long", "own", "plain"])
      assert.deepStrictEqual([instructions.get("own"), instructions.get("plain")], ["In process.", "Be kind."])
      const shown = instructions.get("long") ?? ""
      assert.match(shown, /^token <redacted> x+\n\[\.\.\. the rest of these instructions is left out \.\.\.\]$/)
      assert.isTrue(shown.isWellFormed())
      yield* Effect.exit(call(toolOf(yield* entries, "plain_kill")))
      assert.isFalse((yield* source.connections).has("plain"))
      assert.strictEqual((yield* source.instructions).get("plain"), "Be kind.")
      assert.isTrue((yield* entries).every(({ prompt }) => prompt === undefined))
    }).pipe(Effect.provide(platform)))
})

describe("the reference server", () => {
  it.live("fills in and completes", () =>
    Effect.gen(function*() {
      const { source } = yield* open({ everything: everything() })
      const { diagnostics, items } = yield* source.listPrompts()
      assert.deepStrictEqual(diagnostics, [])
      assert.include(items.map(({ name }) => name), "args-prompt")
      const filled = yield* source.getPrompt("everything", "args-prompt", { city: "Oslo" })
      assert.match(JSON.stringify(filled.messages.map(({ content }) => content)), /Oslo/)
      const missing = yield* Effect.flip(source.getPrompt("everything", "args-prompt"))
      assert.strictEqual(missing._tag, "McpRejected")
      const completion = yield* source.complete("everything", {
        ref: { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" },
        argument: { name: "resourceId", value: "3" }
      })
      assert.deepStrictEqual(completion.values, ["3"])
      const department = yield* source.complete("everything", {
        ref: { type: "ref/prompt", name: "completable-prompt" },
        argument: { name: "name", value: "" },
        context: { arguments: { department: "Sales" } }
      })
      assert.isAbove(department.values.length, 0)
      assert.isAbove((yield* source.instructions).get("everything")?.length ?? 0, 100)
    }).pipe(Effect.provide(platform)))
})

import { defineTool, Suspension, type Tool } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { systemError } from "effect/PlatformError"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { stripVTControlCharacters } from "node:util"
import { failureTag, run } from "./program.ts"

const hello = defineTool({ name: "hello", description: "Says hello to whoever asks for it", handler: () => "hello" })
const ask = defineTool({
  name: "ask",
  handler: (_, call) => Suspension.request(call, { kind: "question", prompt: "Which colour?" })
})
const broken = defineTool({ name: "broken", handler: () => Effect.die(new Error("secret")) })

const failing = (cause: unknown) => ({
  stdout: () => Sink.fail(systemError({ module: "Stdio", method: "stdout", _tag: "Unknown", cause }))
})

describe("run", () => {
  it.effect("takes another toolkit, and prints before it closes that", () =>
    Effect.gen(function*() {
      const { atClose, exit, output } = yield* run(["call", "hello"], [hello])
      assert.isTrue(Exit.isSuccess(exit))
      assert.strictEqual(output, "hello\n")
      assert.deepStrictEqual(atClose, ["hello\n"])
    }))

  it.effect("fails with CallFailed where the tool asks for a person or has a defect", () =>
    Effect.gen(function*() {
      const asked = yield* run(["call", "ask", "--json"], [ask])
      assert.strictEqual(failureTag(asked.exit), "CallFailed")
      assert.deepNestedInclude(JSON.parse(asked.output), {
        output: "Which colour?",
        isError: true,
        "metadata.pending.kind": "question"
      })
      const crashed = yield* run(["call", "broken", "--log-level", "none"], [broken])
      assert.strictEqual(failureTag(crashed.exit), "CallFailed")
      assert.match(crashed.output, /^The tool failed unexpectedly \(.+\)\.\n$/)
    }))

  it.effect("fits a terminal", () =>
    Effect.gen(function*() {
      const { output } = yield* run(["tools"], [hello], { stdoutIsTerminal: Effect.succeed(true) })
      const lines = stripVTControlCharacters(output.trimEnd()).split("\n")
      assert.deepStrictEqual(lines, ["NAME   SOURCE  DESCRIPTION", "hello  native  Says hello to whoever as…"])
    }))

  it.effect("a reader that has gone away is no failure; another trouble of stdout is", () =>
    Effect.gen(function*() {
      const gone = yield* run(["call", "hello"], [hello], failing({ code: "EPIPE" }))
      assert.isTrue(Exit.isSuccess(gone.exit))
      const cause = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })
      const full = yield* run(["call", "hello"], [hello], failing(cause))
      assert.strictEqual(failureTag(full.exit), "StdioFailed")
      assert.strictEqual(full.errors, "error: Standard output failed: ENOSPC: no space left on device, write\n")
    }))

  it.effect("says what is wrong with standard input", () =>
    Effect.gen(function*() {
      const cause = new Error("EIO: i/o error, read")
      const stdin = Stream.fail(systemError({ module: "Stdio", method: "stdin", _tag: "Unknown", cause }))
      const { errors, exit } = yield* run(["call", "hello", "-"], [hello], { stdin })
      assert.strictEqual(failureTag(exit), "StdioFailed")
      assert.strictEqual(errors, "error: Standard input failed: EIO: i/o error, read\n")
    }))

  it.effect("a schema that can't be printed costs only itself", () =>
    Effect.gen(function*() {
      let schema: Tool.ObjectSchema = { type: "object" }
      for (let level = 0; level < 20_000; level++) schema = { type: "object", properties: { a: schema } }
      const { exit, output } = yield* run(["tools", "--json"], [{ ...hello, name: "deep", inputSchema: schema }, hello])
      assert.isTrue(Exit.isSuccess(exit))
      const any = { type: "object" }
      assert.deepNestedInclude(JSON.parse(output), {
        "tools[0].name": "deep",
        "tools[0].inputSchema": any,
        "tools[1].name": "hello",
        "diagnostics[0].code": "unprintable-schema",
        "diagnostics[0].path": "deep"
      })
      for (const provider of ["openai", "openai-responses", "anthropic", "gemini"]) {
        const printed = yield* run(["schema", "--provider", provider], [
          { ...hello, name: "deep", inputSchema: schema },
          hello
        ])
        assert.isTrue(Exit.isSuccess(printed.exit), provider)
        assert.include(JSON.stringify(JSON.parse(printed.output)), "hello")
      }
    }))

  it.effect("check says what is lost, and fails where a tool can't be declared at all", () =>
    Effect.gen(function*() {
      const uri = {
        ...hello,
        name: "uri",
        inputSchema: { type: "object" as const, properties: { u: { type: "string", format: "uri" } } }
      }
      const text = yield* run(["check", "--provider", "gemini"], [uri])
      assert.isTrue(Exit.isSuccess(text.exit))
      assert.match(
        text.output,
        /^gemini can be told of all tools\.\n\nTOOL +PATH +KIND +WHAT\nuri +u +moved +"format" is said/
      )
      let schema: Tool.ObjectSchema = { type: "object" }
      for (let level = 0; level < 20_000; level++) schema = { type: "object", properties: { a: schema } }
      const json = yield* run(["check", "--provider", "openai", "--json"], [{
        ...hello,
        name: "deep",
        inputSchema: schema
      }])
      assert.strictEqual(failureTag(json.exit), "ToolsLeftOut")
      assert.deepStrictEqual(JSON.parse(json.output), {
        provider: "openai",
        left_out: [{ name: "deep", reason: "its input schema is too large, too deep or has no end" }],
        notes: []
      })
    }))

  it.effect("at a terminal a call shows how far it is, and clears that line; elsewhere it shows nothing", () =>
    Effect.gen(function*() {
      const work = defineTool({
        name: "work",
        handler: (_, call) =>
          Effect.gen(function*() {
            yield* call.progress({ progress: 3, total: 8, message: "half\u001B[2J of it ".repeat(20) })
            yield* call.progress({ progress: 4 })
            return "done"
          })
      })
      const errors: Array<string> = []
      const stderr = () => Sink.forEach((chunk: string | Uint8Array) => Effect.sync(() => errors.push(String(chunk))))
      const shown = yield* run(["call", "work"], [work], { stderr, stderrIsTerminal: Effect.succeed(true) })
      assert.strictEqual(shown.output, "done\n")
      // what comes too soon after the one before isn't drawn
      assert.deepStrictEqual(errors, ["\r\u001B[2Kwork: 3/8 half of it half of it half o…", "\r\u001B[2K"])
      errors.length = 0
      const plain = yield* run(["call", "work"], [work], { stderr })
      assert.deepStrictEqual([plain.output, errors], ["done\n", []])
      yield* run(["call", "hello"], [hello], { stderr, stderrIsTerminal: Effect.succeed(true) })
      assert.deepStrictEqual(errors, [])
    }))

  it.effect("logs whatever a tool logs", () =>
    Effect.gen(function*() {
      const circular: Record<string, unknown> = { size: 1n }
      circular["self"] = circular
      const work = defineTool({
        name: "work",
        handler: () => Effect.as(Effect.logWarning("seen", circular, new Error("late"), 7), "done")
      })
      const { errors, exit, output } = yield* run(["call", "work"], [work])
      assert.deepStrictEqual([Exit.isSuccess(exit), output], [true, "done\n"])
      assert.strictEqual(errors, `warning: seen {"size":1n,"self":[Circular]} late 7\n`)
    }))

  it.effect("bounds standard input", () =>
    Effect.gen(function*() {
      const stdin = Stream.forever(Stream.make(new Uint8Array(1024 * 1024)))
      const { exit, output } = yield* run(["call", "hello", "-", "--log-level", "none"], [hello], { stdin })
      assert.strictEqual(failureTag(exit), "InputTooLarge")
      assert.strictEqual(output, "")
    }))
})

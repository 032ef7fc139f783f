import { ScriptedMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { configFile } from "./command.ts"
import { parse, toolnexus } from "./program.ts"

describe("schema", () => {
  it.live("prints what goes into each provider's tools", () =>
    Effect.gen(function*() {
      const providers = ["openai", "openai-responses", "anthropic", "gemini", "bedrock"]
      const outputs = yield* Effect.forEach(
        providers,
        (provider) => toolnexus(["schema", "--provider", provider, "--json"])
      )
      const [chat, responses, anthropic, gemini, bedrock] = outputs.map(({ stdout }) => parse(stdout))
      assert.deepNestedInclude({ chat, responses, anthropic, gemini, bedrock }, {
        "chat[0].type": "function",
        "chat[0].function.name": "bash",
        "responses[0].name": "bash",
        "responses[0].strict": false,
        "anthropic[0].name": "bash",
        "anthropic[0].input_schema.type": "object",
        "gemini[0].functionDeclarations[0].name": "bash",
        "bedrock[0].toolSpec.name": "bash"
      })
    }))

  it.live("is strict where it is asked to be, and can be", () =>
    Effect.gen(function*() {
      const { stdout } = yield* toolnexus(["schema", "--provider", "openai", "--strict"])
      assert.deepNestedInclude({ tools: parse(stdout) }, {
        "tools[0].function.strict": true,
        "tools[0].function.parameters.additionalProperties": false
      })
    }))
})

describe("--mode openapi", () => {
  it.live("is Gemini's, for schema and check alike", () =>
    Effect.gen(function*() {
      const flags = ["--provider", "gemini", "--mode", "openapi"]
      const printed = yield* toolnexus(["schema", ...flags])
      assert.deepNestedInclude({ tools: parse(printed.stdout) }, {
        "tools[0].functionDeclarations[0].name": "bash",
        "tools[0].functionDeclarations[0].parameters.type": "object"
      })
      const inputSchema = {
        type: "object",
        properties: { m: { type: "object", additionalProperties: { type: "string" } } }
      }
      const config = yield* configFile({
        mcpServers: { s: ScriptedMcpServer.command({ tools: [{ name: "map", inputSchema }] }) },
        builtins: false
      })
      const checked = yield* toolnexus(["check", ...flags, "--json", "--config", config])
      assert.deepNestedInclude(parse(checked.stdout), { "notes[0].path": "m", "notes[0].kind": "encoded" })
      const usual = yield* toolnexus(["check", "--provider", "gemini", "--json", "--config", config])
      assert.deepNestedInclude(parse(usual.stdout), { notes: [] })
    }))
})

describe("check", () => {
  it.live("doesn't praise what isn't there", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* toolnexus(["check", "--provider", "openai", "--no-builtins"])
      assert.deepStrictEqual([code, stdout], [0, "No tools.\n"])
    }))
})

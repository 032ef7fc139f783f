/** What an MCP server asks in the middle of a call, at the command line. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { configFile } from "./command.ts"
import { toolnexus } from "./program.ts"

const server = fileURLToPath(new URL("../../mcp/test/fixtures/server.mjs", import.meta.url))

const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
const question = { method: "elicitation/create", params: { message: "Who are you?", requestedSchema: schema } }

const asking = Effect.fnUntraced(function*(answer?: object) {
  const tools = JSON.stringify({ tools: [{ name: "question" }] })
  const config = yield* configFile({ mcpServers: { s: { command: process.execPath, args: [server, tools] } } })
  const flags = answer === undefined ? [] : ["--answer", JSON.stringify(answer)]
  const args = ["call", "s_question", JSON.stringify(question), "--config", config, "--no-builtins", ...flags]
  return yield* toolnexus(args)
})

describe("a server that asks in the middle of a call", () => {
  it.live("gets the answer of the command line, if that is what it asks for", () =>
    Effect.gen(function*() {
      assert.include(
        (yield* asking({ ok: true, data: { name: "Bo" } })).stdout,
        `{"action":"accept","content":{"name":"Bo"}}`
      )
      assert.include((yield* asking({ ok: true, data: { name: 7 } })).stdout, `{"action":"cancel"}`)
      assert.include((yield* asking({ ok: false, reason: "declined" })).stdout, `{"action":"decline"}`)
    }))

  it.live("isn't told that it may ask where nobody is there", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* asking()
      assert.include(stdout, "Method not found")
      // it is up to the server then: this one has an answer all the same
      assert.strictEqual(code, 0)
    }))
})

/** What an MCP server asks in the middle of a call, through the whole toolkit. */
import { type Answer, Json, type Request, type Resolver, Toolkit } from "@effect-toolnexus/core"
import { assertNothingLeft } from "@effect-toolnexus/testing"
import { ToolkitLive } from "@effect-toolnexus/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json")
const everything = { command: process.execPath, args: [join(dirname(manifest), "dist/index.js"), "stdio"] }

const ELICIT = "everything_trigger-elicitation-request"

const asking = (waitFor: Resolver, timeout?: number) =>
  assertNothingLeft(
    Toolkit.use((toolkit) => toolkit.execute(ELICIT, {}, timeout === undefined ? {} : { timeout })).pipe(
      Effect.provide(ToolkitLive({ config: { mcpServers: { everything } }, builtins: false, waitFor }))
    )
  )

const yes = (request: Request.Request, data: Json.Json): Answer.Answer => ({ id: request.id, ok: true, data })

describe("a server that asks in the middle of a call", () => {
  it.live(
    "gets an answer that has the defaults of its form, while the caller's limit waits",
    () =>
      Effect.gen(function*() {
        const asked: Array<Request.Request> = []
        const { isError, output } = yield* asking((request) => {
          asked.push(request)
          return Effect.as(Effect.sleep("1500 millis"), yes(request, { name: "Ann" }))
        }, 1000)
        assert.isFalse(isError, output)
        assert.include(output, "Ann")
        assert.strictEqual(asked[0]?.kind, "input")
      }),
    30_000
  )

  it.live("never gets one that isn't what it asks for", () =>
    Effect.gen(function*() {
      const wrong = yield* asking((request) => Effect.succeed(yes(request, { name: 7 })))
      assert.match(wrong.output, /cancel|dismiss/i)
      const late = yield* asking(() => Effect.die("broken"))
      assert.match(late.output, /cancel|dismiss/i)
    }), 30_000)
})

/** A test with @effect/vitest: an MCP server in this process stands for the real one. */
import { assertNothingLeft, InMemoryMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import { ToolkitLive } from "effect-toolnexus"
import * as Effect from "effect/Effect"
import { packingAdvice } from "./Assistant.ts"

describe("packingAdvice", () => {
  it.live("asks the weather server", () =>
    assertNothingLeft(Effect.gen(function*() {
      const weather = yield* InMemoryMcpServer.make({
        tools: [{ name: "forecast", handler: ({ city }) => city === "Bergen" ? "rain" : "sun" }]
      })
      const toolkit = ToolkitLive({ config: { mcpServers: { weather } }, builtins: false })
      const advice = yield* Effect.forEach(["Bergen", "Rome"], packingAdvice).pipe(Effect.provide(toolkit))
      assert.deepStrictEqual(advice, ["Take an umbrella.", "Take sunglasses."])
    })))
})

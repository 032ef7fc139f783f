import { McpConfig } from "@effect-toolnexus/mcp"
import { assertNothingLeft } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openServer } from "../src/internal/openServer.ts"
import { define, platform } from "./support.ts"

/** Says more than all the buffers on the way hold together. */
const talkative = define({ command: process.execPath, args: ["-e", "process.stdout.write('x'.repeat(1000000))"] })

describe("a channel that is closed", () => {
  it.live("leaves no pipe open in which there was more than anybody read", () =>
    assertNothingLeft(
      Effect.gen(function*() {
        const { server } = yield* Effect.fromResult(McpConfig.normalize("a", talkative))
        assert(server._tag === "Local")
        yield* openServer(server, undefined)
        yield* Effect.sleep("300 millis")
      }).pipe(Effect.scoped, Effect.provide(platform))
    ))
})

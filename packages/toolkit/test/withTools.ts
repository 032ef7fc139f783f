/** Toolkits of nothing but tools, and tools that many tests call. */
import { defineTool, type Tool } from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"

export const withTools = (...tools: ReadonlyArray<Tool.Tool>) =>
  Effect.provide(ToolkitLayer.make([ExtraSource.layer(tools)]))

export const echo = defineTool({ name: "echo", handler: (args) => JSON.stringify(args) })

/** A tool that never ends by itself, and how far it is. */
export const makeHeld = Effect.gen(function*() {
  const started = yield* Deferred.make<void>()
  let released = false
  const held = defineTool({
    name: "held",
    handler: () =>
      Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.ensuring(Effect.sync(() => {
          released = true
        }))
      )
  })
  return { held, started, isReleased: () => released }
})

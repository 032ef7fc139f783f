/** Tools that ask, and toolkits of them. */
import {
  Answer,
  defineTool,
  type Json,
  type Resolver,
  Suspension,
  type Tool,
  type ToolError,
  Toolkit,
  type ToolkitService,
  ToolResult
} from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import * as Effect from "effect/Effect"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"

interface Given extends ToolkitLayer.Settings {
  readonly tools: ReadonlyArray<Tool.Tool>
}

export const use = <A, E, R>(
  { tools, ...settings }: Given,
  body: (toolkit: ToolkitService) => Effect.Effect<A, E, R>
) => Effect.provide(Toolkit.use(body), ToolkitLayer.make([ExtraSource.layer(tools)], settings))

/** Asks once, and says what it was told. */
export const paint = defineTool({
  name: "paint",
  handler: (_, call) =>
    call.resumed === undefined
      ? Suspension.request(call, { kind: "question", prompt: "Which colour?", state: { step: 1 } })
      : ToolResult.success(JSON.stringify([call.resumed.answer.data ?? null, call.resumed.state ?? null]))
})

export const pendingOf = Effect.fnUntraced(function*(call: Effect.Effect<unknown, ToolError.ToolError>) {
  const error = yield* Effect.flip(call)
  return error._tag === "ToolSuspended" ? error.request : yield* Effect.die(error)
})

export const yes = (data?: Json.Json): Resolver => (request) => Effect.succeed(Answer.make(request, true, data))

import { defineTool, Source } from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { sourceContract } from "@effect-toolnexus/testing/SourceContract"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const echo = defineTool({ name: "echo", handler: (args) => JSON.stringify(args) })
const never = defineTool({ name: "never", handler: () => Effect.never })

sourceContract("ExtraSource", {
  kind: "extra",
  toolKind: "native",
  good: ExtraSource.layer([echo, never]),
  tools: ["echo", "never"],
  call: { tool: "echo", args: { city: "Oslo" }, output: "Oslo" },
  hang: { tool: "never", args: {} },
  isPure: true
})

describe("ExtraSource", () => {
  it.effect("asks for what its handlers need, and lists no entry without tools", () =>
    Effect.gen(function*() {
      class Greeting extends Context.Service<Greeting, string>()("test/Greeting") {}
      const greet = defineTool({ name: "greet", handler: () => Effect.map(Greeting, (text) => text) })
      const layer: Layer.Layer<Source, never, Greeting> = ExtraSource.layer([greet])
      const context = yield* Layer.build(Layer.provide(layer, Layer.succeed(Greeting, "hello")))
      const [entry] = yield* Source.settled(Context.get(context, Source))
      assert.deepStrictEqual([entry?._tag, entry?.unlisted, entry?.tools.length], ["Loaded", true, 1])
      const none = yield* Layer.build(ExtraSource.layer([]))
      assert.deepStrictEqual(yield* Source.settled(Context.get(none, Source)), [])
    }))
})

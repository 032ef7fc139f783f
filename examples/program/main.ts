/** Provide `ToolkitLive` in an Effect program: look at the tools, call one, and read its error by its tag. */
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { defineTool, Toolkit, ToolkitLive } from "effect-toolnexus"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** A service of the program: whatever a handler needs, its tool asks for, and so does `ToolkitLive`. */
class Stock extends Context.Service<Stock, {
  readonly count: (item: string) => Effect.Effect<number, OutOfStock>
}>()("examples/Stock") {
  static readonly layer = Layer.succeed(Stock, {
    count: (item) => item === "tea" ? Effect.succeed(12) : Effect.fail(new OutOfStock({ item }))
  })
}

class OutOfStock extends Schema.TaggedError<OutOfStock>("examples/OutOfStock")("OutOfStock", { item: Schema.String }) {
  override get message() {
    return `There is no ${this.item} left. Offer something else.`
  }
}

const stock = defineTool({
  name: "stock",
  description: "How many of an item are left",
  input: Schema.Struct({ item: Schema.String.annotate({ description: "A single word" }) }),
  annotations: { readOnlyHint: true },
  handler: ({ item }) => Stock.use(({ count }) => count(item))
})

const program = Effect.gen(function*() {
  const toolkit = yield* Toolkit
  yield* Console.log(yield* toolkit.toolNames)

  // typed: a failure is one of a handful of tagged errors
  const tea = yield* toolkit.call("stock", { item: "tea" })
  yield* Console.log(tea.output)
  yield* toolkit.call("stock", { item: "coffee" }).pipe(
    Effect.catchTag("ToolFailed", (error) => Console.log(`failed: ${error.message}`))
  )

  // for a model: every failure is a result, and the arguments may be JSON text
  const result = yield* toolkit.execute("stock", `{"item": 7}`)
  yield* Console.log(`isError ${result.isError}: ${result.output}`)
})

NodeRuntime.runMain(Effect.provide(
  program,
  Layer.provide(ToolkitLive({ tools: [stock], builtins: { tools: { bash: false } } }), Stock.layer)
))

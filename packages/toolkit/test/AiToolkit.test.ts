import { Answer, type Source, Toolkit, ToolResult } from "@effect-toolnexus/core"
import { AiToolkit, ExtraSource } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import * as AiToolkitOf from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"

class Stock extends Context.Service<Stock, { readonly count: (item: string) => number }>()("test/Stock") {}

class OutOfStock extends Schema.TaggedError<OutOfStock>("test/OutOfStock")("OutOfStock", { item: Schema.String }) {
  override get message() {
    return `There is no ${this.item} left`
  }
}

const count = AiTool.make("count", {
  description: "How many are left",
  parameters: Schema.Struct({ item: Schema.String }),
  success: Schema.Struct({ left: Schema.Int }),
  failure: OutOfStock,
  dependencies: [Stock]
}).annotate(AiTool.Readonly, true)

const when = AiTool.make("when", {
  parameters: Schema.Struct({ at: Schema.DateTimeUtcFromString }),
  success: Schema.String,
  failureMode: "return",
  needsApproval: ({ at }) => DateTime.getPartUtc(at, "year") < 2000
})

const draw = AiTool.make("draw", {
  success: Schema.String,
  toModelOutput: (name: string) => [
    Prompt.textPart({ text: `drew ${name}` }),
    Prompt.filePart({ mediaType: "image/png", data: "aGk=" })
  ]
})

const steps = AiTool.make("steps", { success: Schema.String })
const broken = AiTool.make("broken", { success: Schema.String })
const search = AiTool.providerDefined({ id: "some.search", customName: "search", providerName: "search" })()

const kit = AiToolkitOf.make(count, when, draw, steps, broken, search)

const Handlers = kit.toLayer({
  count: ({ item }) =>
    item === "tea"
      ? Stock.use(({ count: of }) => Effect.succeed({ left: of(item) }))
      : Effect.fail(new OutOfStock({ item })),
  when: ({ at }) => Effect.succeed(DateTime.formatIso(at)),
  draw: () => Effect.succeed("a cat"),
  steps: (_, { preliminary }) => Effect.as(Effect.andThen(preliminary("one"), preliminary("two")), "three"),
  broken: () => Effect.die("kaput")
})

const provide = <A, E>(
  effect: Effect.Effect<A, E, Toolkit>,
  settings?: ToolkitLayer.Settings
) => {
  const source: Layer.Layer<Source, never, Stock | Layer.Success<typeof Handlers>> = AiToolkit.layer(kit)
  return Effect.provide(
    effect,
    ToolkitLayer.make([source], settings).pipe(
      Layer.provide(Handlers),
      Layer.provide(Layer.succeed(Stock, { count: () => 12 }))
    )
  )
}

const errorOf = (name: string, args: { readonly [key: string]: string }) =>
  Effect.flip(Toolkit.use(({ call }) => call(name, args)))

describe("AiToolkit", () => {
  it.effect("lists the tools of a Toolkit, but for those that a provider runs", () =>
    provide(Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const tools = yield* toolkit.tools
      assert.deepStrictEqual(tools.map(({ name, source }) => [name, source]), [
        ["count", "custom"],
        ["when", "custom"],
        ["draw", "custom"],
        ["steps", "custom"],
        ["broken", "custom"]
      ])
      const [first, second] = tools
      assert.strictEqual(first?.description, "How many are left")
      assert.deepStrictEqual(first?.annotations, { readOnlyHint: true })
      assert.isUndefined(second?.annotations)
      assert.deepInclude(first?.inputSchema, { type: "object", required: ["item"] })
      assert.include((yield* toolkit.diagnostics).map(({ message }) => message).join(), "search is run by a provider")
    })))

  it.effect("runs them: text, values, parts for the model, progress", () =>
    provide(Effect.gen(function*() {
      const { call } = yield* Toolkit
      assert.deepStrictEqual(
        yield* call("count", { item: "tea" }),
        ToolResult.success(`{"left":12}`, { structured: { left: 12 } })
      )
      assert.deepStrictEqual(
        yield* call("when", { at: "2026-01-02T03:04:05Z" }),
        ToolResult.success("2026-01-02T03:04:05.000Z")
      )
      assert.deepStrictEqual(
        yield* call("draw"),
        ToolResult.success("drew a cat\n[file image/png]", {
          content: [{ type: "text", text: "drew a cat" }, { type: "image", data: "aGk=", mimeType: "image/png" }]
        })
      )
      const told: Array<unknown> = []
      const onProgress = (progress: unknown) => Effect.sync(() => void told.push(progress))
      assert.strictEqual((yield* call("steps", {}, { onProgress })).output, "three")
      assert.deepStrictEqual(told, [{ progress: 1, message: "one" }, { progress: 2, message: "two" }])
    })))

  it.effect("tells failures apart: declared, of parameters, defects", () =>
    provide(Effect.gen(function*() {
      const failed = yield* errorOf("count", { item: "coffee" })
      assert.deepStrictEqual([failed._tag, failed.message], ["ToolFailed", "There is no coffee left"])
      assert.strictEqual((yield* errorOf("count", { thing: "tea" }))._tag, "InvalidArguments")
      // the JSON Schema lets it pass, the codec doesn't
      const wrong = yield* errorOf("when", { at: "tomorrow" })
      assert.strictEqual(wrong._tag, "InvalidArguments")
      const { output } = yield* Toolkit.use(({ execute }) => execute("broken"))
      assert.match(output, /^The tool failed unexpectedly/)
    })))

  it.effect("suspends where a tool needs an approval, by its decoded parameters", () =>
    Effect.gen(function*() {
      const old = { at: "1999-01-01T00:00:00Z" }
      yield* provide(Effect.gen(function*() {
        const error = yield* errorOf("when", old)
        assert.strictEqual(error._tag, "ToolSuspended")
        if (error._tag !== "ToolSuspended") return
        assert.strictEqual(error.request.kind, "approval")
        const { resume } = yield* Toolkit
        const result = yield* resume(error.request, Answer.make(error.request, true))
        assert.strictEqual(result.output, "1999-01-01T00:00:00.000Z")
      }))
      const no = yield* provide(errorOf("when", old), {
        waitFor: (request) => Effect.succeed(Answer.make(request, false))
      })
      assert.strictEqual(no._tag, "ToolDenied")
    }))

  it.effect("gives tools for a list of one's own as well", () =>
    Effect.gen(function*() {
      const tools = yield* AiToolkit.toTools(AiToolkitOf.make(steps)).pipe(
        Effect.provide(AiToolkitOf.make(steps).toLayer({ steps: () => Effect.succeed("done") }))
      )
      const output = yield* Effect.provide(
        Toolkit.use(({ call }) => Effect.map(call("steps"), (result) => result.output)),
        ToolkitLayer.make([ExtraSource.layer(tools)])
      )
      assert.strictEqual(output, "done")
    }))
})

import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { runInNewContext } from "node:vm"
import { defineTool, Suspension, Tool, ToolCall, ToolError, ToolResult } from "../src/index.ts"

const call = ToolCall.make("t", "call-1")
const City = Schema.Struct({ city: Schema.String.annotate({ description: "Where" }) })

/** As a program without a compiler has it. */
const taking = (definition: object) => () =>
  Reflect.apply(defineTool, undefined, [{ name: "t", handler: () => "", ...definition }])

describe("defineTool", () => {
  it("renders a closed object schema from an Effect Schema", () => {
    const tool = defineTool({ name: "t", input: City, handler: ({ city }) => city })
    assert.deepStrictEqual(tool.inputSchema, {
      type: "object",
      properties: { city: { type: "string", description: "Where" } },
      required: ["city"],
      additionalProperties: false
    })
  })

  it("puts the object itself at the root for a Schema.Class", () => {
    class Place extends Schema.Class<Place>("Place")({ city: Schema.String }) {}
    const tool = defineTool({ name: "t", input: Place, handler: (place) => place.city })
    assert.strictEqual(tool.inputSchema.type, "object")
    assert.deepStrictEqual(Object.keys(Object(tool.inputSchema["properties"])), ["city"])
    assert.isUndefined(tool.inputSchema["$ref"])
  })

  it("keeps a JSON Schema as it is, and takes any object without one", () => {
    const inputSchema = { type: "object", properties: { a: { type: "string" } }, "x-own": 1 }
    assert.deepStrictEqual<unknown>(
      defineTool({ name: "t", input: inputSchema, handler: () => "" }).inputSchema,
      inputSchema
    )
    assert.deepStrictEqual<unknown>(defineTool({ name: "t", handler: () => "" }).inputSchema, { type: "object" })
  })

  it("refuses an input that is no object at once", () => {
    assert.throws(() => defineTool({ name: "t", input: Schema.String, handler: () => "" }), /must be an object schema/)
    assert.throws(() => defineTool({ name: "t", input: { type: "array" }, handler: () => "" }), /"array"/)
    const untyped = (definition: object) => () => Reflect.apply(defineTool, undefined, [definition])
    const handler = () => ""
    assert.throws(untyped({ handler }), /needs a name/)
    assert.throws(untyped({ name: "t", run: handler }), /"t" needs a handler/)
    assert.throws(
      untyped({ name: "t", inputSchema: {}, handler }),
      /"inputSchema" is no option of tool "t"; .* mean "input"/
    )
    for (const input of ["x", handler, { type: "object", parse: handler }]) {
      assert.throws(untyped({ name: "t", input, handler }), /must be an Effect Schema or a JSON Schema/)
    }
  })

  it("refuses what would let any arguments pass, and says what to write", () => {
    for (const key of ["parameters", "schema", "args", "input_schema"]) {
      assert.throws(taking({ [key]: { type: "object" } }), `"${key}" is no option of tool "t"; did you mean "input"?`)
    }
    // as Zod 4 has it: nothing of it is listed but data
    const unlisted = (key: string, value: unknown) => Object.defineProperty({ type: "object" }, key, { value })
    class Instance {
      readonly type = "object"
    }
    const zod = /must be an Effect Schema or a JSON Schema; this one is of another library, .* z\.toJSONSchema/
    for (const mark of ["~standard", "_zod", "_def"]) assert.throws(taking({ input: unlisted(mark, {}) }), zod)
    assert.throws(taking({ input: Object.assign(() => {}, { "~standard": {} }) }), zod)
    assert.throws(taking({ input: { type: "object", parse: () => {} } }), zod)
    assert.throws(taking({ input: new Instance() }), zod)
    const standard = unlisted("~standard", { jsonSchema: { input: () => ({}) } })
    assert.throws(
      taking({ input: standard }),
      /: schema\["~standard"\]\.jsonSchema\.input\(\{ target: "draft-2020-12" \}\)/
    )
    for (const input of [{ path: standard }, { type: "object", properties: { path: standard } }]) {
      assert.throws(taking({ input }), /has schemas of another library within/)
    }
    for (const input of [{ path: Schema.String }, { properties: { path: Schema.String } }]) {
      assert.throws(taking({ input }), /by Schema\.Struct/)
    }
    for (const shape of [{ path: { type: "string" } }, { title: {}, "x-own": 1 }, { items: { type: "array" } }]) {
      assert.throws(
        taking({ input: shape }),
        /no keyword at its root: is \{ type: "object", properties: \{ "\w+": \.\.\. \} \}/
      )
    }
    const legal = [
      {},
      { description: "any" },
      { "x-own": {} },
      { not: {} },
      { $defs: {}, path: {} },
      { path: "string" },
      Object.create(null),
      runInNewContext(`({ properties: { path: { type: "string" } } })`)
    ]
    for (const input of legal) assert.doesNotThrow(taking({ input }))
  })

  it("refuses values of the wrong kind", () => {
    assert.throws(taking({ description: 5 }), /The description of tool "t" must be a text/)
    assert.throws(taking({ source: "mpc" }), /The source of tool "t" must be one of mcp, skill/)
    for (const annotations of ["readOnlyHint", { destructivHint: true }, { destructiveHint: "true" }, { title: 1 }]) {
      assert.throws(
        taking({ annotations }),
        /The annotations of tool "t" must be an object of title, .* destructiveHint/
      )
    }
    const absent = { description: undefined, annotations: { title: "T", readOnlyHint: undefined, "x-own": 1 } }
    assert.doesNotThrow(taking(absent))
  })

  it.effect("decodes the arguments, and names every issue", () =>
    Effect.gen(function*() {
      const Input = Schema.Struct({ count: Schema.FiniteFromString, city: Schema.String })
      const tool = defineTool({ name: "t", input: Input, handler: ({ count }) => `${count + 1}` })
      assert.strictEqual((yield* tool.handler({ count: "1", city: "Oslo" }, call)).output, "2")
      const error = yield* Effect.flip(tool.handler({ count: 1, extra: true }, call))
      assert.instanceOf(error, ToolError.InvalidArguments)
      assert.sameMembers(
        error._tag === "InvalidArguments" ? error.issues.map(({ path }) => path) : [],
        ["count", "city", "extra"]
      )
    }))

  it.effect("names at most ten issues, in as many characters as a model should read", () =>
    Effect.gen(function*() {
      const Input = Schema.Struct({ list: Schema.Array(Schema.String) })
      const tool = defineTool({ name: "t", input: Input, handler: () => "" })
      const error = yield* Effect.flip(tool.handler({ list: Array(500).fill(1) }, call))
      assert.strictEqual(error._tag === "InvalidArguments" ? error.issues.length : 0, 10)
      assert.include(error.message, "... and 491 more")
    }))

  it.effect("keeps of a result only what is one's own fields", () =>
    Effect.gen(function*() {
      const tool = defineTool({ name: "t", handler: () => ({ output: "x", isError: false, total: 7 }) })
      assert.deepStrictEqual(yield* tool.handler({}, call), ToolResult.success("x"))
    }))

  it.effect("takes text, results, JSON, Effects and Promises of them", () =>
    Effect.gen(function*() {
      const run = (out: unknown) => defineTool({ name: "t", handler: () => out }).handler({}, call)
      assert.deepStrictEqual(yield* run("text"), ToolResult.success("text"))
      assert.deepStrictEqual(yield* run({ output: "no", isError: true }), ToolResult.failure("no"))
      assert.deepStrictEqual(yield* run({ n: 1 }), ToolResult.success(`{"n":1}`, { structured: { n: 1 } }))
      assert.deepStrictEqual(yield* run(undefined), ToolResult.success(""))
      assert.deepStrictEqual(yield* run(Promise.resolve([1])), ToolResult.success("[1]", { structured: [1] }))
      const tool = defineTool({ name: "t", handler: () => Effect.succeed("later") })
      assert.deepStrictEqual(yield* tool.handler({}, call), ToolResult.success("later"))
      const lenient = { a: 1, b: undefined, at: new Date(0) }
      assert.deepStrictEqual((yield* run(lenient)).structured, { a: 1, at: "1970-01-01T00:00:00.000Z" })
      assert.deepStrictEqual(yield* run({ output: "x", isError: false, metadata: undefined }), ToolResult.success("x"))
      const deep: unknown = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`)
      assert.include((yield* Effect.flip(run(deep))).message, "an object that is neither")
      const hostile = Object.defineProperty({}, "then", {
        get: () => {
          throw new Error("boo")
        }
      })
      assert.strictEqual((yield* Effect.flip(run(hostile))).message, "boo")
      const cyclic: Record<string, unknown> = {}
      cyclic["self"] = cyclic
      const nested = defineTool({ name: "t", handler: () => Effect.succeed(Effect.succeed(1)) })
      assert.include((yield* Effect.flip(nested.handler({}, call))).message, "is a yield* missing?")
      const generator = defineTool({
        name: "t",
        handler: function*() {
          yield 1
        }
      })
      assert.include((yield* Effect.flip(generator.handler({}, call))).message, "a generator")
      for (const none of [() => "a function", cyclic, 1n]) {
        assert.include((yield* Effect.flip(run(none))).message, "that is neither text, a result, nor JSON")
      }
    }))

  it.effect("makes ToolFailed of a throw, a rejection and a typed failure, and leaves a defect alone", () =>
    Effect.gen(function*() {
      const fail = (handler: () => unknown) => Effect.flip(defineTool({ name: "t", handler }).handler({}, call))
      const thrown = yield* fail(() => {
        throw new Error("kaput")
      })
      assert.deepStrictEqual([thrown._tag, thrown.message], ["ToolFailed", "kaput"])
      assert.strictEqual((yield* fail(() => Promise.reject(new Error("later")))).message, "later")
      const typed = defineTool({ name: "t", handler: () => Effect.fail({ _tag: "OutOfStock" }) })
      assert.strictEqual((yield* Effect.flip(typed.handler({}, call))).message, "OutOfStock")
      const fields = defineTool({ name: "t", handler: () => Effect.fail({ _tag: "NoSuchUser", id: 2 }) })
      assert.strictEqual((yield* Effect.flip(fields.handler({}, call))).message, `NoSuchUser {"id":2}`)
      const worded = defineTool({ name: "t", handler: () => Effect.fail({ message: "why" }) })
      assert.strictEqual((yield* Effect.flip(worded.handler({}, call))).message, "why")
      // data says why by what it is
      const data = defineTool({ name: "t", handler: () => Effect.fail({ why: "closed", until: 9 }) })
      assert.strictEqual((yield* Effect.flip(data.handler({}, call))).message, `{"why":"closed","until":9}`)
      for (const silence of [undefined, null, {}, "", new Error("")]) {
        const silent = defineTool({ name: "t", handler: () => Effect.fail(silence) })
        assert.include((yield* Effect.flip(silent.handler({}, call))).message, "without saying why")
      }
      const defect = defineTool({ name: "t", handler: () => Effect.die("bug") })
      assert.isTrue(Exit.hasDies(yield* Effect.exit(defect.handler({}, call))))
    }))

  it.effect("lets the typed errors of a call through", () =>
    Effect.gen(function*() {
      const tool = defineTool({
        name: "t",
        handler: (_, current) => Suspension.request(current, { kind: "question", prompt: "Which?" })
      })
      const error = yield* Effect.flip(tool.handler({}, call))
      assert.deepStrictEqual([error._tag, error.message], ["ToolSuspended", "Which?"])
    }))

  it.effect("aborts the signal of a Promise when the call is interrupted", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<AbortSignal>()
      const tool = defineTool({
        name: "t",
        handler: (_, { signal }) => {
          Deferred.doneUnsafe(started, Effect.succeed(signal))
          return new Promise<string>(() => {})
        }
      })
      const fiber = yield* Effect.forkChild(tool.handler({}, call))
      const signal = yield* Deferred.await(started)
      assert.isFalse(signal.aborted)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(signal.aborted)
    }))

  it.effect("tells a handler that asks only after it was aborted", () =>
    Effect.gen(function*() {
      const later = Promise.withResolvers<AbortSignal>()
      const tool = defineTool({
        name: "t",
        handler: async (_, own) => {
          await Promise.resolve()
          await Promise.resolve()
          later.resolve(own.signal)
          return ""
        }
      })
      const fiber = yield* Effect.forkChild(tool.handler({}, call), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.isTrue((yield* Effect.promise(() => later.promise)).aborted)
    }))

  it.effect("asks for the services of its Effects, and is given them", () =>
    Effect.gen(function*() {
      class Greeting extends Context.Service<Greeting, { readonly text: string }>()("test/Greeting") {}
      const tool: Tool.Tool<Greeting> = defineTool({ name: "t", handler: () => Greeting.useSync(({ text }) => text) })
      const provided: Tool.Tool = Tool.provideContext(tool, Context.make(Greeting, { text: "hello" }))
      assert.strictEqual((yield* provided.handler({}, call)).output, "hello")
      const elsewhere = Effect.provideService(provided.handler({}, call), Greeting, { text: "another tenant's" })
      assert.strictEqual((yield* elsewhere).output, "hello")
    }))

  it.effect("leaves to the caller what belongs to its fiber: a handler's span hangs under the call", () =>
    Effect.gen(function*() {
      const parent = Effect.map(
        Effect.option(Effect.currentSpan),
        (span) => Option.getOrUndefined(span)?.name ?? "none"
      )
      const build = Effect.context().pipe(Effect.withSpan("build"))
      const tool = Tool.provideContext(defineTool({ name: "t", handler: () => parent }), yield* build)
      assert.strictEqual((yield* tool.handler({}, call).pipe(Effect.withSpan("call"))).output, "call")
      assert.strictEqual((yield* tool.handler({}, call)).output, "none")
    }))

  it.effect("a listener that fails doesn't break the call it watches", () =>
    Effect.gen(function*() {
      const tool = defineTool({ name: "t", handler: (_, { progress }) => Effect.as(progress({ progress: 1 }), "done") })
      const watched = ToolCall.make("t", "c", { onProgress: () => Effect.die("bug") })
      assert.strictEqual((yield* tool.handler({}, watched)).output, "done")
      // @ts-expect-error: a listener of plain JavaScript
      const plain = ToolCall.make("t", "c", { onProgress: () => {} })
      assert.strictEqual((yield* tool.handler({}, plain)).output, "done")
      const interrupting = ToolCall.make("t", "c", { onProgress: () => Effect.interrupt })
      assert.strictEqual((yield* tool.handler({}, interrupting)).output, "done")
    }))
})

import type { Json } from "@effect-toolnexus/core"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { builtins, call, issuesOf, platform, tool } from "./harness.ts"

const todo = (id: string, text: string, completed = false) => ({ id, text, completed })

const write = (...todos: ReadonlyArray<Json.Json>) => call("todowrite", { todos })

const issues = (...todos: ReadonlyArray<Json.Json>) => issuesOf(write(...todos))

const paths = (...todos: ReadonlyArray<Json.Json>) =>
  Effect.map(issues(...todos), (found) => found.map(({ path }) => path))

layer(builtins(true))("todowrite", (it) => {
  it.effect("describes itself truthfully", () =>
    Effect.gen(function*() {
      const { annotations, inputSchema } = yield* tool("todowrite")
      assert.deepStrictEqual(annotations, {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false
      })
      assert.strictEqual(inputSchema["additionalProperties"], false)
      assert.nestedPropertyVal(inputSchema, "properties.todos.maxItems", 1000)
      assert.nestedPropertyVal(inputSchema, "properties.todos.items.additionalProperties", false)
      assert.nestedPropertyVal(inputSchema, "properties.todos.items.required.length", 3)
    }))

  it.effect("renders the list, and gives it as a value", () =>
    Effect.gen(function*() {
      const todos = [todo("plan", "Think", true), todo("2", "Build it"), todo("3", "", true)]
      const { isError, output, structured } = yield* write(...todos)
      assert.isFalse(isError)
      assert.strictEqual(output, "[x] plan: Think\n[ ] 2: Build it\n[x] 3: \n\n2 of 3 done")
      assert.deepStrictEqual(structured, { todos })
    }))

  it.effect("says of an empty list that it is one", () =>
    Effect.gen(function*() {
      const { output, structured } = yield* write()
      assert.strictEqual(output, "No todos.")
      assert.deepStrictEqual(structured, { todos: [] })
    }))

  it.effect("makes ids and texts single lines", () =>
    Effect.gen(function*() {
      const { output, structured } = yield* write(todo("a\nb", "c\r\n[x] d: e\u2028f"))
      assert.strictEqual(output, "[ ] a b: c [x] d: e f\n\n0 of 1 done")
      assert.deepStrictEqual(structured, { todos: [todo("a b", "c [x] d: e f")] })
    }))

  it.effect("refuses an id that was used before, also one that only looks the same", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* issues(todo("a", "one"), todo("a", "two"), todo("b", "three")), [
        { path: "todos.1.id", message: "todos.0 has this id already" }
      ])
      assert.deepStrictEqual(yield* paths(todo("a b", "one"), todo("c", "two"), todo("a\nb", "three")), ["todos.2.id"])
      assert.strictEqual((yield* write(todo("__proto__", "one"), todo("constructor", "two"))).isError, false)
      const many = yield* issues(...Array.from({ length: 1000 }, () => todo("a", "")))
      assert.lengthOf(many, 10)
      assert.strictEqual(many.at(-1)?.message, "... and 990 more")
    }))

  it.effect("refuses what is no todo, and too many", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* paths({ id: "a", text: "b" }), ["todos.0.completed"])
      assert.deepStrictEqual(yield* paths({ ...todo("a", "b"), completed: "no" }), ["todos.0.completed"])
      assert.deepStrictEqual(yield* paths({ ...todo("a", "b"), id: 1 }), ["todos.0.id"])
      assert.deepStrictEqual(yield* paths({ ...todo("a", "b"), status: "done" }), ["todos.0.status"])
      const many = Array.from({ length: 1001 }, (_, index) => todo(`${index}`, ""))
      assert.deepStrictEqual(yield* paths(...many), ["todos"])
      assert.isTrue((yield* write(...many.slice(1))).output.endsWith("\n\n0 of 1000 done"))
    }))
})

layer(platform)("the list of todowrite", (it) => {
  const replaced = (...todos: ReadonlyArray<Json.Json>) =>
    Effect.map(write(...todos), ({ metadata }) => metadata?.["replaced"])

  it.effect("is replaced as a whole, and stays as it was when the new one is refused", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* replaced(todo("a", "one"), todo("b", "two")), 0)
      assert.deepStrictEqual(yield* paths(todo("a", ""), todo("a", "")), ["todos.1.id"])
      assert.strictEqual(yield* replaced(todo("c", "three")), 2)
      assert.strictEqual(yield* replaced(), 1)
      assert.strictEqual(yield* replaced(), 0)
    }).pipe(Effect.provide(builtins(true))))

  it.effect("is each toolkit's own, also of toolkits that are open at the same time", () =>
    Effect.scoped(Effect.gen(function*() {
      // one layer value, as two toolkits made of one program's constant have it
      const options = builtins({ readOnly: true })
      const first = yield* Layer.build(Layer.fresh(options))
      const second = yield* Layer.build(Layer.fresh(options))
      const inFirst = Effect.provideContext(replaced(todo("a", "one"), todo("b", "two")), first)
      assert.strictEqual(yield* inFirst, 0)
      assert.strictEqual(yield* Effect.provideContext(replaced(todo("c", "three")), second), 0)
      assert.strictEqual(yield* inFirst, 2)
      assert.strictEqual(yield* Effect.provideContext(replaced(), second), 1)
    })))
})

import { Answer, type Json } from "@effect-toolnexus/core"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { builtins, call, issuesOf, tool } from "./harness.ts"

/** What the call asks for. */
const asked = Effect.fnUntraced(function*(questions: Json.Json) {
  const error = yield* Effect.flip(call("question", { questions }))
  return error._tag === "ToolSuspended" ? error.request : yield* Effect.die(error)
})

/** The same call, resumed. */
const answered = (questions: Json.Json, data?: Json.Json) =>
  call("question", { questions }, { answer: Answer.make({ id: "call-1" }, true, data), state: undefined })

const two = [
  { question: "Which colour?", header: "Paint", options: ["red", "dark blue"], multiple: true },
  { question: "Which room?" }
]

layer(builtins(true))("question", (it) => {
  it.effect("describes itself truthfully", () =>
    Effect.gen(function*() {
      const { annotations, inputSchema } = yield* tool("question")
      assert.deepStrictEqual(annotations, {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false
      })
      assert.strictEqual(inputSchema["additionalProperties"], false)
      assert.nestedPropertyVal(inputSchema, "properties.questions.minItems", 1)
      assert.nestedPropertyVal(inputSchema, "properties.questions.maxItems", 20)
      assert.nestedPropertyVal(inputSchema, "properties.questions.items.additionalProperties", false)
      assert.nestedPropertyVal(inputSchema, "properties.questions.items.required.length", 1)
    }))

  it.effect("suspends with one question a line, and the schema of the answer", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* asked(two), {
        id: "call-1",
        kind: "question",
        prompt: "Which colour? (options: red, dark blue)\nWhich room?",
        data: {
          questions: two,
          schema: {
            type: "object",
            properties: {
              answers: {
                type: "array",
                minItems: 2,
                maxItems: 2,
                items: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }
              }
            },
            required: ["answers"],
            additionalProperties: false
          }
        }
      })
    }))

  it.effect("keeps each question on its line, whatever is in it", () =>
    Effect.gen(function*() {
      const questions = [
        { question: "a\r\nb\nc\u2028d\u2029e\u0085f", options: ["g\nh", "\u001b[31mi\t😀"] },
        { question: "none", options: [] }
      ]
      const { data, prompt } = yield* asked(questions)
      assert.strictEqual(prompt, "a b c d e f (options: g h,  [31mi 😀)\nnone")
      assert.deepStrictEqual(data?.["questions"], questions)
    }))

  it.effect("gives the answers as JSON", () =>
    Effect.gen(function*() {
      const answers = [["red", "dark blue"], "the \"big\" one"]
      const { isError, output, structured } = yield* answered(two, { answers })
      assert.isFalse(isError)
      assert.strictEqual(output, `{"answers":[["red","dark blue"],"the \\"big\\" one"]}`)
      assert.deepStrictEqual(structured, { answers })
    }))

  it.effect("refuses an answer of another shape, and says which it must have", () =>
    Effect.gen(function*() {
      for (
        const data of [
          undefined,
          null,
          "red",
          ["red", "big"],
          {},
          { answers: "red" },
          { answers: ["red"] },
          { answers: ["red", "big", "more"] },
          { answers: ["red", 1] },
          { answers: ["red", [null]] },
          { answers: ["red", "big"], note: "more" }
        ]
      ) {
        const [issue, ...others] = yield* issuesOf(answered(two, data))
        assert.strictEqual(issue?.path, "answers", JSON.stringify(data))
        assert.include(issue?.message, "with 2 items, one a question")
        assert.isEmpty(others)
      }
    }))

  it.effect("refuses what is no question, none, and too many", () =>
    Effect.gen(function*() {
      const paths = (questions: Json.Json) =>
        Effect.map(issuesOf(call("question", { questions })), (issues) => issues.map(({ path }) => path))
      const many = (count: number) => Array.from({ length: count }, (_, index) => ({ question: `${index}?` }))
      assert.deepStrictEqual(yield* paths([]), ["questions"])
      assert.deepStrictEqual(yield* paths(many(21)), ["questions"])
      assert.lengthOf((yield* asked(many(20))).prompt.split("\n"), 20)
      assert.deepStrictEqual(yield* paths([{ header: "Paint" }]), ["questions.0.question"])
      assert.deepStrictEqual(yield* paths([{ question: "a?", options: [{ label: "b" }] }]), ["questions.0.options.0"])
      assert.deepStrictEqual(yield* paths([{ question: "a?", option: ["b"] }]), ["questions.0.option"])
    }))
})

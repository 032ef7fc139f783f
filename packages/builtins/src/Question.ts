/**
 * The tool `question`: asks the person behind the host, and answers with what they said (CONTRACT 7).
 *
 * **Details**
 *
 * - The call is suspended by a request of kind `question` (CONTRACT 11). Its prompt has one question a line, with its
 *   options; `data.questions` has them as the model wrote them, for a host that shows more than text.
 * - `data.schema` is the JSON Schema of the answer: `{ answers }`, one a question and in their order, each a text or, of
 *   several choices, a list of texts. Options are suggestions: any text is an answer.
 * - The output is the answer as JSON text, and `structured` the same value.
 *
 * @since 0.1.0
 */
import { type Json, Suspension, type Tool, type ToolCall, ToolError, ToolResult } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { defineBuiltin } from "./internal/defineBuiltin.ts"
import { singleLine } from "./internal/singleLine.ts"

/** More is a questionnaire: nobody answers that in the middle of some other work. */
const MAX_QUESTIONS = 20

/**
 * What `question` takes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Input = Schema.Struct({
  questions: Schema.Array(Schema.Struct({
    question: Schema.String.annotate({ description: "The whole question, to be understood by itself" }),
    header: Schema.optionalKey(Schema.String.annotate({ description: "What it is about, in a word or two" })),
    options: Schema.optionalKey(
      Schema.Array(Schema.String).annotate({ description: "Answers to choose from; the person may give another" })
    ),
    multiple: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Whether several options may be chosen; default false" })
    )
  })).check(Schema.isMinLength(1), Schema.isMaxLength(MAX_QUESTIONS)).annotate({
    description: `What to ask, at most ${MAX_QUESTIONS} questions; all are answered at once`
  })
})

/**
 * @category schemas
 * @since 0.1.0
 */
export interface Input extends Schema.Schema.Type<typeof Input> {}

/**
 * What a person, or a host on their behalf, answers: one text or list of texts for each question, in their order.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Answers = Schema.Struct({
  answers: Schema.Array(Schema.Union([Schema.String, Schema.Array(Schema.String)]))
})

/**
 * @category schemas
 * @since 0.1.0
 */
export interface Answers extends Schema.Schema.Type<typeof Answers> {}

/**
 * Makes the tool.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<Tool.Tool> = Effect.sync(() =>
  defineBuiltin({
    name: "question",
    description: "Ask the person you work for, and wait for their answers: to decide between ways, or for what only "
      + "they know.",
    input: Input,
    // asking again costs a person's time again, and the answer may be another
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    handler: ({ questions }, call) =>
      call.resumed === undefined ? ask(questions, call) : answer(questions.length, call.resumed.answer.data, call)
  })
)

type Questions = Input["questions"]

const ask = (questions: Questions, call: ToolCall.ToolCall) =>
  Suspension.request(call, {
    kind: "question",
    prompt: questions.map(toLine).join("\n"),
    data: { questions, schema: answerSchema(questions.length) }
  })

const toLine = ({ options = [], question }: Questions[number]): string =>
  singleLine(options.length === 0 ? question : `${question} (options: ${options.join(", ")})`)

/** What {@link Answers} is for so many questions. */
const answerSchema = (count: number): Json.JsonObject => ({
  type: "object",
  properties: {
    answers: {
      type: "array",
      minItems: count,
      maxItems: count,
      items: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }
    }
  },
  required: ["answers"],
  additionalProperties: false
})

/** Checked here too: what a host answers inline need not have been held against `data.schema`. */
const answer = (count: number, data: Json.Json | undefined, { toolName }: ToolCall.ToolCall) =>
  Option.match(Option.filter(decodeAnswers(data), ({ answers }) => answers.length === count), {
    onNone: () => Effect.fail(new ToolError.InvalidArguments({ toolName, issues: [misfit(count)] })),
    onSome: ({ answers }) =>
      Effect.succeed(ToolResult.success(JSON.stringify({ answers }), { structured: { answers } }))
  })

const decodeAnswers = Schema.decodeUnknownOption(Answers, { onExcessProperty: "error" })

const misfit = (count: number): ToolError.ArgumentIssue => ({
  path: "answers",
  message: `the answer must be {"answers": [...]} with ${count === 1 ? "1 item" : `${count} items`}, one a question, `
    + "each a text or a list of texts"
})

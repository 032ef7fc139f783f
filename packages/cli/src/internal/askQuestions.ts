/** The questions of a request of kind `question`, one prompt for each. */
import type { Request } from "@effect-toolnexus/core/Request"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { askText } from "./askText.ts"
import { oneLine } from "./plainText.ts"

const Questions = Schema.NonEmptyArray(Schema.Struct({
  question: Schema.String,
  header: Schema.optionalKey(Schema.String),
  options: Schema.optionalKey(Schema.Array(Schema.String)),
  multiple: Schema.optionalKey(Schema.Boolean)
}))

type Question = typeof Questions.Type[number]

const decode = Schema.decodeUnknownOption(Questions)

/** What a request has in `data.questions`, where those are questions. */
export const readQuestions = (data: Request["data"]) => decode(data?.["questions"])

/** The answers, in the questions' order. */
export const askQuestions = (questions: ReadonlyArray<Question>) => Effect.forEach(questions, askQuestion)

const askQuestion = Effect.fnUntraced(function*({ header, multiple, options = [], question }: Question) {
  const message = oneLine(header === undefined ? question : `${header}: ${question}`)
  if (options.length === 0) return yield* askText({ message })
  const choices = [...options.map((option) => ({ title: oneLine(option), value: option })), ANOTHER]
  if (multiple !== true) {
    return (yield* Prompt.Select({ message, choices })) ?? (yield* askText({ message: "Your answer" }))
  }
  const chosen = yield* Prompt.MultiSelect({ message, choices })
  const texts = chosen.filter(Predicate.isString)
  const another = chosen.includes(undefined) ? yield* askText({ message: "Another answer" }) : ""
  return another === "" ? texts : [...texts, another]
})

/** Options are suggestions; this one stands for a text of one's own. */
const ANOTHER = { title: "Another answer", value: undefined }

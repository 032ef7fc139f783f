/** Puts a request to the person at the terminal, by its kind (CONTRACT 11). */
import * as Answer from "@effect-toolnexus/core/Answer"
import type { Request } from "@effect-toolnexus/core/Request"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { askData } from "./askData.ts"
import { askQuestions, readQuestions } from "./askQuestions.ts"
import { writeError } from "./errorOutput.ts"
import { oneLine, plainText } from "./plainText.ts"
import { atTerminal } from "./promptTerminal.ts"

/** The person's answer; interrupted when they end the command instead. */
export const askPerson = (request: Request) => atTerminal(askByKind(request))

const askByKind = Effect.fnUntraced(function*(request: Request) {
  const questions = request.kind === "question" ? readQuestions(request.data) : Option.none()
  if (Option.isSome(questions)) {
    // most prompts are these very questions, in one text for whoever has no better way to ask
    if (!questions.value.every(({ question }) => request.prompt.includes(question))) yield* show(request)
    return Answer.make(request, true, { answers: yield* askQuestions(questions.value) })
  }
  yield* show(request)
  switch (request.kind) {
    case "approval": {
      const isAllowed = yield* Prompt.Confirm({ message: "Allow it?" })
      return isAllowed ? Answer.make(request, true) : no(request, "declined")
    }
    case "authorization": {
      const isDone = yield* Prompt.Confirm({ message: "Done?", initial: true })
      return isDone ? Answer.make(request, true) : no(request, "cancelled")
    }
    default:
      return Answer.make(request, true, yield* askData(request.data?.["schema"]))
  }
})

const no = ({ id }: Request, reason: "declined" | "cancelled"): Answer.Answer => ({ id, ok: false, reason })

/** A prompt is drawn again with every key, which only works for a short one: the text stands above it. */
const show = ({ prompt, url }: Request) =>
  writeError([plainText(prompt).trimEnd(), ...url === undefined ? [] : [oneLine(url)]].join("\n") + "\n")

/** Why the answer is asked for again. */
export const showMisfit = (text: string) => writeError(`${oneLine(text)}\n`)

/** `--answer JSON`: what a person would answer, written beforehand. */
import * as Answer from "@effect-toolnexus/core/Answer"
import * as CliError from "effect/cli/CliError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The request, and so its id, is made up during the call; an id that is there is that of another one. */
const AnswerText = Schema.fromJsonString(
  Schema.Struct({ ...Answer.Answer.fields, id: Schema.optionalKey(Schema.String) })
)

// `data` misspelt would be an answer without data
const decode = Schema.decodeUnknownResult(AnswerText, { onExcessProperty: "error" })

/** An answer to whichever request it is given. */
export type GivenAnswer = typeof AnswerText.Type

export const readAnswer = (value: string): Result.Result<GivenAnswer, CliError.InvalidValue> =>
  Result.mapError(decode(value), () =>
    new CliError.InvalidValue({
      option: "answer",
      value,
      expected: `JSON like {"ok": true, "data": ...} or {"ok": false, "reason": "declined"}`,
      kind: "flag"
    }))

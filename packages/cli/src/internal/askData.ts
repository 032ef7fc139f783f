/** An answer's data, as `data.schema` of a request has it: a form of one prompt for each property, or a single value. */
import * as Json from "@effect-toolnexus/core/Json"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Terminal from "effect/Terminal"
import { askText } from "./askText.ts"
import { type Choice, type Field, readField, readForm, toText } from "./formFields.ts"
import { plainText } from "./plainText.ts"

/** Asks for the data; without a schema it is a text. */
export const askData = (schema: Json.Json | undefined): Asked => {
  if (!Json.isJsonObject(schema)) return askText({ message: SINGLE })
  const fields = readForm(schema)
  return fields === undefined ? askField(readField(SINGLE, schema, true)) : askForm(fields)
}

type Asked = Effect.Effect<Json.Json | undefined, Terminal.QuitError, Prompt.Environment>

const SINGLE = "Your answer"

const askForm = (fields: ReadonlyArray<readonly [name: string, field: Field]>) =>
  Effect.map(
    Effect.forEach(fields, ([name, field]) => Effect.map(askField(field), (value) => ({ name, value }))),
    (values): Json.JsonObject =>
      Object.fromEntries(values.flatMap(({ name, value }) => value === undefined ? [] : [[name, value]]))
  )

/** What is left empty is absent. */
const askField = (field: Field): Asked => {
  switch (field._tag) {
    case "Boolean":
      return field.isRequired
        ? Prompt.Confirm({ message: field.message, initial: field.default === true })
        : askOneOf(field, [{ title: "yes", value: true }, { title: "no", value: false }])
    case "OneOf":
      return askOneOf(field, field.choices)
    case "SomeOf":
      return askSomeOf(field, field.choices)
    default:
      return askWritten(field, field.read)
  }
}

const askOneOf = (field: Field, choices: ReadonlyArray<Choice>) => {
  const all = field.isRequired ? choices : [{ title: "(leave empty)", value: undefined }, ...choices]
  // of two that are equal only one may be selected
  const selected = all.findIndex(({ value }) => value !== undefined && value === field.default)
  return Prompt.Select({
    message: field.message,
    choices: all.map((choice, index) => ({ ...choice, selected: index === selected }))
  })
}

const askSomeOf = ({ default: selected, isRequired, message }: Field, choices: ReadonlyArray<Choice>) =>
  Effect.map(
    Prompt.MultiSelect({
      message,
      choices: choices.map((choice) => ({
        ...choice,
        selected: Array.isArray(selected) && selected.includes(choice.value)
      }))
    }),
    (chosen) => chosen.length > 0 || isRequired ? chosen : undefined
  )

const askWritten = (field: Field, read: (text: string) => Result.Result<Json.Json, string>) => {
  const readAnswer = (text: string): Result.Result<Json.Json | undefined, string> =>
    text.trim() !== "" ? read(text) : field.isRequired ? Result.fail("This is needed") : Result.succeed(undefined)
  return Effect.map(
    askText({
      message: field.message,
      ...field.default === undefined ? {} : { default: plainText(toText(field.default)) },
      validate: (text) => Effect.as(Effect.fromResult(readAnswer(plainText(text))), text)
    }),
    (text) => Result.getOrUndefined(readAnswer(text))
  )
}

/** What the properties of a schema are as fields of a form. It reads flat schemas; whatever isn't flat is JSON text. */
import * as Json from "@effect-toolnexus/core/Json"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { oneLine } from "./plainText.ts"

/** One of the values a field may have. */
export interface Choice {
  readonly title: string
  readonly value: Json.Json
}

/** One thing to ask. */
export type Field =
  & { readonly message: string; readonly isRequired: boolean; readonly default: Json.Json | undefined }
  & (
    | { readonly _tag: "Boolean" }
    | { readonly _tag: "OneOf" | "SomeOf"; readonly choices: ReadonlyArray<Choice> }
    | { readonly _tag: "Written"; readonly read: (text: string) => Result.Result<Json.Json, string> }
  )

/** The fields of an object schema with properties, by name. */
export const readForm = (schema: Json.JsonObject): ReadonlyArray<readonly [name: string, field: Field]> | undefined => {
  const { properties, required } = schema
  if (!Json.isJsonObject(properties) || Object.keys(properties).length === 0) return undefined
  const names = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, property]) => [name, readField(name, property, names.includes(name))])
}

/** The field of a single schema. */
export const readField = (name: string, given: Json.Json, isRequired: boolean): Field => {
  const schema = Json.isJsonObject(given) ? given : {}
  const kind = readKind(schema)
  const notes = [
    ...Predicate.isString(schema["description"]) ? [schema["description"]] : [],
    ...kind._tag === "Written" && kind.read === readJson ? ["JSON"] : [],
    ...isRequired ? [] : ["optional"]
  ]
  const label = Predicate.isString(schema["title"]) ? schema["title"] : name
  const message = oneLine(notes.length === 0 ? label : `${label} (${notes.join("; ")})`)
  return { message, isRequired, default: schema["default"] ?? undefined, ...kind }
}

const readKind = (schema: Json.JsonObject) => {
  const choices = readChoices(schema)
  if (choices !== undefined) return { _tag: "OneOf" as const, choices }
  const { items } = schema
  switch (typeOf(schema)) {
    case "boolean":
      return { _tag: "Boolean" as const }
    case "string":
      return { _tag: "Written" as const, read: Result.succeed }
    case "number":
      return { _tag: "Written" as const, read: readNumber }
    case "integer":
      return { _tag: "Written" as const, read: readInteger }
    case "array": {
      const some = Json.isJsonObject(items) ? readChoices(items) : undefined
      return some === undefined
        ? { _tag: "Written" as const, read: readJson }
        : { _tag: "SomeOf" as const, choices: some }
    }
    case undefined:
      return { _tag: "Written" as const, read: readAny }
    default:
      return { _tag: "Written" as const, read: readJson }
  }
}

/** One that may also be null is asked for as what else it may be. */
const typeOf = ({ type }: Json.JsonObject): Json.Json | undefined =>
  Array.isArray(type) ? type.find((name) => name !== "null") : type

/** `enum` with the names that MCP has for it, or alternatives of one value each. */
const readChoices = (schema: Json.JsonObject): ReadonlyArray<Choice> | undefined => {
  const { anyOf, enum: values, enumNames, oneOf } = schema
  if (Array.isArray(values) && values.length > 0) {
    return values.map((value, index) => toChoice(value, Array.isArray(enumNames) ? enumNames[index] : undefined))
  }
  const alternatives = oneOf ?? anyOf
  if (!Array.isArray(alternatives) || alternatives.length === 0) return undefined
  const choices = alternatives.flatMap((alternative) =>
    Json.isJsonObject(alternative) && alternative["const"] !== undefined
      ? [toChoice(alternative["const"], alternative["title"])]
      : []
  )
  return choices.length === alternatives.length ? choices : undefined
}

const toChoice = (value: Json.Json, title: Json.Json | undefined): Choice => ({
  title: oneLine(Predicate.isString(title) ? title : toText(value)),
  value
})

/** A value as somebody would type it. */
export const toText = (value: Json.Json): string => Predicate.isString(value) ? value : JSON.stringify(value)

const readNumber = (text: string): Result.Result<number, string> => {
  const number = Number(text)
  return Number.isFinite(number) ? Result.succeed(number) : Result.fail("A number is needed")
}

const readInteger = (text: string): Result.Result<number, string> =>
  Result.filterOrFail(readNumber(text), Number.isInteger, () => "A whole number is needed")

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const readJson = (text: string): Result.Result<Json.Json, string> =>
  Result.fromOption(decodeJson(text), () => "JSON is needed, like [1, 2] or {\"a\": \"text\"}")

/** Nothing says what it is to be. */
const readAny = (text: string): Result.Result<Json.Json, string> =>
  Result.succeed(Option.getOrElse(decodeJson(text), () => text))

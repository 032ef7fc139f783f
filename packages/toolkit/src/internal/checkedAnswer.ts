/** Whether an answer is one, and what its request asks for: the data under `data.schema`, defaults filled in. */
import { Answer, Json, type Request, ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Validation } from "./validation.ts"

export const checkAnswer = (
  check: Validation["check"],
  toolName: string,
  request: Request.Request,
  answer: Answer.Answer
): Effect.Effect<Answer.Answer, ToolError.InvalidArguments> => {
  const schema = request.data?.["schema"]
  if (schema === false) return refuse(toolName, [{ path: "", message: "no answer is valid" }])
  if (!isObject(schema)) return Effect.succeed(answer)
  const data = withDefaults(schema, answer.data ?? (isForm(schema) ? {} : undefined), 0)
  return Effect.flatMap(check(schema, data), (issues) =>
    issues.length > 0
      ? refuse(toolName, issues)
      : Effect.succeed(data === undefined ? answer : { ...answer, data }))
}

/** What says yes and no at once says no. */
export const isYes = ({ ok, reason }: Answer.Answer): boolean => ok && reason === undefined

/** Answers and requests come from elsewhere, and are to be stored and shown. */
export const isReadable = (value: unknown): boolean => Json.isWithin(value, { levels: 200, values: 1_000_000 })

/** In words of our own: an answer may hold what isn't to be shown. */
const FIELDS: Readonly<Record<keyof Answer.Answer, string>> = {
  id: "must be the id of the request",
  ok: "must be true or false",
  data: "must be JSON, or be left out",
  reason: "must be \"declined\", \"cancelled\" or \"expired\", or be left out"
}

const NO_ANSWER: ReadonlyArray<ToolError.ArgumentIssue> = [{ path: "answer", message: "is no answer" }]

/** What keeps a value from being an answer. What is read may throw, and what is deep ends whoever looks at it. */
export const answerIssues = (value: unknown): ReadonlyArray<ToolError.ArgumentIssue> =>
  Result.getOrElse(Result.try(() => isReadable(value) ? fieldIssues(value) : NO_ANSWER), () => NO_ANSWER)

const fieldIssues = (value: unknown): ReadonlyArray<ToolError.ArgumentIssue> => {
  const decoded = decodeAnswer(value, { errors: "all" })
  if (Result.isSuccess(decoded)) return []
  const wrong = new Set(format(decoded.failure.issue).issues.map(({ path }) => path?.[0]))
  const issues = Object.entries(FIELDS).flatMap(([key, message]) =>
    wrong.has(key) ? [{ path: `answer.${key}`, message }] : []
  )
  return issues.length > 0 ? issues : NO_ANSWER
}

const decodeAnswer = Schema.decodeUnknownResult(Answer.Answer)

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const refuse = (toolName: string, issues: ReadonlyArray<ToolError.ArgumentIssue>) =>
  Effect.fail(new ToolError.InvalidArguments({ toolName, issues: issues.map(below) }))

/** Whoever says yes to a form has sent it, also when nothing was filled in. */
const isForm = ({ properties, type }: Json.JsonObject): boolean => type === "object" || isObject(properties)

const below = ({ message, path }: ToolError.ArgumentIssue): ToolError.ArgumentIssue => ({
  path: path === "" ? "data" : `data.${path}`,
  message
})

const isObject = (value: Json.Json | undefined): value is Json.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Forms are flat or nearly so. */
const MAX_DEPTH = 16

/** What a form left empty is what its schema says it is then. What isn't there as a whole is not made up of its parts. */
const withDefaults = (
  schema: Json.Json | undefined,
  value: Json.Json | undefined,
  depth: number
): Json.Json | undefined => {
  if (!isObject(schema) || depth > MAX_DEPTH) return value
  const given = value === undefined ? schema["default"] : value
  const { properties } = schema
  if (!isObject(properties) || !isObject(given)) return given
  const filled = Object.entries(properties).flatMap(([name, property]): ReadonlyArray<readonly [string, Json.Json]> => {
    const whole = withDefaults(property, Object.hasOwn(given, name) ? given[name] : undefined, depth + 1)
    return whole === undefined ? [] : [[name, whole]]
  })
  return Object.fromEntries([...Object.entries(given), ...filled])
}

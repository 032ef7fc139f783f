/** Whether an answer is what its request asks for: the data under `data.schema`, defaults filled in. */
import { type Answer, type Json, type Request, ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type { Validation } from "./validation.ts"

export const checkAnswer = (
  check: Validation["check"],
  toolName: string,
  request: Request.Request,
  answer: Answer.Answer
): Effect.Effect<Answer.Answer, ToolError.InvalidArguments> => {
  const schema = request.data?.["schema"]
  if (!answer.ok || !isObject(schema)) return Effect.succeed(answer)
  const data = withDefaults(schema, answer.data, 0)
  return Effect.flatMap(check(schema, data), (issues) =>
    issues.length > 0
      ? Effect.fail(new ToolError.InvalidArguments({ toolName, issues: issues.map(below) }))
      : Effect.succeed(data === undefined ? answer : { ...answer, data }))
}

const below = ({ message, path }: ToolError.ArgumentIssue): ToolError.ArgumentIssue => ({
  path: path === "" ? "data" : `data.${path}`,
  message
})

const isObject = (value: Json.Json | undefined): value is Json.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Forms are flat or nearly so. */
const MAX_DEPTH = 16

/** What a form left empty is what its schema says it is then. */
const withDefaults = (
  schema: Json.Json | undefined,
  value: Json.Json | undefined,
  depth: number
): Json.Json | undefined => {
  if (!isObject(schema) || depth > MAX_DEPTH) return value
  if (value === undefined && schema["default"] !== undefined) return schema["default"]
  const { properties } = schema
  if (!isObject(properties) || value !== undefined && !isObject(value)) return value
  const filled = Object.entries(properties).flatMap(([name, property]): ReadonlyArray<readonly [string, Json.Json]> => {
    const given = value !== undefined && Object.hasOwn(value, name) ? value[name] : undefined
    const whole = withDefaults(property, given, depth + 1)
    return whole === undefined ? [] : [[name, whole]]
  })
  return value === undefined && filled.length === 0
    ? undefined
    : Object.fromEntries([...Object.entries(value ?? {}), ...filled])
}

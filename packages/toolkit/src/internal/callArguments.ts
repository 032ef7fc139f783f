/** Arguments as models send them: an object, its JSON text, or nothing at all (CONTRACT 1). */
import { type CallArguments, Json, Text, ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

export const decodeArguments = (
  toolName: string,
  args: CallArguments
): Effect.Effect<Json.JsonObject, ToolError.InvalidArguments> => {
  if (args === undefined || args === null) return Effect.succeed({})
  if (typeof args !== "string") return Json.isJsonObject(args) ? Effect.succeed(args) : notAnObject(toolName)
  if (args.trim() === "") return Effect.succeed({})
  return Result.match(Result.try({ try: (): unknown => JSON.parse(args), catch: describe }), {
    onFailure: (problem) => invalid(toolName, `the arguments are not valid JSON: ${problem}`),
    onSuccess: (value) => isParsedObject(value) ? Effect.succeed(value) : notAnObject(toolName)
  })
}

/** The parser quotes what it stumbled over, which may be long. */
const describe = (cause: unknown): string => Text.cut(cause instanceof Error ? cause.message : String(cause), 200, "…")

/** What `JSON.parse` made is JSON all the way down; only its root is in question. */
const isParsedObject = (value: unknown): value is Json.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const notAnObject = (toolName: string) => invalid(toolName, "the arguments must be a JSON object")

const invalid = (toolName: string, message: string) =>
  Effect.fail(new ToolError.InvalidArguments({ toolName, issues: [{ path: "", message }] }))

/** Arguments as models send them: an object, its JSON text, or nothing at all (CONTRACT 1). */
import { type CallArguments, Json, Text, ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

export const decodeArguments = (
  toolName: string,
  args: CallArguments
): Effect.Effect<Json.JsonObject, ToolError.InvalidArguments> => {
  if (args === undefined || args === null) return Effect.succeed({})
  if (typeof args !== "string") return checkObject(toolName, args)
  if (args.trim() === "") return Effect.succeed({})
  return Result.match(Result.try({ try: (): unknown => JSON.parse(args), catch: describe }), {
    onFailure: (problem) => invalid(toolName, `the arguments are not valid JSON: ${problem}`),
    onSuccess: (value) => {
      if (!Json.isWithin(value, BOUNDS)) return invalid(toolName, TOO_MUCH)
      return isParsedObject(value) ? Effect.succeed(value) : notAnObject(toolName)
    }
  })
}

/** From code anything may come, also what breaks whoever looks at it. */
const checkObject = (toolName: string, args: Json.Json) => {
  const problem = Result.getOrElse(Result.try(() => problemOf(args)), () => "the arguments can't be read")
  if (problem !== undefined) return invalid(toolName, problem)
  return isParsedObject(args) ? Effect.succeed(args) : notAnObject(toolName)
}

const problemOf = (args: Json.Json): string | undefined => {
  if (!Json.isWithin(args, BOUNDS)) return TOO_MUCH
  return Json.isJsonObject(args) ? undefined : NO_OBJECT
}

/** Deeper ones can't be written as JSON again, nor can cyclic ones. */
const BOUNDS: Json.Bounds = { levels: 500, values: 10_000_000 }

const TOO_MUCH =
  `the arguments are nested deeper than ${BOUNDS.levels} levels, or hold more than ${BOUNDS.values} values`

/** The parser quotes what it stumbled over, which may be long. */
const describe = (cause: unknown): string => Text.cut(cause instanceof Error ? cause.message : String(cause), 200, "…")

/** What `JSON.parse` made is JSON all the way down; only its root is in question. */
const isParsedObject = (value: unknown): value is Json.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const NO_OBJECT = "the arguments must be a JSON object"

const notAnObject = (toolName: string) => invalid(toolName, NO_OBJECT)

const invalid = (toolName: string, message: string) =>
  Effect.fail(new ToolError.InvalidArguments({ toolName, issues: [{ path: "", message }] }))

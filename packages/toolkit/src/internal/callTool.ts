/** From a name and whatever a model sent as arguments to the tool behind its pipeline. */
import { type CallArguments, type Snapshot, Suggestion, type Tool, ToolCall, ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import { decodeArguments } from "./callArguments.ts"

export const callTool = (
  snapshot: Snapshot,
  isClosed: boolean,
  callId: () => string,
  name: string,
  args: CallArguments,
  options: ToolCall.CallOptions | undefined
) =>
  Effect.flatMap(findTool(snapshot, isClosed, name), (tool) =>
    Effect.flatMap(
      decodeArguments(name, args),
      (decoded) => tool.handler(decoded, ToolCall.make(name, options?.callId ?? callId(), options))
    ))

/** A closed toolkit knows no tools any more, and checks nothing. */
const findTool = (
  { byName, toolNames }: Snapshot,
  isClosed: boolean,
  toolName: string
): Effect.Effect<Tool.Tool, ToolError.ToolNotFound | ToolError.ToolUnavailable> => {
  if (isClosed) return Effect.fail(new ToolError.ToolUnavailable({ toolName, reason: "the toolkit is closed" }))
  const tool = byName.get(toolName)
  return tool === undefined
    ? Effect.fail(new ToolError.ToolNotFound({ toolName, suggestions: Suggestion.closest(toolName, toolNames, 3) }))
    : Effect.succeed(tool)
}

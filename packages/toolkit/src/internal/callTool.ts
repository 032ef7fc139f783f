/** From a name and whatever a model sent as arguments to the tool behind its pipeline. */
import {
  type CallArguments,
  type ProviderSchema,
  type Snapshot,
  Suggestion,
  type Tool,
  ToolCall,
  ToolError
} from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import { decodeArguments } from "./callArguments.ts"

export const callTool = (
  snapshot: Snapshot,
  core: CallingCore,
  name: string,
  args: CallArguments,
  options: ToolCall.CallOptions | undefined
) =>
  Effect.flatMapEager(findTool(snapshot, core, name), (tool) =>
    Effect.flatMapEager(
      decodeArguments(tool.name, args),
      (decoded) => tool.handler(decoded, ToolCall.make(tool.name, options?.callId ?? core.callId(), options))
    ))

/** What a call needs beside the tools. */
export interface CallingCore {
  readonly schemas: Pick<ProviderSchema.ProviderSchemas, "toolNamed">
  readonly isClosed: () => boolean
  readonly callId: () => string
}

/**
 * A closed toolkit knows no tools any more, and checks nothing. A tool whose name no provider takes is also found by the
 * name that they are given: whatever is listed can be called.
 */
export const findTool = (
  { byName, toolNames, tools }: Snapshot,
  { isClosed, schemas }: CallingCore,
  toolName: string
): Effect.Effect<Tool.Tool, ToolError.ToolNotFound | ToolError.ToolUnavailable> => {
  if (isClosed()) return Effect.fail(new ToolError.ToolUnavailable({ toolName, reason: "the toolkit is closed" }))
  const tool = byName.get(toolName) ?? schemas.toolNamed(tools, toolName)
  return tool === undefined
    ? Effect.fail(new ToolError.ToolNotFound({ toolName, suggestions: Suggestion.closest(toolName, toolNames, 3) }))
    : Effect.succeed(tool)
}

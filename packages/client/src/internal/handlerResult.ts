/** A result of our pipeline as `effect/ai` has it. */
import type { ToolResult } from "@effect-toolnexus/core"
import * as Prompt from "effect/ai/Prompt"
import type * as AiTool from "effect/ai/Tool"
import type { DynamicTool } from "../EffectAi.ts"
import { filesOf } from "./richContent.ts"

export const toHandlerResult =
  (isTaken: (mediaType: string) => boolean) => (result: ToolResult.ToolResult): AiTool.HandlerResult<DynamicTool> => {
    const files = filesOf(result, isTaken)
    return {
      result,
      encodedResult: result.output,
      isFailure: result.isError,
      ...(result.isError ? { failureOrigin: originOf(result) } : {}),
      preliminary: false,
      ...(files.length === 0
        ? {}
        : { modelOutput: [Prompt.textPart({ text: result.output }), ...files.map((file) => Prompt.filePart(file))] })
    }
  }

const originOf = ({ metadata }: ToolResult.ToolResult): AiTool.FailureOrigin =>
  metadata?.["error"] === "InvalidArguments" ? "parameters" : "handler"

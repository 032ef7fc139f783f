/** A model's call of a tool by the name and under the schema it was declared with. */
import { Answer, type ProviderSchema, type ToolCall, type ToolError, type ToolResult } from "@effect-toolnexus/core"
import type { CallArguments, ToolkitService } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Json from "./callArguments.ts"

export interface DeclaredCall {
  readonly name: string
  readonly args: unknown
  readonly options: ToolCall.CallOptions
  /** Whether a person has said yes to this very call, elsewhere. */
  readonly isApproved: boolean
}

/** From here on it is a call like any other, through the one pipeline. */
export const callDeclared = (
  service: ToolkitService,
  target: ProviderSchema.Target,
  { args, isApproved, name, options }: DeclaredCall
): Effect.Effect<ToolResult.ToolResult, ToolError.ToolError> =>
  Effect.flatMap(service.fromProvider(target, name, Json.fromModel(args)), (own) =>
    isApproved
      ? callApproved(service, own.name, own.args, options)
      : service.call(own.name, own.args, options))

/**
 * The rule that asks is answered, and nothing else: what the handler asks then is its own question.
 */
const callApproved = (
  service: ToolkitService,
  name: string,
  args: CallArguments,
  options: ToolCall.CallOptions
): Effect.Effect<ToolResult.ToolResult, ToolError.ToolError> =>
  Effect.flatMap(service.needsApproval(name, args), (isAsked) =>
    isAsked
      ? Effect.catchTag(
        service.call(name, args, options),
        "ToolSuspended",
        ({ request }) => service.resume(request, Answer.make(request, true), options)
      )
      : service.call(name, args, options))

/** Whether a call by its declared name would wait for an approval. */
export const needsApproval = (
  service: ToolkitService,
  target: ProviderSchema.Target,
  name: string,
  args: unknown
): Effect.Effect<boolean> =>
  Effect.flatMap(
    service.fromProvider(target, name, Json.fromModel(args)),
    (own) => service.needsApproval(own.name, own.args)
  )

/**
 * The live toolkit as what `LanguageModel.generateText`, `streamText` and `Chat` of `effect/ai` take: dynamic tools with
 * JSON Schemas that the provider takes, and one handler that goes through the toolkit's pipeline.
 *
 * `effect/ai` runs one round of a model per call; `ToolLoop` goes on until the model has its answer.
 *
 * @since 0.1.0
 */
import {
  type ProviderSchema,
  type ToolCall,
  ToolError,
  Toolkit,
  type ToolkitService,
  ToolResult
} from "@effect-toolnexus/core"
import * as Model from "effect/ai/Model"
import * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import type * as AiToolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Stream from "effect/Stream"
import { type Approvals, approvalsIn, approvalsOf } from "./internal/approvals.ts"
import { withId, withTarget } from "./internal/bridgeOptions.ts"
import { callDeclared, needsApproval } from "./internal/declaredCall.ts"
import { toHandlerResult } from "./internal/handlerResult.ts"

/**
 * A result as `effect/ai` keeps it: the whole result for the program, its text for the model.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Success = Schema.String.pipe(
  Schema.decodeTo(
    ToolResult.ToolResult,
    SchemaTransformation.transform({ decode: (output) => ToolResult.success(output), encode: ({ output }) => output })
  )
)

/**
 * A failed result, in the same way.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Failure = Schema.String.pipe(
  Schema.decodeTo(
    ToolResult.ToolResult,
    SchemaTransformation.transform({ decode: (output) => ToolResult.failure(output), encode: ({ output }) => output })
  )
)

/**
 * One of our tools in `effect/ai`: parameters are checked by the toolkit's pipeline, against the tool's own schema.
 *
 * @category models
 * @since 0.1.0
 */
export type DynamicTool = AiTool.Tool<string, {
  readonly parameters: typeof Schema.Unknown
  readonly success: typeof Success
  readonly failure: typeof Failure
  readonly failureMode: "return"
}>

/**
 * What goes into the option `toolkit` of a request.
 *
 * @category models
 * @since 0.1.0
 */
export interface LiveToolkit extends AiToolkit.WithHandler<Readonly<Record<string, DynamicTool>>> {}

/**
 * What a host may say about the bridge.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Whose rules names and schemas follow. Default: those of the model's `ProviderName`, else what all providers take. */
  readonly target?: ProviderSchema.Target
  /** Options of each call: its context, limit, listener to progress. `callId` is the model's id of the call. */
  readonly callOptions?: (call: { readonly id: string; readonly name: string }) => Omit<ToolCall.CallOptions, "callId">
  /** Which files of a result go to the model beside its text. Default: what the target takes. */
  readonly acceptsMedia?: (mediaType: string) => boolean
  /**
   * The conversation that the request goes on with, for approvals that were asked for in another process: a call that it
   * says was approved is, once and with those arguments. Whoever can write it can approve.
   */
  readonly approvedIn?: Prompt.RawInput
}

/**
 * A toolkit, or a view of one, as it is now.
 *
 * **Details**
 *
 * - A tool is called by its declared name, which is its own where the provider takes that.
 * - Failures, of arguments too, are results with `isFailure` that say what to do; the request never fails for a tool.
 *   Interrupting the request interrupts its calls. Images, and what else the provider takes, go along as files.
 * - A call that the policy asks for becomes a `tool-approval-request`, unless a resolver answers inline; once approved it
 *   runs. Any other suspension is a failed result whose `metadata.pending` is the request.
 *
 * **Gotchas**
 *
 * `generateText` itself fails with `InvalidOutputError` where a model calls a tool that wasn't declared: it decodes the
 * answer before any handler is asked. `ToolLoop` answers it, in one round too (`maxRounds: 1`).
 *
 * **Example**
 *
 * ```ts
 * const toolkit = EffectAi.fromToolkit(service.view({ include: ["files_*"] }))
 * LanguageModel.generateText({ prompt: "What is in a.txt?", toolkit })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromToolkit = (service: ToolkitService, options: Options = {}): Effect.Effect<LiveToolkit> =>
  Effect.gen(function*() {
    const usual = targetOf(yield* Effect.serviceOption(Model.ProviderName))
    const { acceptsMedia, callOptions, target } = withTarget(options, usual)
    const show = toHandlerResult(acceptsMedia)
    const approvals = approvalsOf(service)
    const tools = toolsFor(service, target, approvals, yield* service.declare(target))
    const given = options.approvedIn === undefined ? undefined : approvalsIn(options.approvedIn)
    return {
      tools,
      handle: (name, args, id = "") =>
        Effect.sync(() => {
          // one answer may be known from both, and is used up in both
          const [isAnswered, isGiven] = [approvals.take(id, name, args), given?.take(id, name, args)]
          const isApproved = isAnswered || isGiven === true
          const call = { name, args, isApproved, options: withId(callOptions?.({ id, name }), id) }
          return Stream.fromEffect(ToolError.fold(Effect.map(callDeclared(service, target, call), show), show))
        })
    }
  })

/**
 * The toolkit of the environment, as it is at each request: what a server has changed meanwhile is in the next one.
 *
 * **Example**
 *
 * ```ts
 * LanguageModel.generateText({ prompt: "What is the weather in Oslo?", toolkit: EffectAi.toolkit })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const toolkit: Effect.Effect<LiveToolkit, never, Toolkit> = Effect.flatMap(
  Toolkit,
  (service) => fromToolkit(service)
)

/**
 * Whose rules a provider of `effect/ai` follows; `common` for one that isn't known, or hands requests on to others.
 *
 * @category getters
 * @since 0.1.0
 */
export const targetOf = (providerName: Option.Option<string>): ProviderSchema.Target =>
  Option.getOrElse(Option.map(providerName, (name) => TARGETS.get(name) ?? "common"), () => "common")

const TARGETS: ReadonlyMap<string, ProviderSchema.Target> = new Map([
  ["openai", "openai-responses"],
  ["anthropic", "anthropic"],
  ["google", "gemini"],
  ["gemini", "gemini"],
  ["amazon-bedrock", "bedrock"]
])

/** Made once for each list that was declared: `effect/ai` keeps what it has compiled by the identity of tools. */
const made = new WeakMap<ReadonlyArray<ProviderSchema.Declaration>, Readonly<Record<string, DynamicTool>>>()

const toolsFor = (
  service: ToolkitService,
  target: ProviderSchema.Target,
  approvals: Approvals,
  declared: ReadonlyArray<ProviderSchema.Declaration>
): Readonly<Record<string, DynamicTool>> => {
  const before = made.get(declared)
  if (before !== undefined) return before
  const tools: Record<string, DynamicTool> = Object.create(null)
  for (const { description, inputSchema, name } of declared) {
    const asks = (args: unknown, { toolCallId }: { readonly toolCallId: string }) =>
      Effect.map(needsApproval(service, target, name, args), (isAsked) => {
        if (isAsked) approvals.put(toolCallId, name, args)
        return isAsked
      })
    tools[name] = AiTool.dynamic(name, {
      description,
      parameters: inputSchema,
      success: Success,
      failure: Failure,
      failureMode: "return",
      ...(service.waitFor === undefined ? { needsApproval: asks } : {})
    }).annotate(AiTool.Strict, false)
  }
  made.set(declared, tools)
  return tools
}

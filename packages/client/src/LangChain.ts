/**
 * Tools as LangChain.js takes them: what `new DynamicStructuredTool(...)` of `@langchain/core/tools` is made of. Typed by
 * their structure: neither this package nor yours depends on a version of it.
 *
 * @since 0.1.0
 */
import {
  type Answer,
  type ProviderSchema,
  type Request,
  type ToolCall,
  type ToolkitService,
  type ToolResult
} from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import { withId, withTarget } from "./internal/bridgeOptions.ts"
import { callDeclared } from "./internal/declaredCall.ts"
import type { Run } from "./internal/plainRun.ts"
import { filesOf } from "./internal/richContent.ts"

/**
 * **Details**
 *
 * - `target`: whose rules names and schemas follow. Default: what all providers take
 * - `callOptions`: of each call, by its id, the tool's declared name, and the run's configuration
 * - `acceptsMedia`: which files of a result go to the model beside its text. Default: what the target takes
 * - `onSuspended`: answers a call that waits for a person; `interrupt` of LangGraph does, which ends the run and gives the
 *   answer when it goes on. The answer's id isn't looked at. Default: the call throws `ToolSuspended`
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly target?: ProviderSchema.Target
  readonly callOptions?: (
    call: { readonly id: string | undefined; readonly name: string; readonly config: RunConfig }
  ) => Omit<ToolCall.CallOptions, "callId">
  readonly acceptsMedia?: (mediaType: string) => boolean
  readonly onSuspended?: (request: Request.Request) => Answer.Answer | PromiseLike<Answer.Answer>
}

/**
 * The fields of one `DynamicStructuredTool`. The model reads the content; the artifact is the whole result. A failed call
 * throws a `ToolError`, which `ToolNode` answers.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolFields {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema.JsonSchema
  readonly responseFormat: "content_and_artifact"
  readonly verboseParsingErrors: true
  readonly metadata: Record<string, unknown>
  /** Gives a pair of {@link Content} and `ToolResult`, of which LangChain makes what a call of its tool gives. */
  readonly func: (input: unknown, runManager?: unknown, config?: RunConfig) => Promise<unknown>
}

/**
 * What is read of a run's configuration.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunConfig {
  readonly signal?: AbortSignal
  readonly toolCall?: { readonly id?: string | undefined } | undefined
  readonly configurable?: Readonly<Record<string, unknown>>
}

/**
 * Text, or text and files as LangChain's standard content blocks.
 *
 * @category models
 * @since 0.1.0
 */
export type Content =
  | string
  | Array<
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image" | "audio" | "file"; readonly mimeType: string; readonly data: string }
  >

/** @internal */
export const make = (
  service: ToolkitService,
  run: Run,
  given: Options = {}
): Effect.Effect<ReadonlyArray<ToolFields>> => {
  const options = withTarget(given, "common")
  return Effect.map(
    service.declare(options.target),
    (declared) => declared.map((declaration) => toFields(service, run, options, declaration))
  )
}

const toFields = (
  service: ToolkitService,
  run: Run,
  { acceptsMedia, callOptions, onSuspended, target }: Options & Required<Pick<Options, "target" | "acceptsMedia">>,
  { description, inputSchema, name, toolName }: ProviderSchema.Declaration
): ToolFields => ({
  name,
  description,
  schema: inputSchema,
  responseFormat: "content_and_artifact",
  verboseParsingErrors: true,
  metadata: { toolName },
  func: async (args, _, config = {}) => {
    const { signal, toolCall } = config
    const id = toolCall?.id
    const options = withId(callOptions?.({ id, name, config }), id)
    const calling = callDeclared(service, target, { name, args, isApproved: false, options })
    const resume = (request: Request.Request, answer: Answer.Answer) => service.resume(request, answer, options)
    const result = onSuspended === undefined
      ? await run(calling, signal)
      : await answering(run, onSuspended, calling, resume, signal)
    const pair: [Content, ToolResult.ToolResult] = [toContent(result, acceptsMedia), result]
    return pair
  }
})

type Calling = ReturnType<ToolkitService["call"]>

type Outcome = { readonly result: ToolResult.ToolResult } | { readonly request: Request.Request }

/**
 * Until the call has its answer. The host is asked outside of any effect: what it throws to end the run must come through as
 * it is.
 */
const answering = async (
  run: Run,
  ask: NonNullable<Options["onSuspended"]>,
  calling: Calling,
  resume: ToolkitService["resume"],
  signal: AbortSignal | undefined
): Promise<ToolResult.ToolResult> => {
  const answered = Effect.map(calling, (result): Outcome => ({ result }))
  const outcome = await run(
    Effect.catchTag(answered, "ToolSuspended", ({ request }): Effect.Effect<Outcome> => Effect.succeed({ request })),
    signal
  )
  if ("result" in outcome) return outcome.result
  const { request } = outcome
  const answer = await ask(request)
  return answering(run, ask, resume(request, { ...answer, id: request.id }), resume, signal)
}

const toContent = (result: ToolResult.ToolResult, isTaken: (mediaType: string) => boolean): Content => {
  const files = filesOf(result, isTaken)
  if (files.length === 0) return result.output
  return [
    { type: "text", text: result.output },
    ...files.map(({ data, mediaType: mimeType }) => ({ type: blockOf(mimeType), mimeType, data }))
  ]
}

const blockOf = (mediaType: string): "image" | "audio" | "file" =>
  mediaType.startsWith("image/") ? "image" : mediaType.startsWith("audio/") ? "audio" : "file"

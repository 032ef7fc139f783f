/**
 * A Toolkit of `effect/ai`, with its handlers, as tools of ours: what was written for one model is there for all of them,
 * behind the same pipeline as everything else.
 *
 * @since 0.1.0
 */
import {
  defineTool,
  Json,
  Source,
  SourceEntry,
  Suspension,
  Text,
  Tool,
  type ToolCall,
  ToolError,
  ToolResult
} from "@effect-toolnexus/core"
import * as AiError from "effect/ai/AiError"
import type * as Prompt from "effect/ai/Prompt"
import * as AiTool from "effect/ai/Tool"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"

/**
 * What `effect/ai` calls `WithHandler`, whatever its tools are: their parameters are decoded by itself. `R` is what its
 * handlers ask for.
 *
 * @category models
 * @since 0.1.0
 */
export interface WithHandler<R> {
  readonly tools: Readonly<Record<string, AiTool.Any>>
  handle(
    name: string,
    params: unknown,
    toolCallId?: string
  ): Effect.Effect<Stream.Stream<HandlerResult, unknown, R>, AiError.AiError, R>
}

/**
 * What is read of a result of `effect/ai`.
 *
 * @category models
 * @since 0.1.0
 */
export interface HandlerResult {
  readonly result: unknown
  readonly encodedResult: unknown
  readonly modelOutput?: ReadonlyArray<Prompt.ToolModelOutputPart> | undefined
  readonly isFailure: boolean
  readonly failureOrigin?: AiTool.FailureOrigin
  readonly preliminary: boolean
}

/**
 * The tools of a Toolkit, in its order.
 *
 * **Details**
 *
 * - A result that is text is the output; any other is kept in `structured` and shown as JSON. What a tool maps for the model
 *   (`toModelOutput`) is the output and its parts. Preliminary results are progress.
 * - A declared failure is `ToolFailed`, wrong parameters are `InvalidArguments`, a defect stays one.
 * - `needsApproval` becomes a suspension of kind `approval`, unless a policy has asked for the same call.
 * - Hints are those that are annotated; `effect/ai`'s defaults are no claims.
 *
 * **Gotchas**
 *
 * Tools that a provider runs itself aren't among them: nobody else can. Nor is one whose parameters are no object.
 *
 * **Example**
 *
 * ```ts
 * const Tools = Layer.unwrap(
 *   Effect.map(AiToolkit.toTools(MyToolkit), (tools) => ToolkitLive({ config: "mcp.json", tools }))
 * ).pipe(Layer.provide(MyToolkitHandlers))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const toTools = <RH, E, R>(
  toolkit: Effect.Effect<WithHandler<RH>, E, R>
): Effect.Effect<ReadonlyArray<Tool.Tool<RH>>, E, R> =>
  Effect.map(toolkit, (kit) => convert(kit).flatMap((each) => Result.isSuccess(each) ? [each.success] : []))

/**
 * A Toolkit as a source; a tool that can't be one of ours is a diagnostic.
 *
 * **Example**
 *
 * ```ts
 * const Tools = ToolkitLayer.make([AiToolkit.layer(MyToolkit), BuiltinSource.layer(true)]).pipe(
 *   Layer.provide(MyToolkitHandlers)
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <RH, E, R>(
  toolkit: Effect.Effect<WithHandler<RH>, E, R>
): Layer.Layer<Source, E, R | RH> =>
  Layer.effect(
    Source,
    Effect.gen(function*() {
      const converted = convert(yield* toolkit)
      const context = yield* Effect.context<RH>()
      const tools = converted.flatMap((each) =>
        Result.isSuccess(each) ? [Tool.provideContext(each.success, context)] : []
      )
      const diagnostics = converted.flatMap((each) =>
        Result.isFailure(each)
          ? [{ level: "warning" as const, code: "unusable-tool", entry: ENTRY, message: each.failure }]
          : []
      )
      const entry = SourceEntry.loaded(ENTRY, { tools, diagnostics, unlisted: true })
      return {
        kind: "extra" as const,
        entries: yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([entry])
      }
    })
  )

const ENTRY = "<effect/ai>"

const convert = <R>(kit: WithHandler<R>): ReadonlyArray<Result.Result<Tool.Tool<R>, string>> =>
  Object.values(kit.tools).map((tool) =>
    AiTool.isProviderDefined(tool)
      ? Result.fail(`${tool.name} is run by a provider, and can't be called here`)
      : Result.try({
        try: () => toTool(kit, tool),
        catch: (cause) => `${tool.name}: ${cause instanceof Error ? cause.message : "its parameters can't be read"}`
      })
  )

const toTool = <R>(kit: WithHandler<R>, tool: AiTool.Any): Tool.Tool<R> => {
  const annotations = annotationsOf(tool.annotations)
  return defineTool({
    name: tool.name,
    description: AiTool.getDescription(tool) ?? "",
    input: AiTool.getJsonSchema(tool),
    source: "custom",
    ...(annotations === undefined ? {} : { annotations }),
    handler: (args, call) =>
      Effect.andThen(approve<R>(tool, args, call), Effect.suspend(() => run(kit, tool.name, args, call)))
  })
}

const HINTS = {
  readOnlyHint: AiTool.Readonly,
  destructiveHint: AiTool.Destructive,
  idempotentHint: AiTool.Idempotent,
  openWorldHint: AiTool.OpenWorld
}

const annotationsOf = (annotations: Context.Context<never>): Tool.ToolAnnotations | undefined => {
  const given = Object.entries({ title: AiTool.Title, ...HINTS }).flatMap(([name, key]) =>
    annotations.mapUnsafe.has(key.key) ? [[name, annotations.mapUnsafe.get(key.key)] as const] : []
  )
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** Its own question, before its handler; a call that a person has approved already isn't asked for twice. */
const approve = <R>(
  tool: AiTool.Any,
  args: Json.JsonObject,
  call: ToolCall.ToolCall
): Effect.Effect<void, ToolError.ToolSuspended, R> =>
  call.isApproved || call.resumed !== undefined
    ? Effect.void
    : Effect.flatMap(asks<R>(tool, args, call), (isAsked) =>
      isAsked
        ? Suspension.request(call, {
          kind: "approval",
          prompt: `Allow ${call.toolName} ${Text.cut(JSON.stringify(args), MAX_PROMPT, "…")}?`
        })
        : Effect.void)

/** As much of the arguments as a person reads. */
const MAX_PROMPT = 2000

/** Wrong parameters ask nobody: what is wrong with them is the call's answer. */
const asks = <R>(
  { needsApproval, parametersSchema }: AiTool.Any,
  args: Json.JsonObject,
  { id }: ToolCall.ToolCall
): Effect.Effect<boolean, never, R> => {
  if (typeof needsApproval !== "function") return Effect.succeed(needsApproval === true)
  const params: Effect.Effect<unknown, Schema.SchemaError, R> = isDecoder<R>(parametersSchema)
    ? Schema.decodeUnknownEffect(parametersSchema)(args)
    : Effect.succeed(args)
  return params.pipe(
    Effect.flatMap((decoded) => {
      const isAsked = needsApproval(decoded, { toolCallId: id, messages: [] })
      return Effect.isEffect(isAsked) ? isAsked : Effect.succeed(isAsked)
    }),
    Effect.orElseSucceed(() => false)
  )
}

/** What it asks for to decode is among what the handlers of its Toolkit ask for, by the types of `effect/ai`. */
const isDecoder = <R>(schema: unknown): schema is Schema.Decoder<unknown, R> => Schema.isSchema(schema)

/** The last result that isn't preliminary; a typed failure is for whoever defines the tool to tell. */
const run = <R>(
  kit: WithHandler<R>,
  name: string,
  args: Json.JsonObject,
  call: ToolCall.ToolCall
): Effect.Effect<ToolResult.ToolResult, unknown, R> =>
  Effect.gen(function*() {
    let last: HandlerResult | undefined
    let reports = 0
    yield* Stream.runForEach(yield* kit.handle(name, args, call.id), (result) => {
      if (result.preliminary) return call.progress({ progress: ++reports, message: textOf(result.encodedResult) })
      return Effect.sync(() => void (last = result))
    })
    if (last === undefined) {
      return yield* new ToolError.ToolFailed({ toolName: call.toolName, message: "It gave no result" })
    }
    return last.isFailure ? yield* Effect.fail(last.result) : toResult(last)
  }).pipe(
    Effect.mapError((error) => isParameterError(error) ? invalid(call.toolName, error) : error)
  )

const isParameterError = (error: unknown): error is AiError.AiError =>
  AiError.isAiError(error) && error.reason._tag === "ToolParameterValidationError"

const invalid = (toolName: string, error: AiError.AiError) =>
  new ToolError.InvalidArguments({ toolName, issues: [{ path: "", message: error.message }] })

const toResult = ({ encodedResult, modelOutput }: HandlerResult): ToolResult.ToolResult => {
  const structured = typeof encodedResult !== "string" && Json.isJson(encodedResult)
    ? { structured: encodedResult }
    : {}
  if (modelOutput === undefined) return ToolResult.success(textOf(encodedResult), structured)
  const content = modelOutput.map(toPart)
  return ToolResult.success(modelOutput.map(lineOf).join("\n"), { ...structured, content })
}

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  return value === undefined || value === null ? "" : JSON.stringify(value)
}

const toPart = (part: Prompt.ToolModelOutputPart): ToolResult.ContentPart => {
  if (part.type === "text") return { type: "text", text: part.text }
  const { data, fileName = "file", mediaType: mimeType } = part
  if (data instanceof URL) return { type: "resource_link", uri: data.href, name: fileName, mimeType }
  const base64 = typeof data === "string" ? data : Base64.encode(data)
  if (mimeType.startsWith("image/")) return { type: "image", data: base64, mimeType }
  if (mimeType.startsWith("audio/")) return { type: "audio", data: base64, mimeType }
  return { type: "resource", uri: `file:///${encodeURIComponent(fileName)}`, mimeType, blob: base64 }
}

/** What stands for a part in the text that every model reads. */
const lineOf = (part: Prompt.ToolModelOutputPart): string => {
  if (part.type === "text") return part.text
  return `[file ${part.mediaType}${part.fileName === undefined ? "" : ` ${part.fileName}`}]`
}

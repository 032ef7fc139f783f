/**
 * Tools as `generateText`, `streamText` and agents of the AI SDK (the package `ai`) take them. Typed by their structure:
 * neither this package nor yours depends on a version of it.
 *
 * @since 0.1.0
 */
import type { Json, ProviderSchema, ToolCall, ToolkitService, ToolResult } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import { spellCall } from "./internal/approvals.ts"
import { withId, withTarget } from "./internal/bridgeOptions.ts"
import { callDeclared, needsApproval } from "./internal/declaredCall.ts"
import type { Run } from "./internal/plainRun.ts"
import { filesOf } from "./internal/richContent.ts"

/**
 * **Details**
 *
 * - `target`: whose rules names and schemas follow. Default: what all providers take
 * - `callOptions`: of each call, by its id, the tool's declared name, and the context that the AI SDK has for the tool
 * - `acceptsMedia`: which files of a result go to the model beside its text. Default: what the target takes
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly target?: ProviderSchema.Target
  readonly callOptions?: (
    call: { readonly id: string | undefined; readonly name: string; readonly context: unknown }
  ) => Omit<ToolCall.CallOptions, "callId">
  readonly acceptsMedia?: (mediaType: string) => boolean
}

/**
 * Tools by their declared names.
 *
 * @category models
 * @since 0.1.0
 */
export type Tools = Record<string, AiSdkTool>

/**
 * One tool. `execute` may be called by hand, with nothing but the input. The input is checked by the toolkit, against the
 * tool's own schema; what it throws becomes a `tool-error` whose `error` is a `ToolError`.
 *
 * @category models
 * @since 0.1.0
 */
export interface AiSdkTool {
  readonly type: "dynamic"
  readonly description: string
  readonly inputSchema: InputSchema
  readonly metadata: Json.JsonObject & Record<string, string>
  readonly needsApproval?: (input: unknown, options: { readonly toolCallId: string }) => Promise<boolean>
  readonly execute: (
    input: unknown,
    options?: {
      readonly toolCallId?: string
      readonly messages?: ReadonlyArray<unknown>
      readonly abortSignal?: AbortSignal
      readonly context?: unknown
    }
  ) => Promise<ToolResult.ToolResult>
  readonly toModelOutput: (result: { readonly output: ToolResult.ToolResult }) => ModelOutput
}

/**
 * A JSON Schema as the AI SDK takes it, and whoever takes Standard Schema with JSON Schema; it lets every value pass.
 *
 * @category models
 * @since 0.1.0
 */
export interface InputSchema {
  readonly jsonSchema: JsonSchema.JsonSchema
  readonly validate: (value: unknown) => { readonly success: true; readonly value: unknown }
  readonly "~standard": {
    readonly version: 1
    readonly vendor: "effect-toolnexus"
    readonly validate: (value: unknown) => { readonly value: unknown }
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>
      readonly output: () => Record<string, unknown>
    }
  }
}

/**
 * What the model reads.
 *
 * @category models
 * @since 0.1.0
 */
export type ModelOutput =
  | { readonly type: "text"; readonly value: string }
  | {
    readonly type: "content"
    readonly value: Array<
      | { readonly type: "text"; readonly text: string }
      | {
        readonly type: "file"
        readonly data: { readonly type: "data"; readonly data: string }
        readonly mediaType: string
      }
    >
  }

/** @internal */
export const make = (service: ToolkitService, run: Run, given: Options = {}): Effect.Effect<Tools> => {
  const options = withTarget(given, "common")
  return Effect.map(service.declare(options.target), (declared) => {
    // the AI SDK looks up whatever name a model made up, `constructor` too
    const tools: Tools = Object.create(null)
    for (const declaration of declared) tools[declaration.name] = toTool(service, run, options, declaration)
    return tools
  })
}

const toTool = (
  service: ToolkitService,
  run: Run,
  { acceptsMedia, callOptions, target }: Options & Required<Pick<Options, "target" | "acceptsMedia">>,
  { description, inputSchema, name, toolName }: ProviderSchema.Declaration
): AiSdkTool => ({
  type: "dynamic",
  description,
  inputSchema: toSchema(inputSchema),
  metadata: { toolName },
  ...(service.waitFor === undefined
    ? { needsApproval: (input) => run(needsApproval(service, target, name, input)) }
    : {}),
  // by hand, as in a test, it is called with nothing but its input
  execute: async (input, { abortSignal, context, messages = [], toolCallId: id } = {}) => {
    const options = withId(callOptions?.({ id, name, context }), id)
    const isAnswered = id !== undefined && isApproved(messages, { id, name, args: input })
    const call = { name, args: input, isApproved: isAnswered, options }
    return await run(callDeclared(service, target, call), abortSignal)
  },
  toModelOutput: ({ output }) => toOutput(output, acceptsMedia)
})

const toOutput = (result: ToolResult.ToolResult, isTaken: (mediaType: string) => boolean): ModelOutput => {
  const files = filesOf(result, isTaken)
  if (files.length === 0) return { type: "text", value: result.output }
  return {
    type: "content",
    value: [
      { type: "text", text: result.output },
      ...files.map(({ data, mediaType }) => ({
        type: "file" as const,
        data: { type: "data" as const, data },
        mediaType
      }))
    ]
  }
}

/** The mark by which the AI SDK knows a schema of its own, in all of its versions. */
const MARK = Symbol.for("vercel.ai.schema")

/** The toolkit says more about a wrong input than a schema could, and says it to the model. */
const toSchema = (jsonSchema: JsonSchema.JsonSchema): InputSchema => {
  const schema = {
    [MARK]: true,
    jsonSchema,
    validate: (value: unknown) => ({ success: true as const, value }),
    "~standard": {
      version: 1 as const,
      vendor: "effect-toolnexus" as const,
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema }
    }
  }
  return schema
}

interface Call {
  readonly id: string
  readonly name: string
  readonly args: unknown
}

/**
 * Whether the conversation says that this call was approved, with these arguments. The AI SDK runs a call that needs it only
 * then; whoever can write the messages can approve. They are read in their order, since some providers use an id for one call
 * after the other.
 */
const isApproved = (messages: ReadonlyArray<unknown>, { args, id, name }: Call): boolean => {
  const wanted = spellCall(name, args)
  let [isCalled, isAnswered]: [boolean, boolean] = [false, false]
  let asked: unknown
  for (const part of messages.flatMap(partsOf)) {
    if (isPart(part, "tool-call", "toolCallId", id)) {
      ;[isCalled, asked, isAnswered] = [wanted !== undefined && spellPart(part) === wanted, undefined, false]
    } else if (isPart(part, "tool-result", "toolCallId", id)) {
      ;[isCalled, asked, isAnswered] = [false, undefined, false]
    } else if (isPart(part, "tool-approval-request", "toolCallId", id)) {
      ;[asked, isAnswered] = [Predicate.hasProperty(part, "approvalId") ? part.approvalId : undefined, false]
    } else if (asked !== undefined && isPart(part, "tool-approval-response", "approvalId", asked)) {
      isAnswered = isCalled && Predicate.hasProperty(part, "approved") && part.approved === true
    }
  }
  return isAnswered
}

const spellPart = (part: unknown): string | undefined =>
  Predicate.hasProperty(part, "toolName") && Predicate.isString(part.toolName)
    ? spellCall(part.toolName, Predicate.hasProperty(part, "input") ? part.input : undefined)
    : undefined

/** A user's message holds what a user has written, whatever that looks like. */
const partsOf = (message: unknown): ReadonlyArray<unknown> =>
  Predicate.hasProperty(message, "content") && Array.isArray(message.content) && !has(message, "role", "user")
    ? message.content
    : []

const isPart = (part: unknown, type: string, key: string, value: unknown): boolean =>
  has(part, "type", type) && has(part, key, value)

const has = (part: unknown, key: string, value: unknown): boolean =>
  Predicate.hasProperty(part, key) && part[key] === value

/**
 * Tools in the shapes that providers take, and what models send back (CONTRACT 10). Each provider's rules are a
 * {@link ProviderProfile}: whatever a schema says beyond them is written in another way that can be read back, or in
 * words. A tool's own schema is never changed, and stays what its arguments are checked against.
 *
 * @since 0.1.0
 */
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import { decodeShape } from "./internal/argumentDecoder.ts"
import { legalNames } from "./internal/legalName.ts"
import { renderUsual } from "./internal/renderUsual.ts"
import type { NoteKind, SchemaNote } from "./internal/schemaNote.ts"
import { readToolShape, type ToolShape } from "./internal/shapeReader.ts"
import { renderShape } from "./internal/shapeRenderer.ts"
import type { Json, JsonObject } from "./Json.ts"
import * as Profile from "./ProviderProfile.ts"
import type { ProviderProfile } from "./ProviderProfile.ts"
import type { Tool } from "./Tool.ts"

/**
 * A provider, as it is called on the command line.
 *
 * @category models
 * @since 0.1.0
 */
export type Provider = "openai" | "openai-responses" | "anthropic" | "gemini" | "bedrock"

/**
 * A provider, or `common`: what all of them take, where nobody knows which it will be.
 *
 * @category models
 * @since 0.1.0
 */
export type Target = Provider | "common"

/**
 * A tool as a provider takes it, in no provider's own shape: for runtimes that make requests themselves.
 *
 * @category models
 * @since 0.1.0
 */
export interface Declaration {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema.JsonSchema
  /** The tool's own name, which `name` stands for. */
  readonly toolName: string
}

/**
 * Which of a provider's ways of declaring tools.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProviderOptions {
  /** OpenAI's strict mode, for each tool that can have it. Default: `false`. */
  readonly strict?: boolean
  /** Gemini's older subset of OpenAPI. Default: JSON Schema. */
  readonly mode?: "openapi" | undefined
}

/**
 * A tool in OpenAI's chat completions.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenAIChatTool {
  readonly type: "function"
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: JsonSchema.JsonSchema
    /** Only where strict mode was asked for. */
    readonly strict?: boolean
  }
}

/**
 * A tool in OpenAI's Responses API, where `strict` must be said: it defaults to true there.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenAIResponsesTool {
  readonly type: "function"
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema.JsonSchema
  readonly strict: boolean
}

/**
 * A tool in Anthropic's Messages API.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonSchema.JsonSchema
}

/**
 * The one element that Gemini's `tools` gets.
 *
 * @category models
 * @since 0.1.0
 */
export interface GeminiTool {
  readonly functionDeclarations: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly parametersJsonSchema: JsonSchema.JsonSchema
  }>
}

/**
 * The same in the subset of OpenAPI.
 *
 * @category models
 * @since 0.1.0
 */
export interface GeminiOpenApiTool {
  readonly functionDeclarations: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly parameters: JsonSchema.JsonSchema
  }>
}

/**
 * A tool in `toolConfig.tools` of Amazon Bedrock's Converse API.
 *
 * @category models
 * @since 0.1.0
 */
export interface BedrockTool {
  readonly toolSpec: {
    readonly name: string
    readonly description: string
    readonly inputSchema: { readonly json: JsonSchema.JsonSchema }
  }
}

/**
 * What one tool loses, or how it changes, on its way to a provider.
 *
 * **Details**
 *
 * - `name`: the tool's own; empty where it is about all of them
 * - `path`: where in the arguments, `filters[].name`; empty for the whole input
 * - `kind`: `dropped` no longer said anywhere, `widened` and `narrowed` allows more or less than the tool, `renamed`,
 *   `encoded` written in another form, `moved` said in the description, `limit` more than the provider takes,
 *   `not-strict` sent without the strict mode that was asked for
 *
 * @category models
 * @since 0.1.0
 */
export interface Note extends SchemaNote {
  readonly name: string
}

export type { NoteKind }

/**
 * Everything that happens to tools on their way to a provider.
 *
 * @category models
 * @since 0.1.0
 */
export interface Report {
  readonly provider: Target
  /** Tools that can't be declared at all. */
  readonly left_out: ReadonlyArray<{ readonly name: string; readonly reason: string }>
  readonly notes: ReadonlyArray<Note>
}

/**
 * A model's call, in the tool's own terms.
 *
 * @category models
 * @since 0.1.0
 */
export interface OwnCall {
  readonly name: string
  readonly args: Json | undefined
}

/**
 * Tools for providers. The same list of tools is rendered once for each way; the same schema is read once.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProviderSchemas {
  readonly toOpenAIChat: (tools: ReadonlyArray<Tool>, strict?: boolean) => ReadonlyArray<OpenAIChatTool>
  readonly toOpenAIResponses: (tools: ReadonlyArray<Tool>, strict?: boolean) => ReadonlyArray<OpenAIResponsesTool>
  readonly toAnthropic: (tools: ReadonlyArray<Tool>) => ReadonlyArray<AnthropicTool>
  readonly toGemini: (tools: ReadonlyArray<Tool>) => ReadonlyArray<GeminiTool>
  readonly toGeminiOpenApi: (tools: ReadonlyArray<Tool>) => ReadonlyArray<GeminiOpenApiTool>
  readonly toBedrock: (tools: ReadonlyArray<Tool>) => ReadonlyArray<BedrockTool>
  /** For runtimes that make requests themselves; never strict, Gemini's as JSON Schema. */
  readonly declare: (tools: ReadonlyArray<Tool>, target: Target) => ReadonlyArray<Declaration>
  readonly check: (tools: ReadonlyArray<Tool>, provider: Target, options?: ProviderOptions) => Report
  /** What a model sent, in the tool's own terms. Never fails: what it can't make sense of stays as it is. */
  readonly fromProvider: (
    tools: ReadonlyArray<Tool>,
    provider: Target,
    name: string,
    args: Json | undefined
  ) => OwnCall
  /** The tool that goes by this name at every provider. */
  readonly toolNamed: (tools: ReadonlyArray<Tool>, name: string) => Tool | undefined
}

/**
 * Makes renderers with caches of their own: of the list of tools that was rendered last, and of tools that were called.
 *
 * **Example**
 *
 * ```ts
 * const schemas = ProviderSchema.make()
 * schemas.toAnthropic([weather]) // => [{ name: "weather", description: "The weather in a city", input_schema: { type: "object", ... } }]
 * schemas.fromProvider([weather], "anthropic", "weather", `{"city":"Oslo"}`) // => { name: "weather", args: { city: "Oslo" } }
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): ProviderSchemas => {
  // kept only of tools that are called: shapes are larger than the schemas they are made of
  const shapeOf = oncePer((schema: JsonSchema.JsonSchema) => ({ shape: readToolShape(schema) }))
  const namesOf = oncePer(nameTools)
  const lower = (profile: ProviderProfile, otherwise?: ProviderProfile) => {
    const lowerSchema = onceInList((schema: JsonSchema.JsonSchema) => lowerSafely(schema, profile, otherwise))
    return oncePer((tools: ReadonlyArray<Tool>) => {
      lowerSchema.begin()
      return lowerTools(tools, namesOf(tools).legal, profile, lowerSchema.get)
    })
  }
  const ways: Ways = {
    openAI: lower(Profile.openAI),
    openAIStrict: lower(Profile.openAIStrict, Profile.openAI),
    anthropic: lower(Profile.anthropic),
    gemini: lower(Profile.gemini),
    geminiOpenApi: lower(Profile.geminiOpenApi),
    bedrock: lower(Profile.bedrock),
    common: lower(Profile.common)
  }
  return {
    ...declare(ways),
    check: (tools, provider, options) => ({ provider, ...ways[wayOf(provider, options)](tools).report }),
    fromProvider: (tools, provider, name, args) => {
      const tool = namesOf(tools).byLegalName.get(name)
      const shape = tool === undefined ? undefined : shapeOf(tool.inputSchema).shape
      const parsed = parseArguments(args)
      const own = typeof shape !== "object" || !isObject(parsed)
        ? parsed
        // what ends the stack is for the call to refuse
        : Result.getOrElse(Result.try(() => decodeShape(shape, parsed, provider === "gemini")), () => parsed)
      return { name: tool?.name ?? name, args: own }
    },
    toolNamed: (tools, name) => namesOf(tools).byLegalName.get(name)
  }
}

type Way = "openAI" | "openAIStrict" | "anthropic" | "gemini" | "geminiOpenApi" | "bedrock" | "common"

type Ways = Readonly<Record<Way, (tools: ReadonlyArray<Tool>) => LoweredTools>>

const wayOf = (provider: Target, options: ProviderOptions = {}): Way => {
  switch (provider) {
    case "openai":
    case "openai-responses":
      return options.strict === true ? "openAIStrict" : "openAI"
    case "gemini":
      return options.mode === "openapi" ? "geminiOpenApi" : "gemini"
    case "anthropic":
    case "bedrock":
    case "common":
      return provider
    default:
      // where no compiler has looked
      throw new TypeError(`${JSON.stringify(provider)} is no provider that is known here; there are ${TARGETS}`)
  }
}

const TARGETS = "openai, openai-responses, anthropic, gemini and bedrock, and common for what all of them take"

/** Keeps each result as long as what it was made of. */
const oncePer = <A extends object, B extends object>(compute: (from: A) => B): (from: A) => B => {
  const known = new WeakMap<A, B>()
  return (from) => {
    const before = known.get(from)
    if (before !== undefined) return before
    const result = compute(from)
    known.set(from, result)
    return result
  }
}

/**
 * Keeps the results of the list before: of a list that changed a little, only what changed is made anew. (A weak map of
 * schemas would do as well, but costs a third of the time that making them takes.)
 */
const onceInList = <A extends object, B>(compute: (from: A) => B) => {
  let before: ReadonlyMap<A, B> = new Map()
  let now = new Map<A, B>()
  return {
    begin: () => {
      before = now
      now = new Map()
    },
    get: (from: A): B => {
      const known = now.get(from) ?? before.get(from) ?? compute(from)
      now.set(from, known)
      return known
    }
  }
}

const nameTools = (tools: ReadonlyArray<Tool>) => {
  const legal = legalNames(tools.map(({ name }) => name))
  return { legal, byLegalName: new Map(tools.map((tool) => [legal.get(tool.name) ?? tool.name, tool])) }
}

interface LoweredSchema {
  readonly schema: JsonSchema.JsonSchema
  readonly text: string
  readonly isStrict: boolean
  readonly notes: ReadonlyArray<SchemaNote>
}

/** The stack may end in spite of all bounds, and a getter may throw. */
const lowerSafely = (
  schema: JsonSchema.JsonSchema,
  profile: ProviderProfile,
  otherwise: ProviderProfile | undefined
): LoweredSchema | { readonly reason: string } =>
  Result.getOrElse(
    Result.try(() => lowerRaw(schema, profile, otherwise)),
    () => ({ reason: "its input schema can't be read" })
  )

const lowerRaw = (
  schema: JsonSchema.JsonSchema,
  profile: ProviderProfile,
  otherwise: ProviderProfile | undefined
): LoweredSchema | { readonly reason: string } => {
  let shape: ToolShape | string | undefined
  const lower = (target: ProviderProfile): LoweredSchema | { readonly reason: string } => {
    const usual = renderUsual(schema, target)
    if (usual !== undefined) return toLowered(usual, [], target)
    shape ??= readToolShape(schema)
    if (typeof shape === "string") return { reason: shape }
    return toLowered(renderShape(shape, target), shape.notes, target)
  }
  const lowered = lower(profile)
  if (otherwise === undefined || !("reason" in lowered) || typeof shape === "string") return lowered
  const note: SchemaNote = { path: "", kind: "not-strict", text: `can't be strict: ${lowered.reason}` }
  const instead = lower(otherwise)
  return "reason" in instead ? instead : { ...instead, notes: [note, ...instead.notes] }
}

const toLowered = (
  { notes, refused, schema, text }: Omit<LoweredSchema, "isStrict"> & { readonly refused: string | undefined },
  before: ReadonlyArray<SchemaNote>,
  { strict }: ProviderProfile
): LoweredSchema | { readonly reason: string } =>
  refused === undefined
    ? { schema, text, isStrict: strict !== undefined, notes: before.length === 0 ? notes : [...before, ...notes] }
    : { reason: refused }

interface LoweredTool {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema.JsonSchema
  readonly isStrict: boolean
  readonly toolName: string
}

interface LoweredTools {
  readonly tools: ReadonlyArray<LoweredTool>
  readonly report: Omit<Report, "provider">
}

const lowerTools = (
  tools: ReadonlyArray<Tool>,
  names: ReadonlyMap<string, string>,
  profile: ProviderProfile,
  lowerSchema: (schema: JsonSchema.JsonSchema) => LoweredSchema | { readonly reason: string }
): LoweredTools => {
  const lowered: Array<LoweredTool> = []
  const left_out: Array<Report["left_out"][number]> = []
  const notes: Array<Note> = []
  for (const tool of tools) {
    const input = lowerSchema(tool.inputSchema)
    if ("reason" in input) {
      left_out.push({ name: tool.name, reason: input.reason })
      continue
    }
    const name = names.get(tool.name) ?? tool.name
    const described = describeTool(tool, input, profile)
    if (name !== tool.name) {
      notes.push({ name: tool.name, path: "", kind: "renamed", text: `the tool is called "${name}"` })
    }
    for (const note of [...input.notes, ...described.notes]) notes.push({ name: tool.name, ...note })
    lowered.push({
      name,
      description: described.description,
      schema: described.schema,
      isStrict: input.isStrict,
      toolName: tool.name
    })
  }
  const { maxTools = Infinity, name } = profile
  if (lowered.length > maxTools) {
    notes.push({
      name: "",
      path: "",
      kind: "limit",
      text: `${lowered.length} tools, of which ${name} takes ${maxTools}`
    })
  }
  return { tools: lowered, report: { left_out, notes } }
}

/** What doesn't fit into the description of a tool goes before that of its input. */
const describeTool = (tool: Tool, { schema, text }: LoweredSchema, profile: ProviderProfile) => {
  const { maxDescription = Infinity, needsDescription } = profile
  const whole = [tool.description, text].filter((part) => part !== "").join("\n\n").toWellFormed()
  if (whole.length <= maxDescription) {
    return {
      description: whole === "" && needsDescription ? tool.annotations?.title ?? tool.name : whole,
      schema,
      notes: []
    }
  }
  const [description, rest] = splitText(whole, maxDescription)
  const before = schema["description"]
  const note: SchemaNote = {
    path: "",
    kind: "moved",
    text: `of the description, what is over ${maxDescription} characters is said in that of the input`
  }
  return {
    description,
    schema: { ...schema, description: typeof before === "string" ? `${rest}\n\n${before}` : rest },
    notes: [note]
  }
}

/** Between words, if there are any. */
const splitText = (text: string, limit: number): readonly [string, string] => {
  const head = text.slice(0, limit - 1)
  const blank = head.search(/\s\S*$/)
  const end = blank > limit / 2 ? blank : head.replace(/[\uD800-\uDBFF]$/, "").length
  return [`${text.slice(0, end)}…`, `…${text.slice(end).trimStart()}`]
}

const declare = (ways: Ways) => {
  const chat = (tools: ReadonlyArray<Tool>) => ways.openAI(tools).tools.map(toChat)
  const chatStrict = (tools: ReadonlyArray<Tool>) =>
    ways.openAIStrict(tools).tools.map((tool) => {
      const declared = toChat(tool)
      return { ...declared, function: { ...declared.function, strict: tool.isStrict } }
    })
  const responses = (way: "openAI" | "openAIStrict") => (tools: ReadonlyArray<Tool>) =>
    ways[way](tools).tools.map(toResponses)
  const [toChatOnce, toChatStrictOnce] = [oncePer(chat), oncePer(chatStrict)]
  const [toResponsesOnce, toResponsesStrictOnce] = [oncePer(responses("openAI")), oncePer(responses("openAIStrict"))]
  const neutral = oncePer((lowered: LoweredTools) => lowered.tools.map(toDeclaration))
  return {
    declare: (tools: ReadonlyArray<Tool>, target: Target): ReadonlyArray<Declaration> =>
      neutral(ways[wayOf(target)](tools)),
    toOpenAIChat: (tools: ReadonlyArray<Tool>, strict = false): ReadonlyArray<OpenAIChatTool> =>
      strict ? toChatStrictOnce(tools) : toChatOnce(tools),
    toOpenAIResponses: (tools: ReadonlyArray<Tool>, strict = false): ReadonlyArray<OpenAIResponsesTool> =>
      strict ? toResponsesStrictOnce(tools) : toResponsesOnce(tools),
    toAnthropic: oncePer((tools: ReadonlyArray<Tool>): ReadonlyArray<AnthropicTool> =>
      ways.anthropic(tools).tools.map(({ description, name, schema }) => ({ name, description, input_schema: schema }))
    ),
    toGemini: oncePer((tools: ReadonlyArray<Tool>): ReadonlyArray<GeminiTool> => [{
      functionDeclarations: ways.gemini(tools).tools.map(({ description, name, schema }) => ({
        name,
        description,
        parametersJsonSchema: schema
      }))
    }]),
    toGeminiOpenApi: oncePer((tools: ReadonlyArray<Tool>): ReadonlyArray<GeminiOpenApiTool> => [{
      functionDeclarations: ways.geminiOpenApi(tools).tools.map(({ description, name, schema }) => ({
        name,
        description,
        parameters: schema
      }))
    }]),
    toBedrock: oncePer((tools: ReadonlyArray<Tool>): ReadonlyArray<BedrockTool> =>
      ways.bedrock(tools).tools.map(({ description, name, schema }) => ({
        toolSpec: { name, description, inputSchema: { json: schema } }
      }))
    )
  }
}

const toDeclaration = ({ description, name, schema, toolName }: LoweredTool): Declaration => ({
  name,
  description,
  inputSchema: schema,
  toolName
})

const toChat = ({ description, name, schema }: LoweredTool): OpenAIChatTool => ({
  type: "function",
  function: { name, description, parameters: schema }
})

const toResponses = ({ description, isStrict, name, schema }: LoweredTool): OpenAIResponsesTool => ({
  type: "function",
  name,
  description,
  parameters: schema,
  strict: isStrict
})

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Text that is no JSON of an object stays text: whoever calls the tool says what is wrong with it. */
const parseArguments = (args: Json | undefined): Json | undefined => {
  if (args === undefined || args === null) return {}
  if (typeof args !== "string") return args
  if (args.trim() === "") return {}
  const parsed = Result.try((): Json => JSON.parse(args))
  return Result.isSuccess(parsed) && isObject(parsed.success) ? parsed.success : args
}

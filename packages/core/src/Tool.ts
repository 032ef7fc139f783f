/**
 * A tool is a value: a name, a description, JSON Schemas, where it came from, and a handler from arguments to an
 * Effect. Nothing else in the system knows what kind of tool it is.
 *
 * {@link defineTool} makes one of a function of your own; every source makes its own.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Struct from "effect/Struct"
import * as Tracer from "effect/Tracer"
import { type HandlerServices, runHandler } from "./internal/toolHandler.ts"
import { fromDecoder, fromJsonSchema, type Input } from "./internal/toolInput.ts"
import type { Json, JsonObject } from "./Json.ts"
import * as OptionCheck from "./OptionCheck.ts"
import * as Suggestion from "./Suggestion.ts"
import type { ToolCall } from "./ToolCall.ts"
import type { ToolError } from "./ToolError.ts"
import type { ToolResult } from "./ToolResult.ts"

/**
 * What kind of thing a tool is. `agent` is a sub-agent of ours, OpenAPI operations are `http`, tools of an `effect/ai`
 * Toolkit are `custom`.
 *
 * @category models
 * @since 0.1.0
 */
export const ToolKind = Schema.Literals(["mcp", "skill", "builtin", "a2a", "native", "http", "agent", "custom"])

/**
 * @category models
 * @since 0.1.0
 */
export type ToolKind = Schema.Schema.Type<typeof ToolKind>

/**
 * Where a tool came from: `entry` is the server, agent or document, `name` the original name there, `location` a file
 * or URL where there is one.
 *
 * @category models
 * @since 0.1.0
 */
export const Origin = Schema.Struct({
  kind: ToolKind,
  entry: Schema.String,
  name: Schema.String,
  location: Schema.optionalKey(Schema.String)
})

/**
 * @category models
 * @since 0.1.0
 */
export interface Origin extends Schema.Schema.Type<typeof Origin> {}

/**
 * What a tool says of itself, as MCP defines it. Claims, not facts: a server that isn't trusted may lie.
 *
 * @category models
 * @since 0.1.0
 */
export const ToolAnnotations = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  readOnlyHint: Schema.optionalKey(Schema.Boolean),
  destructiveHint: Schema.optionalKey(Schema.Boolean),
  idempotentHint: Schema.optionalKey(Schema.Boolean),
  openWorldHint: Schema.optionalKey(Schema.Boolean)
})

/**
 * @category models
 * @since 0.1.0
 */
export interface ToolAnnotations extends Schema.Schema.Type<typeof ToolAnnotations> {}

/**
 * A JSON Schema whose root describes an object, kept as the tool's owner wrote it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ObjectSchema extends JsonSchema.JsonSchema {
  readonly type: "object"
}

/**
 * From decoded arguments to a result. A failure is one of the typed errors; interruption is the caller's.
 *
 * @category models
 * @since 0.1.0
 */
export type Handler<R = never> = (args: JsonObject, call: ToolCall) => Effect.Effect<ToolResult, ToolError, R>

/**
 * A tool. `R` is what its handler still asks for; a tool in a toolkit asks for nothing.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tool<out R = never> {
  readonly name: string
  /** May be empty. */
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema?: JsonSchema.JsonSchema
  readonly annotations?: ToolAnnotations
  /** The same as `origin.kind`. */
  readonly source: ToolKind
  readonly origin: Origin
  readonly handler: Handler<R>
  /** Absent: a call may be suspended once, and leaves nothing behind when the answer is no. */
  readonly suspension?: SuspensionRules
}

/**
 * How a tool takes part in waiting for people (CONTRACT 11), where it isn't the plain way.
 *
 * @category models
 * @since 0.1.0
 */
export interface SuspensionRules {
  /** How many answers one call may ask for; the suspension after that is a failure. */
  readonly rounds: number
  /** Clears up what a suspended call left elsewhere, when the answer is no; `state` is what the suspension carried. */
  readonly withdraw?: (state: Json | undefined, call: ToolCall) => Effect.Effect<void>
}

/**
 * Gives a tool's handler all it asks for.
 *
 * **Details**
 *
 * What is given here goes before what the caller's fiber has: a tool that was built with one database never runs on
 * another. Only what belongs to the fiber is the caller's: its span, its clock, its logging, its scope.
 *
 * @category operations
 * @since 0.1.0
 */
export const provideContext = <R>(tool: Tool<R>, context: Context.Context<R>): Tool => {
  const given = withoutFiber(context)
  // most calls come from the same few contexts, and putting two together takes longer than a call
  const merged = new WeakMap<Context.Context<never>, Context.Context<R>>()
  const merge = (caller: Context.Context<never>): Context.Context<R> => {
    const before = merged.get(caller)
    if (before !== undefined) return before
    const both = Context.merge(caller, given)
    merged.set(caller, both)
    return both
  }
  return { ...tool, handler: (args, call) => Effect.updateContext(tool.handler(args, call), merge) }
}

const withoutFiber = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(new Map(Array.from(context.mapUnsafe).filter(([key]) => !ofFiber.has(key))))

const ofFiber: ReadonlySet<string> = new Set(
  [
    Clock.Clock,
    Scope.Scope,
    Tracer.ParentSpan,
    Tracer.Tracer,
    References.CurrentLoggers,
    References.CurrentLogAnnotations,
    References.CurrentLogLevel,
    References.CurrentLogSpans,
    References.MinimumLogLevel,
    References.TracerEnabled,
    References.TracerSpanAnnotations,
    References.TracerSpanLinks
  ].map(({ key }) => key)
)

/**
 * The call as a function of one's own sees it.
 *
 * @category models
 * @since 0.1.0
 */
export interface OwnToolCall extends ToolCall {
  /** Aborted when the call is interrupted or runs into its limit; made on first use. */
  readonly signal: AbortSignal
}

/**
 * What stays the same whatever a tool's input is.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolDefinition {
  readonly name: string
  /** Default: empty. */
  readonly description?: string
  /** Default: `native`. */
  readonly source?: ToolKind
  readonly annotations?: ToolAnnotations
}

/**
 * Makes a tool of a function.
 *
 * **Details**
 *
 * - `input` is an Effect Schema (the arguments are decoded before the handler runs, and unknown properties refused), a
 *   JSON Schema with an object at its root, or absent: any object.
 * - The handler returns a string, a `ToolResult`, any JSON value, or an Effect or Promise of one. A value that is
 *   neither text nor a result is kept in `structured` and shown as JSON.
 * - A typed failure, a throw and a rejection become `ToolFailed`; the typed errors of a call pass as they are. A defect
 *   of an Effect stays a defect.
 * - Services the Effect needs show up in the tool's type, and are asked for where the tool is used.
 *
 * **Gotchas**
 *
 * A definition that makes no sense throws a `TypeError` at once: a key that is misspelled or called as elsewhere
 * (`parameters`), a value of the wrong kind, a handler that is none, and an `input` that is no schema of an object: a schema
 * of another library, or properties without `{ type: "object", properties }` around them, would let anything pass.
 *
 * **Example**
 *
 * ```ts
 * const weather = defineTool({
 *   name: "weather",
 *   description: "The weather in a city",
 *   input: Schema.Struct({ city: Schema.String }),
 *   handler: ({ city }) => Effect.succeed(`sunny in ${city}`)
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export function defineTool<A, RD, Out>(definition: DecodedDefinition<A, RD, Out>): Tool<RD | HandlerServices<Out>>
export function defineTool<Out>(definition: PlainDefinition<Out>): Tool<HandlerServices<Out>>
export function defineTool<A, RD, Out>(
  definition: DecodedDefinition<A, RD, Out> | PlainDefinition<Out>
): Tool<RD | HandlerServices<Out>> {
  checkDefinition(definition)
  return hasDecoder(definition)
    ? build(definition, fromDecoder(definition.name, definition.input), definition.handler)
    : build(definition, fromJsonSchema(definition.name, definition.input), definition.handler)
}

/**
 * A tool whose arguments are decoded by an Effect Schema.
 *
 * @category models
 * @since 0.1.0
 */
export interface DecodedDefinition<A, RD, Out> extends ToolDefinition {
  readonly input: Schema.Decoder<A, RD>
  readonly handler: (args: A, call: OwnToolCall) => Out
}

/**
 * A tool whose arguments are any object, or what a JSON Schema says.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlainDefinition<Out> extends ToolDefinition {
  readonly input?: JsonSchema.JsonSchema
  readonly handler: (args: JsonObject, call: OwnToolCall) => Out
}

/** For programs that no compiler has looked at. */
const checkDefinition = (definition: ToolDefinition & { readonly handler: unknown }): void => {
  const { handler, name } = definition
  // one without a character is left out, with a diagnostic, by whoever takes the tool
  if (typeof name !== "string") throw new TypeError("A tool needs a name")
  OptionCheck.check(definition, { owner: `tool "${name}"`, keys: definitionKeys, otherNames: namesOfInput })
  if (typeof handler !== "function") throw new TypeError(`Tool "${name}" needs a handler, which is a function`)
}

const hints = Struct.omit(ToolAnnotations.fields, ["title"])

/**
 * What belongs into `annotations`. A hint that is misspelled would say nothing, and what destroys something would be run
 * without asking.
 *
 * @category guards
 * @since 0.1.0
 */
export const annotationsExpectation: OptionCheck.Expectation = {
  fits: (value) => {
    if (!Predicate.isObject(value)) return false
    const { title, ...rest } = value
    return (title === undefined || typeof title === "string") &&
      Suggestion.misspelled(value, Object.keys(ToolAnnotations.fields)) === undefined &&
      Object.keys(hints).every((hint) => ["boolean", "undefined"].includes(typeof Reflect.get(rest, hint)))
  },
  what: `an object of title, a text, and ${Object.keys(hints).join(", ")}, which are true or false`
}

const definitionKeys: Readonly<Record<keyof PlainDefinition<unknown>, OptionCheck.Expectation>> = {
  name: OptionCheck.text,
  description: OptionCheck.text,
  // looked at when its schema is made
  input: OptionCheck.anything,
  handler: OptionCheck.anything,
  source: OptionCheck.oneOf(ToolKind.literals),
  annotations: annotationsExpectation
}

/** In OpenAI's API, in LangChain and in libraries for MCP servers. Taken for nobody's, the tool would take anything. */
const namesOfInput = { parameters: "input", schema: "input", args: "input", args_schema: "input" } as const

const hasDecoder = <A, RD, Out>(
  definition: DecodedDefinition<A, RD, Out> | PlainDefinition<Out>
): definition is DecodedDefinition<A, RD, Out> => Schema.isSchema(definition.input)

const build = <A, RD, Out>(
  definition: ToolDefinition,
  input: Input<A, RD>,
  handler: (args: A, call: OwnToolCall) => Out
): Tool<RD | HandlerServices<Out>> => {
  const source = definition.source ?? "native"
  return {
    name: definition.name,
    description: definition.description ?? "",
    inputSchema: input.schema,
    ...(definition.annotations === undefined ? {} : { annotations: definition.annotations }),
    source,
    origin: { kind: source, entry: "", name: definition.name },
    handler: (args, call) =>
      Effect.flatMapEager(input.decode(args, call.toolName), (decoded) => runHandler(handler, decoded, call))
  }
}

export type { HandlerServices }

/**
 * The toolkit as its users see it: one key, one interface, one snapshot that all views derive from. It is built by
 * `ToolkitLive` or `ToolkitLayer.make` of the toolkit package; whatever only needs tools (an agent loop, a server that
 * offers them again) asks for this key.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { RemoteAgent } from "./AgentRegistry.ts"
import type { Answer } from "./Answer.ts"
import type { Diagnostic } from "./Diagnostic.ts"
import type { Resolver } from "./HostResolver.ts"
import type { Json } from "./Json.ts"
import type * as ProviderSchema from "./ProviderSchema.ts"
import type { Request } from "./Request.ts"
import type { SkillSummary, SourceEntry, SourceKind, Status } from "./SourceEntry.ts"
import type { Origin, Tool } from "./Tool.ts"
import type { CallOptions } from "./ToolCall.ts"
import type { ToolError } from "./ToolError.ts"
import type { ToolResult } from "./ToolResult.ts"

/**
 * A tool that lost its name to another one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Shadowed {
  readonly name: string
  readonly winner: Origin
  readonly loser: Origin
}

/**
 * An entry as the toolkit lists it: `id` is its name in `statuses` and `errors`, distinct among all kinds.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolkitEntry {
  readonly id: string
  readonly kind: SourceKind
  readonly entry: SourceEntry
}

/**
 * Everything a toolkit holds at one moment. Two readers of one snapshot always agree.
 *
 * **Details**
 *
 * - `tools`: in order of precedence (CONTRACT 2); `toolNames`: their names sorted by code points
 * - `byName`: null-safe look-up for names chosen by a model
 * - `statuses`, `errors`: by entry id; `sources`: by kind
 *
 * @category models
 * @since 0.1.0
 */
export interface Snapshot {
  readonly tools: ReadonlyArray<Tool>
  readonly toolNames: ReadonlyArray<string>
  readonly byName: ReadonlyMap<string, Tool>
  readonly shadowed: ReadonlyArray<Shadowed>
  readonly entries: ReadonlyArray<ToolkitEntry>
  readonly statuses: Readonly<Record<string, Status>>
  readonly errors: Readonly<Record<string, string>>
  readonly sources: Readonly<Record<Exclude<SourceKind, "config">, Status>>
  readonly diagnostics: ReadonlyArray<Diagnostic>
  readonly skills: ReadonlyArray<SkillSummary>
  readonly skillsPrompt: string
}

/**
 * A snapshot, and what differs from the one this reader saw before: names of exposed tools that are new, gone, or
 * described otherwise. The first one a reader sees differs in nothing.
 *
 * @category models
 * @since 0.1.0
 */
export interface Change {
  readonly snapshot: Snapshot
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  readonly changed: ReadonlyArray<string>
}

/**
 * Which tools a view shows, by exposed name; `*` stands for any characters. What is excluded is so even where it is
 * included.
 *
 * @category models
 * @since 0.1.0
 */
export interface ViewOptions {
  /** Default: all. */
  readonly include?: ReadonlyArray<string>
  /** Default: none. */
  readonly exclude?: ReadonlyArray<string>
}

/**
 * What a model sends as arguments: an object, or its JSON text. Anything that isn't an object is `InvalidArguments`;
 * absent, `null` and blank text count as `{}`.
 *
 * @category models
 * @since 0.1.0
 */
export type CallArguments = Json | undefined

/**
 * What a toolkit can do. A view is one too, which is why this has a name.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolkitService {
  /** Everything at once; the views below are its fields. */
  readonly snapshot: Effect.Effect<Snapshot>
  /** The snapshot now, and each later one with what changed; a slow reader misses some. Ends with the toolkit. */
  readonly changes: Stream.Stream<Change>
  readonly tools: Effect.Effect<ReadonlyArray<Tool>>
  readonly toolNames: Effect.Effect<ReadonlyArray<string>>
  readonly entries: Effect.Effect<ReadonlyArray<ToolkitEntry>>
  readonly statuses: Effect.Effect<Snapshot["statuses"]>
  readonly errors: Effect.Effect<Snapshot["errors"]>
  readonly sources: Effect.Effect<Snapshot["sources"]>
  readonly shadowed: Effect.Effect<ReadonlyArray<Shadowed>>
  /** Those of the snapshot, and what calls have found since: schemas, or parts of them, that can't be checked. */
  readonly diagnostics: Effect.Effect<ReadonlyArray<Diagnostic>>
  readonly skills: Effect.Effect<ReadonlyArray<SkillSummary>>
  /** What to put into the system prompt; empty without described skills. */
  readonly skillsPrompt: Effect.Effect<string>
  /** The exposed tool of that name. */
  readonly get: (name: string) => Effect.Effect<Option.Option<Tool>>
  /** Calls a tool; every failure is a typed error. A success is never an error result. */
  readonly call: (name: string, args?: CallArguments, options?: CallOptions) => Effect.Effect<ToolResult, ToolError>
  /** The same call for a model: every failure, a defect too, becomes a result with `isError`. */
  readonly execute: (name: string, args?: CallArguments, options?: CallOptions) => Effect.Effect<ToolResult>
  /**
   * Whether this call would come back as a suspension of kind `approval`: a rule of the policy asks, and no resolver
   * answers inline. For hosts with a way of their own to ask; the call itself asks in any case.
   */
  readonly needsApproval: (name: string, args?: CallArguments) => Effect.Effect<boolean>
  /**
   * Goes on with a call that was suspended, here or in another process: looks its tool up by `request.call.name`, and runs
   * it with the answer. Fails like `call`: a wrong id or an answer that isn't what `data.schema` asks for is
   * `InvalidArguments`, and may be given again; a request that has expired, or was answered here before, is `ToolDenied`,
   * and so is the answer no.
   */
  readonly resume: (request: Request, answer: Answer, options?: CallOptions) => Effect.Effect<ToolResult, ToolError>
  /**
   * Adds tools of one's own, below those given when it was built: of one name the first is exposed. As with those, a
   * builtin may give way (`Precedence.standard`). Does nothing on a closed toolkit.
   */
  readonly register: (...tools: ReadonlyArray<Tool>) => Effect.Effect<void>
  /** Takes away what `register` added under that name, and says whether there was anything. */
  readonly unregister: (name: string) => Effect.Effect<boolean>
  /**
   * Connects a remote agent and waits until it has answered or failed; one that was added under that name before goes.
   * Default for `name`: the card's URL.
   */
  readonly addAgent: (agent: RemoteAgent, name?: string) => Effect.Effect<ToolkitEntry>
  /**
   * The same toolkit with fewer tools. What it doesn't show it doesn't call. Options that aren't understood throw a
   * `TypeError`: they would show everything.
   */
  readonly view: (options: ViewOptions) => ToolkitService
  /** The resolver it was built with, which answers suspensions inline: the option `waitFor`, else `HostResolver`. */
  readonly waitFor: Resolver | undefined
  /**
   * What goes into `tools` of OpenAI's chat completions, or of its Responses API. With `strict`, each tool that can be
   * strict is; the others say `strict: false`.
   */
  readonly toOpenAI: {
    (
      options?: { readonly mode?: "chat"; readonly strict?: boolean }
    ): Effect.Effect<ReadonlyArray<ProviderSchema.OpenAIChatTool>>
    (
      options: { readonly mode: "responses"; readonly strict?: boolean }
    ): Effect.Effect<ReadonlyArray<ProviderSchema.OpenAIResponsesTool>>
  }
  /** What goes into `tools` of Anthropic's Messages API. */
  readonly toAnthropic: () => Effect.Effect<ReadonlyArray<ProviderSchema.AnthropicTool>>
  /** What goes into `tools` of Gemini's `generateContent`; `openapi` for endpoints without `parametersJsonSchema`. */
  readonly toGemini: {
    (): Effect.Effect<ReadonlyArray<ProviderSchema.GeminiTool>>
    (options: { readonly mode: "openapi" }): Effect.Effect<ReadonlyArray<ProviderSchema.GeminiOpenApiTool>>
  }
  /** The same in no provider's shape, for runtimes that make requests themselves; `common`: what every provider takes. */
  readonly declare: (target: ProviderSchema.Target) => Effect.Effect<ReadonlyArray<ProviderSchema.Declaration>>
  /** What goes into `toolConfig.tools` of Amazon Bedrock's Converse API. */
  readonly toBedrock: () => Effect.Effect<ReadonlyArray<ProviderSchema.BedrockTool>>
  /**
   * A model's call in the tool's own terms, for `call` and `execute`: its name, and its arguments as they were before the
   * provider's schema changed them. Whatever it can't make sense of stays as it is.
   */
  readonly fromProvider: (
    provider: ProviderSchema.Target,
    name: string,
    args?: CallArguments
  ) => Effect.Effect<ProviderSchema.OwnCall>
  /** What tools lose, or how they change, on their way to a provider. */
  readonly check: (
    provider: ProviderSchema.Target,
    options?: ProviderSchema.ProviderOptions
  ) => Effect.Effect<ProviderSchema.Report>
}

/**
 * Whether a toolkit logs the message of each entry that `errors` has, as a warning: once when it is built or when the entry
 * fails, and again where the message is another one or the entry had worked meanwhile. So it does with each of
 * `diagnostics` that is a warning or an error, once, up to 50. Taken when the toolkit is built. Default: true. Whoever shows
 * these to people says false.
 *
 * **Example**
 *
 * ```ts
 * const quiet = Effect.provideService(program, LogFailures, false)
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const LogFailures: Context.Reference<boolean> = Context.Reference("@effect-toolnexus/core/Toolkit/LogFailures", {
  defaultValue: () => true
})

/**
 * **Example**
 *
 * ```ts
 * const program = Effect.gen(function*() {
 *   const toolkit = yield* Toolkit
 *   const result = yield* toolkit.execute("weather", { city: "Oslo" })
 * })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Toolkit extends Context.Service<Toolkit, ToolkitService>()("@effect-toolnexus/core/Toolkit") {}

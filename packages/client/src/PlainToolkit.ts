/**
 * A toolkit for programs that are not on Effect: one function that builds it, methods that return Promises, plain errors
 * with a `_tag`, an `AbortSignal` wherever something may take time, and `close()`.
 *
 * @since 0.1.0
 */
import {
  type Answer,
  type CallArguments,
  type Change,
  type ProviderSchema,
  type RemoteAgent,
  type Request,
  type Resolver,
  type Snapshot,
  Suggestion,
  type Tool,
  type ToolCall,
  Toolkit,
  type ToolkitEntry,
  type ToolResult,
  type ViewOptions
} from "@effect-toolnexus/core"
import { ToolkitLive } from "@effect-toolnexus/toolkit/ToolkitLive"
import type { ToolkitOptions } from "@effect-toolnexus/toolkit/ToolkitOptions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import type * as AiSdk from "./AiSdk.ts"
import * as Signals from "./internal/closingSignals.ts"
import { makeRun } from "./internal/plainRun.ts"
import { makeView } from "./internal/plainView.ts"
import type * as LangChain from "./LangChain.ts"

/**
 * Those of `ToolkitLive`, with a resolver in plain terms.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Omit<ToolkitOptions, "waitFor"> {
  /**
   * Answers suspensions inline: an approval, a question. `signal` aborts when the question is withdrawn, `context` is what
   * the caller attached to its call. One that throws or rejects has cancelled. Default: requests go to the caller.
   */
  readonly waitFor?: (
    request: Request.Request,
    asked: { readonly context: unknown; readonly signal: AbortSignal }
  ) => Answer.Answer | PromiseLike<Answer.Answer>
  /** Ends the build. Default: it is as slow as its slowest entry, within its limits. */
  readonly signal?: AbortSignal
  /**
   * The signals of the system at which the toolkit is closed before the process ends by them: `SIGINT`, `SIGTERM`, `SIGHUP`.
   * Without them such a signal leaves servers and shells behind. For a program that listens for none of them itself; one
   * that does closes the toolkit there. Default: none.
   */
  readonly closeOn?: ReadonlyArray<"SIGINT" | "SIGTERM" | "SIGHUP">
}

/**
 * What a caller may say about one call.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallOptions extends Omit<ToolCall.CallOptions, "onProgress"> {
  /** Cancels the call, also at the other end. */
  readonly signal?: AbortSignal
  /** Told of the tool's progress; what it throws ends nothing. */
  readonly onProgress?: (progress: ToolCall.Progress) => void
}

/**
 * A toolkit with fewer tools. What it doesn't show it doesn't call.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlainView {
  /** Everything at once: tools, statuses, errors, diagnostics, skills. */
  readonly snapshot: () => Promise<Snapshot>
  /** The snapshot now, and each later one with what changed; ends with the toolkit. */
  readonly changes: () => AsyncIterable<Change>
  readonly tools: () => Promise<ReadonlyArray<Tool.Tool>>
  readonly toolNames: () => Promise<ReadonlyArray<string>>
  readonly entries: () => Promise<ReadonlyArray<ToolkitEntry>>
  readonly statuses: () => Promise<Snapshot["statuses"]>
  readonly errors: () => Promise<Snapshot["errors"]>
  readonly sources: () => Promise<Snapshot["sources"]>
  readonly shadowed: () => Promise<Snapshot["shadowed"]>
  readonly diagnostics: () => Promise<Snapshot["diagnostics"]>
  readonly skills: () => Promise<Snapshot["skills"]>
  /** What to put into the system prompt; empty without described skills. */
  readonly skillsPrompt: () => Promise<string>
  readonly get: (name: string) => Promise<Tool.Tool | undefined>
  /** Calls a tool; rejects with a `ToolError`, which is an `Error` with a `_tag`. */
  readonly call: (name: string, args?: CallArguments, options?: CallOptions) => Promise<ToolResult.ToolResult>
  /** The same call for a model: every failure becomes a result with `isError`. Rejects only where `signal` aborts it. */
  readonly execute: (name: string, args?: CallArguments, options?: CallOptions) => Promise<ToolResult.ToolResult>
  /** Goes on with a call that was suspended, here or in another process. Fails like `call`. */
  readonly resume: (
    request: Request.Request,
    answer: Answer.Answer,
    options?: CallOptions
  ) => Promise<ToolResult.ToolResult>
  /** Whether this call would come back as a suspension of kind `approval`. */
  readonly needsApproval: (name: string, args?: CallArguments) => Promise<boolean>
  readonly register: (...tools: ReadonlyArray<Tool.Tool>) => Promise<void>
  readonly unregister: (name: string) => Promise<boolean>
  readonly addAgent: (agent: RemoteAgent, name?: string) => Promise<ToolkitEntry>
  readonly view: (options: ViewOptions) => PlainView
  readonly toOpenAI: {
    (options?: { readonly mode?: "chat"; readonly strict?: boolean }): Promise<
      ReadonlyArray<ProviderSchema.OpenAIChatTool>
    >
    (options: { readonly mode: "responses"; readonly strict?: boolean }): Promise<
      ReadonlyArray<ProviderSchema.OpenAIResponsesTool>
    >
  }
  readonly toAnthropic: () => Promise<ReadonlyArray<ProviderSchema.AnthropicTool>>
  readonly toGemini: {
    (): Promise<ReadonlyArray<ProviderSchema.GeminiTool>>
    (options: { readonly mode: "openapi" }): Promise<ReadonlyArray<ProviderSchema.GeminiOpenApiTool>>
  }
  readonly toBedrock: () => Promise<ReadonlyArray<ProviderSchema.BedrockTool>>
  readonly declare: (target: ProviderSchema.Target) => Promise<ReadonlyArray<ProviderSchema.Declaration>>
  readonly fromProvider: (
    provider: ProviderSchema.Target,
    name: string,
    args?: CallArguments
  ) => Promise<ProviderSchema.OwnCall>
  readonly check: (
    provider: ProviderSchema.Target,
    options?: ProviderSchema.ProviderOptions
  ) => Promise<ProviderSchema.Report>
  /** What goes into `tools` of the AI SDK's `generateText` and `streamText`, as it is now. */
  readonly toAiSdk: (options?: AiSdk.Options) => Promise<AiSdk.Tools>
  /** What `new DynamicStructuredTool(...)` of LangChain takes, for each tool, as it is now. */
  readonly toLangChain: (options?: LangChain.Options) => Promise<ReadonlyArray<LangChain.ToolFields>>
}

/**
 * A toolkit that was built, until it is closed.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlainToolkit extends PlainView, AsyncDisposable {
  /**
   * Shuts everything down that was opened; afterwards nothing of it keeps the process alive, and every call answers that
   * the toolkit is closed. Closing again waits for the same end.
   */
  readonly close: () => Promise<void>
}

/**
 * Builds a toolkit of all its sources, on Node.
 *
 * **Details**
 *
 * Whatever doesn't work is an entry with a status and an error, and costs the others nothing. It rejects with
 * `RequiredEntriesFailed` where an entry that is `required` has failed, with a `TypeError` where an option makes no sense
 * or is misspelled, and with the reason of `signal`; nothing is left running then. What is wrong with the configuration,
 * its entries and the options of `builtins` is told by `errors()` and `diagnostics()`. What it logs, the former among it,
 * goes to standard error.
 *
 * **Example**
 *
 * ```ts
 * await using toolkit = await createToolkit({ config: "mcp.json" })
 * const { output } = await toolkit.call("weather", { city: "Oslo" }, { signal: AbortSignal.timeout(5000) })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const createToolkit = async (
  { closeOn = [], signal, waitFor, ...options }: Options = {}
): Promise<PlainToolkit> => {
  checkOptions(closeOn, options)
  const run = makeRun(Context.make(Logger.LogToStderr, true))
  const layer = ToolkitLive({ ...options, ...(waitFor === undefined ? {} : { waitFor: toResolver(waitFor) }) })
  const scope = Scope.makeUnsafe()
  const ending = new AbortController()
  let closing: Promise<void> | undefined
  const close = () => closing ??= run(Scope.close(scope, Exit.void)).finally(() => stopListening())
  const stopListening = Signals.closeOn(closeOn, async () => {
    ending.abort(new Error("The process is ending"))
    await Promise.allSettled([building])
    await close()
  })
  const building = run(
    Scope.provide(Layer.build(layer), scope),
    signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal])
  )
  try {
    const service = Context.get(await building, Toolkit)
    return { ...makeView(service, run), close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What isn't an option of `ToolkitLive`, which looks at its own. */
const checkOptions = (closeOn: unknown, others: object): void => {
  const stray = Suggestion.misspelled(others, ["closeOn"])
  if (stray !== undefined) {
    throw new TypeError(`"${stray[0]}" is no option of a toolkit; did you mean "${stray[1]}"?`)
  }
  const known: ReadonlyArray<unknown> = Signals.CLOSING_SIGNALS
  if (!Array.isArray(closeOn) || !closeOn.every((signal) => known.includes(signal))) {
    throw new TypeError(`closeOn must be a list of ${known.join(", ")}`)
  }
}

/** A rejection is a resolver that broke: the toolkit takes it as a no, and logs it. */
const toResolver = (waitFor: NonNullable<Options["waitFor"]>): Resolver => (request, context) =>
  Effect.promise(async (signal) => await waitFor(request, { context, signal }))

/** The methods of a toolkit, or of a view of it, as functions that return Promises. */
import type { Answer, CallArguments, ProviderSchema, Request, ToolCall, ToolkitService } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as AiSdk from "../AiSdk.ts"
import * as LangChain from "../LangChain.ts"
import type { CallOptions, PlainView } from "../PlainToolkit.ts"
import type { Run } from "./plainRun.ts"

export const makeView = (service: ToolkitService, run: Run): PlainView => ({
  ...readings(service, run),
  ...calls(service, run),
  ...declarations(service, run),
  changes: () => Stream.toAsyncIterable(service.changes),
  register: (...tools) => run(service.register(...tools)),
  unregister: (name) => run(service.unregister(name)),
  addAgent: (agent, name) => run(service.addAgent(agent, name)),
  view: (options) => makeView(service.view(options), run),
  toAiSdk: (options) => run(AiSdk.make(service, run, options)),
  toLangChain: (options) => run(LangChain.make(service, run, options))
})

const readings = (service: ToolkitService, run: Run) => ({
  snapshot: () => run(service.snapshot),
  tools: () => run(service.tools),
  toolNames: () => run(service.toolNames),
  entries: () => run(service.entries),
  statuses: () => run(service.statuses),
  errors: () => run(service.errors),
  sources: () => run(service.sources),
  shadowed: () => run(service.shadowed),
  diagnostics: () => run(service.diagnostics),
  skills: () => run(service.skills),
  skillsPrompt: () => run(service.skillsPrompt),
  get: (name: string) => run(Effect.map(service.get(name), Option.getOrUndefined))
})

const calls = (service: ToolkitService, run: Run) => ({
  call: (name: string, args?: CallArguments, options?: CallOptions) =>
    run(service.call(name, args, toCallOptions(options)), options?.signal),
  execute: (name: string, args?: CallArguments, options?: CallOptions) =>
    run(service.execute(name, args, toCallOptions(options)), options?.signal),
  resume: (request: Request.Request, answer: Answer.Answer, options?: CallOptions) =>
    run(service.resume(request, answer, toCallOptions(options)), options?.signal),
  needsApproval: (name: string, args?: CallArguments) => run(service.needsApproval(name, args))
})

const toCallOptions = ({ onProgress, ...options }: CallOptions = {}): ToolCall.CallOptions =>
  onProgress === undefined
    ? options
    : { ...options, onProgress: (progress) => Effect.sync(() => ignoreRejection(onProgress(progress))) }

/** A listener may be an async function: nobody waits for it, and it must not end the process. */
const ignoreRejection = (told: unknown): void => {
  if (Predicate.isPromiseLike(told)) Promise.resolve(told).catch(() => {})
}

const declarations = (service: ToolkitService, run: Run) => ({
  toOpenAI: toOpenAI(service, run),
  toGemini: toGemini(service, run),
  toAnthropic: () => run(service.toAnthropic()),
  toBedrock: () => run(service.toBedrock()),
  declare: (target: ProviderSchema.Target) => run(service.declare(target)),
  fromProvider: (provider: ProviderSchema.Target, name: string, args?: CallArguments) =>
    run(service.fromProvider(provider, name, args)),
  check: (provider: ProviderSchema.Target, options?: ProviderSchema.ProviderOptions) =>
    run(service.check(provider, options))
})

const toOpenAI = (service: ToolkitService, run: Run): PlainView["toOpenAI"] => {
  function render(
    options?: { readonly mode?: "chat"; readonly strict?: boolean }
  ): Promise<ReadonlyArray<ProviderSchema.OpenAIChatTool>>
  function render(
    options: { readonly mode: "responses"; readonly strict?: boolean }
  ): Promise<ReadonlyArray<ProviderSchema.OpenAIResponsesTool>>
  function render(
    { mode = "chat", ...rest }: { readonly mode?: "chat" | "responses"; readonly strict?: boolean } = {}
  ) {
    return mode === "responses" ? run(service.toOpenAI({ mode, ...rest })) : run(service.toOpenAI({ mode, ...rest }))
  }
  return render
}

const toGemini = (service: ToolkitService, run: Run): PlainView["toGemini"] => {
  function render(): Promise<ReadonlyArray<ProviderSchema.GeminiTool>>
  function render(options: { readonly mode: "openapi" }): Promise<ReadonlyArray<ProviderSchema.GeminiOpenApiTool>>
  function render(options?: { readonly mode: "openapi" }) {
    return options === undefined ? run(service.toGemini()) : run(service.toGemini(options))
  }
  return render
}

/** The interface of a toolkit over its snapshots; a view is the same over fewer tools. */
import {
  type CallArguments,
  type Diagnostic,
  type ProviderSchema,
  type Snapshot,
  ToolError,
  type ToolkitService,
  type ViewOptions
} from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type { PolicyStage } from "../Policy.ts"
import type { AnsweredRequests } from "./answeredRequests.ts"
import { callTool } from "./callTool.ts"
import { changesOf } from "./changes.ts"
import type { FoldedSources } from "./foldedSources.ts"
import { needsApproval } from "./needsApproval.ts"
import { resumeTool } from "./resumeTool.ts"
import type { Validation } from "./validation.ts"
import { narrow } from "./view.ts"

/** What a toolkit and its views share. */
export interface ToolkitCore extends Pick<ToolkitService, "register" | "unregister" | "addAgent" | "waitFor"> {
  readonly schemas: ProviderSchema.ProviderSchemas
  readonly snapshots: FoldedSources["snapshots"]
  readonly current: FoldedSources["current"]
  /** What calls have found in schemas since: it belongs to no snapshot. */
  readonly uncheckedSchemas: (exposed: Snapshot["byName"]) => ReadonlyArray<Diagnostic.Diagnostic>
  /** Rules of the policy that are for no tool there is. */
  readonly unmatchedRules: (tools: Snapshot["tools"]) => ReadonlyArray<Diagnostic.Diagnostic>
  readonly check: Validation["check"]
  readonly asks: PolicyStage["asks"]
  readonly answered: AnsweredRequests
  readonly closed: Effect.Effect<void>
  readonly isClosed: () => boolean
  readonly maxOutput: number
  readonly callId: () => string
}

/** `show` narrows a snapshot, and gives the same result for the same one. */
export const makeService = (core: ToolkitCore, show: (snapshot: Snapshot) => Snapshot): ToolkitService => {
  const snapshot = Effect.map(core.current, show)
  const call: ToolkitService["call"] = (name, args, options) =>
    Effect.flatMap(core.current, (now) => callTool(show(now), core, name, args, options))
  return {
    snapshot,
    changes: changesOf(core.snapshots, core.closed, show),
    ...fields(snapshot),
    ...providers(field(snapshot, "tools"), core.schemas),
    diagnostics: Effect.map(core.current, (whole) => {
      const { byName, diagnostics } = show(whole)
      // a rule for a tool that this view doesn't show is no mistake
      return [...diagnostics, ...core.unmatchedRules(whole.tools), ...core.uncheckedSchemas(byName)]
    }),
    get: (name) => Effect.map(snapshot, ({ byName }) => Option.fromUndefinedOr(byName.get(name))),
    call,
    execute: (name, args, options) => ToolError.fold(call(name, args, options), identity, core.maxOutput),
    needsApproval: (name, args) => Effect.flatMap(snapshot, (now) => needsApproval(now, core, name, args)),
    resume: (request, answer, options) =>
      Effect.flatMap(snapshot, (now) => resumeTool(now, core, request, answer, options)),
    register: core.register,
    unregister: core.unregister,
    addAgent: core.addAgent,
    waitFor: core.waitFor,
    view: (options: ViewOptions) => makeService(core, narrow(options, show))
  }
}

const field = <K extends keyof Snapshot>(snapshot: Effect.Effect<Snapshot>, key: K) =>
  Effect.map(snapshot, (now) => now[key])

const fields = (snapshot: Effect.Effect<Snapshot>) => ({
  tools: field(snapshot, "tools"),
  toolNames: field(snapshot, "toolNames"),
  entries: field(snapshot, "entries"),
  statuses: field(snapshot, "statuses"),
  errors: field(snapshot, "errors"),
  sources: field(snapshot, "sources"),
  shadowed: field(snapshot, "shadowed"),
  skills: field(snapshot, "skills"),
  skillsPrompt: field(snapshot, "skillsPrompt")
})

/** Rendered once for each list of tools, and shared by all who ask. */
const providers = (tools: ToolkitService["tools"], schemas: ProviderSchema.ProviderSchemas) => ({
  toOpenAI: toOpenAI(tools, schemas),
  toAnthropic: () => Effect.map(tools, schemas.toAnthropic),
  toGemini: toGemini(tools, schemas),
  toBedrock: () => Effect.map(tools, schemas.toBedrock),
  declare: (target: ProviderSchema.Target) => Effect.map(tools, (now) => schemas.declare(now, target)),
  fromProvider: (provider: ProviderSchema.Target, name: string, args?: CallArguments) =>
    Effect.map(tools, (now) => schemas.fromProvider(now, provider, name, args)),
  check: (provider: ProviderSchema.Target, options?: ProviderSchema.ProviderOptions) =>
    Effect.map(tools, (now) => schemas.check(now, provider, options))
})

const toOpenAI = (
  tools: ToolkitService["tools"],
  schemas: ProviderSchema.ProviderSchemas
): ToolkitService["toOpenAI"] => {
  function render(
    options?: { readonly mode?: "chat"; readonly strict?: boolean }
  ): Effect.Effect<ReadonlyArray<ProviderSchema.OpenAIChatTool>>
  function render(
    options: { readonly mode: "responses"; readonly strict?: boolean }
  ): Effect.Effect<ReadonlyArray<ProviderSchema.OpenAIResponsesTool>>
  function render(options?: { readonly mode?: "chat" | "responses"; readonly strict?: boolean }) {
    return options?.mode === "responses"
      ? Effect.map(tools, (now) => schemas.toOpenAIResponses(now, options.strict))
      : Effect.map(tools, (now) => schemas.toOpenAIChat(now, options?.strict))
  }
  return render
}

const toGemini = (
  tools: ToolkitService["tools"],
  schemas: ProviderSchema.ProviderSchemas
): ToolkitService["toGemini"] => {
  function render(): Effect.Effect<ReadonlyArray<ProviderSchema.GeminiTool>>
  function render(
    options: { readonly mode: "openapi" }
  ): Effect.Effect<ReadonlyArray<ProviderSchema.GeminiOpenApiTool>>
  function render(options?: { readonly mode: "openapi" }) {
    return options?.mode === "openapi"
      ? Effect.map(tools, schemas.toGeminiOpenApi)
      : Effect.map(tools, schemas.toGemini)
  }
  return render
}

/** The interface of a toolkit over its snapshots; a view is the same over fewer tools. */
import {
  type Diagnostic,
  ProviderSchema,
  type Snapshot,
  type Tool,
  type ToolkitService,
  type ViewOptions
} from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { callTool } from "./callTool.ts"
import { changesOf } from "./changes.ts"
import { executeTool } from "./executeTool.ts"
import { narrow } from "./view.ts"

/** What a toolkit and its views share. */
export interface ToolkitCore extends Pick<ToolkitService, "register" | "unregister" | "addAgent" | "waitFor"> {
  readonly snapshots: SubscriptionRef.SubscriptionRef<Snapshot>
  /** What calls have found in schemas since: it belongs to no snapshot. */
  readonly uncheckedSchemas: (exposed: Snapshot["byName"]) => ReadonlyArray<Diagnostic.Diagnostic>
  readonly closed: Effect.Effect<void>
  readonly isClosed: () => boolean
  readonly maxOutput: number
  readonly callId: () => string
  readonly defectId: () => string
}

/** `show` narrows a snapshot, and gives the same result for the same one. */
export const makeService = (core: ToolkitCore, show: (snapshot: Snapshot) => Snapshot): ToolkitService => {
  const now = () => show(SubscriptionRef.getUnsafe(core.snapshots))
  const snapshot = Effect.sync(now)
  const call: ToolkitService["call"] = (name, args, options) =>
    Effect.suspend(() => callTool(now(), core.isClosed(), core.callId, name, args, options))
  return {
    snapshot,
    changes: changesOf(core.snapshots, core.closed, show),
    ...fields(snapshot),
    diagnostics: Effect.map(snapshot, ({ byName, diagnostics }) => [...diagnostics, ...core.uncheckedSchemas(byName)]),
    get: (name) => Effect.map(snapshot, ({ byName }) => Option.fromUndefinedOr(byName.get(name))),
    call,
    execute: (name, args, options) => executeTool(call(name, args, options), core.defectId, core.maxOutput),
    register: core.register,
    unregister: core.unregister,
    addAgent: core.addAgent,
    waitFor: core.waitFor,
    view: (options: ViewOptions) => makeService(core, narrow(options, show))
  }
}

const fields = (snapshot: Effect.Effect<Snapshot>) => {
  const field = <K extends keyof Snapshot>(key: K) => Effect.map(snapshot, (now) => now[key])
  const tools = field("tools")
  return {
    tools,
    toolNames: field("toolNames"),
    entries: field("entries"),
    statuses: field("statuses"),
    errors: field("errors"),
    sources: field("sources"),
    shadowed: field("shadowed"),
    skills: field("skills"),
    skillsPrompt: field("skillsPrompt"),
    toOpenAI: toOpenAI(tools),
    toAnthropic: onceEach(tools, ProviderSchema.toAnthropic),
    toGemini: onceEach(tools, ProviderSchema.toGemini)
  }
}

/** Rendered once for each list of tools, and shared by all who ask. */
const onceEach = <A>(tools: ToolkitService["tools"], render: (tools: ReadonlyArray<Tool.Tool>) => A) => {
  const rendered = new WeakMap<ReadonlyArray<Tool.Tool>, { readonly shape: A }>()
  return () =>
    Effect.map(tools, (now) => {
      const before = rendered.get(now)
      if (before !== undefined) return before.shape
      const shape = render(now)
      rendered.set(now, { shape })
      return shape
    })
}

const toOpenAI = (tools: ToolkitService["tools"]): ToolkitService["toOpenAI"] => {
  const chat = onceEach(tools, ProviderSchema.toOpenAIChat)
  const responses = onceEach(tools, ProviderSchema.toOpenAIResponses)
  function render(options?: { readonly mode?: "chat" }): Effect.Effect<ReadonlyArray<ProviderSchema.OpenAIChatTool>>
  function render(
    options: { readonly mode: "responses" }
  ): Effect.Effect<ReadonlyArray<ProviderSchema.OpenAIResponsesTool>>
  function render(options?: { readonly mode?: "chat" | "responses" }) {
    return options?.mode === "responses" ? responses() : chat()
  }
  return render
}

/**
 * The fold as a layer: source layers in precedence order become one {@link Toolkit}. They are built concurrently under
 * one memo map, so that a dependency they share is built once, each in a scope of its own, and closed in parallel.
 *
 * `ToolkitLive` is the ready-made list of sources on Node; `ToolkitOptions.layer` the same on any platform.
 *
 * @since 0.1.0
 */
import { ProviderSchema, type Snapshot, Source, Toolkit } from "@effect-toolnexus/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { callTool, executeTool } from "./internal/callTool.ts"
import { fold, type FoldOptions } from "./internal/fold.ts"

/**
 * How the sources are folded.
 *
 * @category models
 * @since 0.1.0
 */
export interface FoldSettings {
  /** Final names that are taken out after the merge. Default: none. */
  readonly disableTools?: ReadonlyArray<string>
  /** Whether a builtin gives way to a tool of one's own with its name, whatever the order. Default: false. */
  readonly replaceableBuiltins?: boolean
}

/**
 * A toolkit of any sources, in the order of their precedence: of two tools with one name the first is exposed.
 *
 * **Details**
 *
 * Services that the sources provide beside `Source` are passed on.
 *
 * **Example**
 *
 * ```ts
 * const MyToolkit = ToolkitLayer.make([ExtraSource.layer([weather]), BuiltinSource.layer(true)])
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export function make<const Sources extends ReadonlyArray<Layer.Layer<Source, unknown, unknown>>>(
  sources: Sources,
  settings?: FoldSettings
): Layer.Layer<
  Toolkit | Exclude<Layer.Success<Sources[number]>, Source>,
  Layer.Error<Sources[number]>,
  Layer.Services<Sources[number]>
>
export function make<S, E, R>(
  sources: ReadonlyArray<Layer.Layer<Source | S, E, R>>,
  settings?: FoldSettings
): Layer.Layer<Toolkit | Exclude<S, Source>, E, R> {
  return Layer.effectContext(Effect.gen(function*() {
    const contexts = yield* buildSources(sources)
    const built = contexts.map((context) => Context.get(context, Source))
    yield* Effect.forEach(built, Source.settled, { concurrency: "unbounded", discard: true })
    const toolkit = yield* makeToolkit(built, {
      disableTools: settings?.disableTools ?? [],
      replaceableBuiltins: settings?.replaceableBuiltins ?? false
    })
    return Context.add(Context.omit(Source)(Context.mergeAll(...contexts)), Toolkit, toolkit)
  }))
}

const buildSources = Effect.fnUntraced(function*<S, E, R>(sources: ReadonlyArray<Layer.Layer<Source | S, E, R>>) {
  const memoMap = Layer.CurrentMemoMap.forkOrCreate(yield* Effect.context())
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  return yield* Effect.forEach(
    sources,
    Effect.fnUntraced(function*(source) {
      return yield* Layer.buildWithMemoMap(source, memoMap, yield* Scope.fork(scope))
    }),
    { concurrency: "unbounded" }
  )
})

const makeToolkit = Effect.fnUntraced(function*(sources: ReadonlyArray<Source["Service"]>, options: FoldOptions) {
  const snapshots = yield* foldSources(sources, options)
  const snapshot = SubscriptionRef.get(snapshots)
  const context = {
    snapshot: () => SubscriptionRef.getUnsafe(snapshots),
    isClosed: yield* closedFlag,
    nextCallId: yield* sequence("call")
  }
  const nextDefectId = yield* sequence("error")
  const call: Toolkit["Service"]["call"] = (name, args, callOptions) => callTool(context, name, args, callOptions)
  return Toolkit.of({
    snapshot,
    changes: SubscriptionRef.changes(snapshots),
    ...views(snapshot),
    get: (name) => Effect.map(snapshot, ({ byName }) => Option.fromUndefinedOr(byName.get(name))),
    call,
    execute: (name, args, callOptions) => executeTool(call(name, args, callOptions), nextDefectId)
  })
})

/** The snapshot of all sources, folded anew whenever one of them changes. */
const foldSources = Effect.fnUntraced(function*(sources: ReadonlyArray<Source["Service"]>, options: FoldOptions) {
  const current = () => sources.map(({ entries, kind }) => ({ kind, entries: SubscriptionRef.getUnsafe(entries) }))
  let folded = current()
  const snapshots = yield* SubscriptionRef.make(fold(folded, options))
  // inside the update, so that a slower fold can't put an older state over a newer one
  const refold = SubscriptionRef.update(snapshots, (snapshot) => {
    const next = current()
    if (next.every(({ entries }, index) => entries === folded[index]?.entries)) return snapshot
    folded = next
    return fold(next, options)
  })
  yield* Stream.mergeAll(sources.map(({ entries }) => SubscriptionRef.changes(entries)), { concurrency: "unbounded" })
    .pipe(
      Stream.runForEach(() => refold),
      Effect.forkScoped({ startImmediately: true })
    )
  return snapshots
})

/** False until the toolkit's scope closes. Read by every call, so it is no Ref. */
const closedFlag = Effect.gen(function*() {
  let closed = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
    })
  )
  return () => closed
})

/** Ids that differ from toolkit to toolkit and from call to call. */
const sequence = (prefix: string) =>
  Effect.map(Random.nextIntBetween(0, 0x1_0000_0000), (toolkit) => {
    let count = 0
    return () => `${prefix}-${toolkit.toString(36)}-${++count}`
  })

const views = (snapshot: Effect.Effect<Snapshot>) => {
  const view = <K extends keyof Snapshot>(key: K) => Effect.map(snapshot, (now) => now[key])
  const tools = view("tools")
  return {
    tools,
    toolNames: view("toolNames"),
    entries: view("entries"),
    statuses: view("statuses"),
    errors: view("errors"),
    sources: view("sources"),
    shadowed: view("shadowed"),
    diagnostics: view("diagnostics"),
    skills: view("skills"),
    skillsPrompt: view("skillsPrompt"),
    toOpenAI: toOpenAI(tools),
    toAnthropic: () => Effect.map(tools, ProviderSchema.toAnthropic),
    toGemini: () => Effect.map(tools, ProviderSchema.toGemini)
  }
}

const toOpenAI = (tools: Toolkit["Service"]["tools"]): Toolkit["Service"]["toOpenAI"] => {
  function render(options?: { readonly mode?: "chat" }): Effect.Effect<ReadonlyArray<ProviderSchema.OpenAIChatTool>>
  function render(
    options: { readonly mode: "responses" }
  ): Effect.Effect<ReadonlyArray<ProviderSchema.OpenAIResponsesTool>>
  function render(options?: { readonly mode?: "chat" | "responses" }) {
    return options?.mode === "responses"
      ? Effect.map(tools, ProviderSchema.toOpenAIResponses)
      : Effect.map(tools, ProviderSchema.toOpenAIChat)
  }
  return render
}

/**
 * The fold as a layer: source layers in precedence order become one {@link Toolkit}. They are built concurrently under
 * one memo map, so that a dependency they share is built once, each in a scope of its own, and closed in parallel.
 *
 * `ToolkitLive` is the ready-made list of sources on Node; `ToolkitOptions.layer` the same on any platform.
 *
 * @since 0.1.0
 */
import {
  AgentRegistry,
  Defect,
  HostResolver,
  InlineResolver,
  type Middleware,
  ProviderSchema,
  type Resolver,
  Source,
  SourceEntry,
  type Tool,
  Toolkit,
  ToolResult
} from "@effect-toolnexus/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { makeAddAgent } from "./internal/addAgent.ts"
import { makeAnsweredRequests } from "./internal/answeredRequests.ts"
import { makeCheckedResolver } from "./internal/checkedResolver.ts"
import { logFailures } from "./internal/failureLog.ts"
import { foldSources } from "./internal/foldedSources.ts"
import { makeEntryPipe } from "./internal/pipedEntry.ts"
import { failOnErrorResult, limitTime, makePipeline } from "./internal/pipeline.ts"
import { makeRegisteredTools } from "./internal/registeredTools.ts"
import { makeRunningCalls } from "./internal/runningCalls.ts"
import { makeSuspensions } from "./internal/suspensions.ts"
import { makeService, type ToolkitCore } from "./internal/toolkitService.ts"
import { makeValidation, type Validation } from "./internal/validation.ts"
import * as Policy from "./Policy.ts"
import * as Telemetry from "./Telemetry.ts"

/**
 * How the sources are folded, and what stands in a call's way.
 *
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  /** Final names that are taken out after the merge. Default: none. */
  readonly disableTools?: ReadonlyArray<string>
  /** Whether a builtin gives way to a tool of one's own with its name, whatever the order. Default: false. */
  readonly replaceableBuiltins?: boolean
  /** Stages around every call, the first outermost, behind the check of its arguments and within its time limit. */
  readonly middleware?: ReadonlyArray<Middleware.Middleware>
  /** The most characters of output that a result keeps: a whole number of at least 200. Default: 100000. */
  readonly maxOutput?: number
  /** `background` returns at once, and entries appear as they come; required ones are waited for. Default: `wait`. */
  readonly startup?: "wait" | "background"
  /** Who answers suspensions inline. Default: the service `HostResolver`, which is nobody: requests go to the caller. */
  readonly waitFor?: Resolver
  /** Which calls are allowed, asked for, and refused. Default: all are allowed. */
  readonly policy?: Policy.Policy
}

/**
 * A toolkit of any sources, in the order of their precedence: of two tools with one name the first is exposed.
 *
 * **Details**
 *
 * Services that the sources provide beside `Source` are passed on. The build fails with `RequiredEntriesFailed` where an
 * entry that its owner calls required has failed, and not for any other entry: of that the log has a warning (`LogFailures`).
 *
 * **Gotchas**
 *
 * Two sources that provide one service beside `Source`, e.g. two `McpSource.layer`, hand on the last one's only; give
 * one source all of its servers.
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
  settings?: Settings
): Layer.Layer<
  Toolkit | Exclude<Layer.Success<Sources[number]>, Source>,
  Layer.Error<Sources[number]> | SourceEntry.RequiredEntriesFailed,
  Layer.Services<Sources[number]>
>
export function make<S, E, R>(
  sources: ReadonlyArray<Layer.Layer<Source | S, E, R>>,
  settings: Settings = {}
): Layer.Layer<Toolkit | Exclude<S, Source>, E | SourceEntry.RequiredEntriesFailed, R> {
  checkMaxOutput(settings.maxOutput)
  return Layer.effectContext(
    Effect.gen(function*() {
      const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
      const waitFor = settings.waitFor ?? (yield* HostResolver)
      const validation = makeValidation()
      const inline = waitFor ?? (yield* InlineResolver)
      const asking = inline === undefined ? undefined : makeCheckedResolver(inline, validation.check)
      const built = yield* Effect.provideService(buildSources(sources, scope), HostResolver, asking)
      const services = Context.mergeAll(...built.flatMap((each) => each.services ?? []))
      const live = built.map(({ source }) => source)
      yield* awaitEntries(live, settings.startup ?? "wait")
      const toolkit = yield* makeToolkit(live, settings, {
        registry: Context.getOption(services, AgentRegistry),
        waitFor,
        validation
      })
      return Context.add(Context.omit(Source)(services), Toolkit, toolkit)
    }).pipe(Effect.withSpan("toolkit.build"))
  )
}

/** A mistake of the program, and so told at once. */
const checkMaxOutput = (maxOutput: number = ToolResult.MAX_OUTPUT): void => {
  if (Number.isInteger(maxOutput) && maxOutput >= ToolResult.MIN_MAX_OUTPUT) return
  throw new TypeError(`maxOutput must be a whole number of at least ${ToolResult.MIN_MAX_OUTPUT}, but is ${maxOutput}`)
}

/** A source, and whatever it provides beside that: nothing, if it broke. */
interface Built<S> {
  readonly source: Source["Service"]
  readonly services?: Context.Context<Source | S>
}

const buildSources = Effect.fnUntraced(
  function*<S, E, R>(sources: ReadonlyArray<Layer.Layer<Source | S, E, R>>, scope: Scope.Scope) {
    const memoMap = Layer.CurrentMemoMap.forkOrCreate(yield* Effect.context())
    const build = Effect.fnUntraced(function*(layer: Layer.Layer<Source | S, E, R>) {
      const services = yield* Layer.buildWithMemoMap(layer, memoMap, yield* Scope.fork(scope))
      const built: Built<S> = { source: Context.get(services, Source), services }
      return built
    })
    return yield* Effect.forEach(
      sources,
      (layer) => Effect.catchDefect(build(layer), (defect) => brokenSource<S>(defect)),
      {
        concurrency: "unbounded"
      }
    )
  }
)

/** A source that breaks while it is built is a failed entry like any other; what broke is for the log. */
const brokenSource = Effect.fnUntraced(function*<S>(defect: unknown): Effect.fn.Return<Built<S>> {
  const id = yield* Defect.log("a source", defect)
  const detail = `it broke unexpectedly (${id})`
  const error = new SourceEntry.EntryError({ kind: "extra", entry: `source ${id}`, phase: "list", detail })
  const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([SourceEntry.failed(error)])
  return { source: { kind: "extra", entries } }
})

/** Until no entry that counts is on its first way any more; then those that had to succeed must have. */
const awaitEntries = Effect.fnUntraced(
  function*(sources: ReadonlyArray<Source["Service"]>, startup: "wait" | "background") {
    const counts = startup === "wait" ? () => true : isRequired
    const settled = yield* Effect.forEach(sources, (source) => Source.settled(source, counts), {
      concurrency: "unbounded"
    })
    const failures = settled.flat().flatMap((entry) => isRequired(entry) && "error" in entry ? [entry.error] : [])
    return failures.length === 0 ? undefined : yield* new SourceEntry.RequiredEntriesFailed({ entries: failures })
  }
)

const isRequired = ({ required }: SourceEntry.SourceEntry): boolean => required === true

/** What the sources and the pipeline have in common. */
interface Shared {
  readonly registry: Option.Option<AgentRegistry["Service"]>
  readonly waitFor: Resolver | undefined
  readonly validation: Validation
}

const makeToolkit = Effect.fnUntraced(
  function*(
    sources: ReadonlyArray<Source["Service"]>,
    settings: Settings,
    { registry, validation, waitFor }: Shared
  ) {
    const { maxOutput = ToolResult.MAX_OUTPUT, policy: rules = [] } = settings
    const trusted = new WeakSet<Tool.Tool>()
    const isTrusted = (tool: Tool.Tool) => trusted.has(tool)
    const policy = Policy.makeStage(rules, isTrusted)
    const answered = makeAnsweredRequests()
    const running = yield* makeRunningCalls(maxOutput)
    const registered = yield* makeRegisteredTools
    const folded = yield* foldSources(sources, {
      disableTools: settings.disableTools ?? [],
      replaceableBuiltins: settings.replaceableBuiltins ?? false,
      pipe: makeEntryPipe(
        makePipeline([
          running.stage,
          makeSuspensions({ resolver: waitFor, check: validation.check, answered, isGate: policy.isGate }),
          Telemetry.makeStage(),
          validation.checkArguments,
          policy.stage,
          limitTime,
          ...around(settings.middleware ?? [], validation.checkOutput),
          failOnErrorResult
        ]),
        trusted
      )
    })
    yield* folded.add(registered.source)
    yield* logFailures(folded.snapshots)
    const core: ToolkitCore = {
      ...registered,
      waitFor,
      check: validation.check,
      asks: policy.asks,
      answered,
      unmatchedRules: (tools) => Policy.unmatched(rules, tools, isTrusted),
      addAgent: makeAddAgent({ ...running, ...folded, registry }),
      snapshots: folded.snapshots,
      current: folded.current,
      uncheckedSchemas: validation.diagnostics,
      closed: running.closed,
      isClosed: running.isClosed,
      maxOutput,
      schemas: ProviderSchema.make(),
      callId: yield* callIds
    }
    return makeService(core, (snapshot) => snapshot)
  }
)

/** The host's own stages see a result that is a success or a failure, and so does whoever called them. */
const around = (
  middleware: ReadonlyArray<Middleware.Middleware>,
  checkOutput: Middleware.Middleware
): ReadonlyArray<Middleware.Middleware> =>
  middleware.length === 0 ? [checkOutput] : [failOnErrorResult, checkOutput, ...middleware]

/** Ids that differ from toolkit to toolkit and from call to call, and cost no randomness per call. */
const callIds = Effect.map(Random.nextIntBetween(0, 0x1_0000_0000), (toolkit) => {
  const start = `call-${toolkit.toString(36)}-`
  let count = 0
  return () => `${start}${++count}`
})

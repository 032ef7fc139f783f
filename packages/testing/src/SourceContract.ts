/**
 * What every source of a toolkit must keep to, as a suite of tests: a layer that never fails, entries that fail alone,
 * tools that are complete, calls that can be interrupted, and nothing left when it closes. Our own sources run it; a
 * source of yours should too.
 *
 * @since 0.1.0
 */
import type { Json, Tool } from "@effect-toolnexus/core"
import { Source, SourceEntry, ToolCall, ToolError } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { sleep } from "./internal/realTime.ts"
import { assertNothingLeft } from "./NothingLeft.ts"

/**
 * One call of a tool, by its name in the source.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExpectedCall {
  readonly tool: string
  readonly args: Json.JsonObject
}

/**
 * The source under test. Layers are built anew by each test, several times in some; what they need beside (servers,
 * folders, platform) they bring themselves, by `Layer.provide` or `Layer.unwrap`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly kind: SourceEntry.SourceKind
  readonly toolKind: Tool.ToolKind
  /** Good entries only. */
  readonly good: Layer.Layer<Source>
  /** The names of their tools, in order. */
  readonly tools: ReadonlyArray<string>
  /** A call that succeeds; its output must contain the text. */
  readonly call: ExpectedCall & { readonly output: string }
  /** A call that never ends by itself. */
  readonly hang?: ExpectedCall
  /** The good entries and a bad one, of that name; its error must mention the name, or another text. */
  readonly bad?: {
    readonly layer: Layer.Layer<Source>
    readonly entry: string
    readonly mentions?: string
  }
  /** A source that isn't built before long, e.g. with a server that never answers. Default: the good one. */
  readonly slow?: Layer.Layer<Source>
  /** Its tools hold nothing, and so work on when it is closed. Default: false. */
  readonly isPure?: boolean
}

/**
 * One rule, as an Effect that fails or dies where the source breaks it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Check {
  readonly name: string
  readonly check: Effect.Effect<void, unknown>
}

/**
 * Registers the suite. Everything runs in real time, one rule after the other, each within a minute.
 *
 * **Example**
 *
 * ```ts
 * sourceContract("McpSource", {
 *   kind: "mcp",
 *   toolKind: "mcp",
 *   good: McpSource.layer({ servers }).pipe(Layer.provide(Platform)),
 *   tools: ["weather_forecast"],
 *   call: { tool: "weather_forecast", args: { city: "Oslo" }, output: "Oslo" }
 * })
 * ```
 *
 * @category suites
 * @since 0.1.0
 */
export const sourceContract = (name: string, options: Options): void =>
  void describe(`${name} keeps the contract of sources`, () => {
    for (const rule of checks(options)) it.live(rule.name, () => rule.check, RULE_ENDS_WITHIN)
  })

/**
 * The rules themselves, for another test runner.
 *
 * @category suites
 * @since 0.1.0
 */
export const checks = (options: Options): ReadonlyArray<Check> => [
  {
    name: "its entries settle",
    check: assertNothingLeft(checkEntries(options))
  },
  {
    name: "each tool has a name, an object schema and an origin of its kind",
    check: assertNothingLeft(checkTools(options))
  },
  { name: "a call answers", check: assertNothingLeft(Effect.flatMap(build(options.good), checkCall(options))) },
  ...(options.bad === undefined
    ? []
    : [{
      name: "a bad entry costs only itself, and says why",
      check: assertNothingLeft(checkBad(options, options.bad))
    }]),
  ...(options.hang === undefined
    ? []
    : [{
      name: "an interrupted call ends promptly, and leaves the source usable",
      check: assertNothingLeft(checkInterruptedCall(options, options.hang))
    }]),
  { name: "building can be interrupted, and leaves nothing", check: assertNothingLeft(checkInterruptedBuild(options)) },
  { name: "a call after the close fails with a typed error", check: assertNothingLeft(checkClosed(options)) },
  { name: "many builds and closes leave no more than one", check: checkCycles(options) },
  { name: "two builds share nothing", check: assertNothingLeft(checkTwoBuilds(options)) }
]

/** Many a rule says only after seconds what is broken, and a runner gives a test five where nobody asks for more. */
const RULE_ENDS_WITHIN = 60_000

/** A good server is there in a second, and a bad one should be given a limit below this. */
const SETTLES_WITHIN = 10_000

/** Interrupting a call tells the other end and goes; it doesn't wait for an answer. */
const CALL_ENDS_WITHIN = 1000

/** Closing a stubborn server takes up to 2.5 s. */
const BUILD_ENDS_WITHIN = 4000

/** Long enough for what was started to have become busy. */
const GET_BUSY = 150

const CYCLES = 5

const build = (layer: Layer.Layer<Source>): Effect.Effect<Source["Service"], never, Scope.Scope> =>
  // fresh: a layer that the tests around it have built already would be handed out again
  Effect.flatMap(Layer.build(Layer.fresh(layer)), (context) => Effect.provideContext(Source, context)).pipe(
    Effect.tap(settle)
  )

const settle = Effect.fnUntraced(function*(source: Source["Service"]) {
  const hasSettled = yield* Effect.raceFirst(
    Effect.as(Source.settled(source), true),
    Effect.as(sleep(SETTLES_WITHIN), false)
  )
  const connecting = (yield* SubscriptionRef.get(source.entries)).filter(({ _tag }) => _tag === "Connecting")
  const names = connecting.map(({ name }) => name).join(", ")
  assert.isTrue(hasSettled, `still connecting after ${SETTLES_WITHIN} ms: ${names}`)
})

const toolsOf = (entries: ReadonlyArray<SourceEntry.SourceEntry>) => entries.flatMap(({ tools }) => tools)

const checkEntries = Effect.fnUntraced(function*({ good, kind, tools }: Options) {
  const source = yield* build(good)
  assert.strictEqual(source.kind, kind)
  const entries = yield* SubscriptionRef.get(source.entries)
  assert.isNotEmpty(entries)
  for (const entry of entries) assert.include(["connected", "disabled"], SourceEntry.status(entry), entry.name)
  assert.deepStrictEqual(toolsOf(entries).map(({ name }) => name), tools)
})

const checkTools = Effect.fnUntraced(function*({ good, toolKind }: Options) {
  const source = yield* build(good)
  for (const tool of toolsOf(yield* SubscriptionRef.get(source.entries))) {
    assert.notStrictEqual(tool.name.trim(), "")
    assert.isString(tool.description, tool.name)
    assert.strictEqual(tool.inputSchema.type, "object", tool.name)
    assert.isTrue(isJson(tool.inputSchema), `${tool.name}: its schema must be plain JSON`)
    assert.strictEqual(tool.source, toolKind, tool.name)
    assert.strictEqual(tool.origin.kind, tool.source, tool.name)
    assert.notStrictEqual(tool.origin.name, "", tool.name)
  }
})

const isJson = Schema.is(Schema.Json)

const findTool = Effect.fnUntraced(function*(source: Source["Service"], name: string) {
  const tool = toolsOf(yield* SubscriptionRef.get(source.entries)).find((candidate) => candidate.name === name)
  return tool ?? (yield* Effect.die(`There is no tool ${name} to call`))
})

const run = (tool: Tool.Tool, args: Json.JsonObject) => tool.handler(args, ToolCall.make(tool.name, "contract"))

const call = (source: Source["Service"], { args, tool: name }: ExpectedCall) =>
  Effect.flatMap(findTool(source, name), (tool) => run(tool, args))

const checkCall = (options: Options) => (source: Source["Service"]) =>
  Effect.map(call(source, options.call), ({ isError, output }) => {
    assert.isFalse(isError, output)
    assert.include(output, options.call.output)
    assert.notStrictEqual(output.trim(), "")
  })

const checkBad = Effect.fnUntraced(function*(options: Options, bad: NonNullable<Options["bad"]>) {
  const source = yield* build(bad.layer)
  const entries = yield* SubscriptionRef.get(source.entries)
  const failed = entries.filter((entry) => SourceEntry.status(entry) === "failed")
  assert.deepStrictEqual(failed.map(({ name }) => name), [bad.entry])
  for (const entry of failed) {
    if (!("error" in entry)) continue
    assert.strictEqual(entry.error.entry, bad.entry)
    assert.include(entry.error.message, bad.mentions ?? bad.entry)
    assert.notStrictEqual(entry.error.detail.trim(), "")
  }
  assert.deepStrictEqual(toolsOf(entries).map(({ name }) => name), options.tools)
  yield* checkCall(options)(source)
})

const checkInterruptedCall = Effect.fnUntraced(function*(options: Options, hang: ExpectedCall) {
  const source = yield* build(options.good)
  yield* interruptWhenBusy(call(source, hang), CALL_ENDS_WITHIN)
  yield* checkCall(options)(source)
})

const checkInterruptedBuild = ({ good, slow = good }: Options) =>
  interruptWhenBusy(Effect.scoped(Effect.andThen(build(slow), Effect.never)), BUILD_ENDS_WITHIN)

/** The fiber is detached, so that one that doesn't end can be reported rather than waited for. */
const interruptWhenBusy = <A, E>(effect: Effect.Effect<A, E>, endsWithin: number) =>
  Effect.acquireUseRelease(
    Effect.forkDetach(effect, { startImmediately: true }),
    Effect.fnUntraced(function*(fiber) {
      yield* sleep(GET_BUSY)
      assert.isUndefined(fiber.pollUnsafe(), "what should take long has ended by itself")
      const ended = yield* Effect.raceFirst(
        Effect.as(Fiber.interrupt(fiber), true),
        Effect.as(sleep(endsWithin), false)
      )
      assert.isTrue(ended, `still running ${endsWithin} ms after it was interrupted`)
    }),
    (fiber) => Effect.sync(() => fiber.interruptUnsafe())
  )

const checkClosed = Effect.fnUntraced(function*(options: Options) {
  const scope = yield* Scope.make()
  const source = yield* Scope.provide(build(options.good), scope)
  // kept from before the close, as a toolkit's snapshot keeps it
  const tool = yield* findTool(source, options.call.tool)
  yield* Scope.close(scope, Exit.void)
  if (options.isPure === true) return
  const exit = yield* Effect.exit(run(tool, options.call.args))
  const reasons = Exit.isFailure(exit) ? exit.cause.reasons : []
  assert.isTrue(
    reasons.filter(Cause.isFailReason).some(({ error }) => ToolError.isToolError(error)),
    `a call after the close gave ${String(exit)}`
  )
})

const checkCycles = (options: Options) => {
  const cycle = Effect.scoped(Effect.flatMap(build(options.good), checkCall(options)))
  // the first may load what is then kept
  return Effect.andThen(cycle, assertNothingLeft(Effect.repeat(cycle, { times: CYCLES - 1 })))
}

const checkTwoBuilds = Effect.fnUntraced(function*(options: Options) {
  const scope = yield* Scope.make()
  const first = yield* Scope.provide(build(options.good), scope)
  const second = yield* build(options.good)
  assert.notStrictEqual(first.entries, second.entries)
  yield* Effect.all([checkCall(options)(first), checkCall(options)(second)], { concurrency: "unbounded" })
  yield* Scope.close(scope, Exit.void)
  yield* checkCall(options)(second)
})

/** The toolkit without any protocol: folding many tools, reading a snapshot again, and a call of a plain function. */
import { defineTool, Source, SourceEntry, Toolkit } from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { ToolkitLayer } from "@effect-toolnexus/toolkit"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { measure } from "./harness.ts"

const SERVERS = 100
const TOOLS = 100

const toolsOf = (server: number) =>
  Array.from({ length: TOOLS }, (_, tool) => defineTool({ name: `server${server}_tool${tool}`, handler: () => "" }))
const entries = Array.from(
  { length: SERVERS },
  (_, server) => SourceEntry.loaded(`server${server}`, { tools: toolsOf(server) })
)
const changed = entries.with(50, SourceEntry.loaded("server50", { tools: toolsOf(1000) }))

/** 100 servers of 100 tools each, against putting the same tools into a Map by hand. */
export const merge = Effect.gen(function*() {
  const runPromise = Effect.runPromiseWith(yield* Effect.context())
  const ref = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>(entries)
  const source = Layer.succeed(Source, { kind: "mcp", entries: ref })
  const toolkit = Context.get(yield* Layer.build(ToolkitLayer.make([source])), Toolkit)
  let next = changed
  const change = Effect.gen(function*() {
    const first = yield* Deferred.make<void>()
    const seen = yield* toolkit.changes.pipe(
      Stream.tap(() => Deferred.succeed(first, undefined)),
      Stream.take(2),
      Stream.runDrain,
      Effect.forkChild
    )
    yield* Deferred.await(first)
    yield* SubscriptionRef.set(ref, next)
    next = next === changed ? entries : changed
    yield* Fiber.join(seen)
  })
  yield* measure({
    title: `${SERVERS * TOOLS} tools: a map of their names, and a snapshot`,
    batch: 1,
    samples: 15,
    unit: "ms",
    contenders: [
      {
        name: "new Map(name, tool)",
        run: async () => new Map(entries.flatMap(({ tools }) => tools).map((tool) => [tool.name, tool]))
      },
      {
        name: "build of the toolkit",
        run: () => runPromise(Effect.scoped(Layer.build(ToolkitLayer.make([source]))))
      },
      { name: "one server changes, seen by a reader", run: () => runPromise(change) }
    ]
  })
  yield* measure({
    title: "Reading an unchanged snapshot again",
    batch: 10_000,
    samples: 15,
    unit: "µs",
    contenders: [
      { name: "Effect.succeed", run: () => runPromise(Effect.succeed(1)) },
      { name: "toolkit.tools", run: () => runPromise(toolkit.tools) }
    ]
  })
}).pipe(Effect.scoped)

/** What the pipeline costs where there is nothing behind it. */
export const ownFunction = Effect.gen(function*() {
  const runPromise = Effect.runPromiseWith(yield* Effect.context())
  const add = (args: { readonly [key: string]: unknown }) => String(Number(args["a"]) + Number(args["b"]))
  const input = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] }
  const tool = defineTool({ name: "add", input, handler: add })
  const toolkit = Context.get(yield* Layer.build(ToolkitLayer.make([ExtraSource.layer([tool])])), Toolkit)
  const args = { a: 1, b: 2 }
  yield* measure({
    title: "One call of a function in this process",
    batch: 2000,
    samples: 21,
    unit: "µs",
    contenders: [
      { name: "the function", run: async () => add(args) },
      { name: "the same in an Effect", run: () => runPromise(Effect.sync(() => add(args))) },
      { name: "toolkit.call", run: () => runPromise(toolkit.call("add", args)) }
    ]
  })
}).pipe(Effect.scoped)

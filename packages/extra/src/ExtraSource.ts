/**
 * Tools of one's own as a source: functions, endpoints, and the operations of OpenAPI documents. Functions and endpoints
 * have no status of their own; a document is an entry like any other.
 *
 * @since 0.1.0
 */
import { type Diagnostic, type HttpConnections, Source, SourceEntry, Tool } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as HttpTool from "./HttpTool.ts"
import { makeClosed } from "./internal/closed.ts"
import * as OpenApiTools from "./OpenApiTools.ts"

/**
 * What a host may give as a tool of its own.
 *
 * @category models
 * @since 0.1.0
 */
export type Item<R = never> = Tool.Tool<R> | HttpTool.HttpTool | OpenApiTools.OpenApiTools

/**
 * What it takes to reach a server, and to read what a configuration names.
 *
 * @category models
 * @since 0.1.0
 */
export type Platform = FileSystem.FileSystem | HttpConnections | Path.Path

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Entries whose definition couldn't even be decoded, to be listed after the others. */
  readonly failed?: ReadonlyArray<SourceEntry.SourceEntry>
}

/**
 * A source of the given tools, in the given order.
 *
 * **Details**
 *
 * What the handlers of functions ask for, the layer asks for. An endpoint whose headers can't be filled in is left out,
 * with a diagnostic. Documents come behind the others, each an entry of its own; all are read at once, while their entries
 * are `Connecting`.
 *
 * **Example**
 *
 * ```ts
 * ExtraSource.layer([defineTool({ name: "now", handler: () => Effect.map(DateTime.now, DateTime.formatIso) })])
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export function layer<R = never>(tools: ReadonlyArray<Tool.Tool<R>>): Layer.Layer<Source, never, R>
export function layer<R = never>(
  items: ReadonlyArray<Item<R>>,
  options?: Options
): Layer.Layer<Source, never, R | Platform>
export function layer<R = never>(
  items: ReadonlyArray<Item<R>>,
  { failed = [] }: Options = {}
): Layer.Layer<Source, never, R | Platform> {
  return Layer.effect(
    Source,
    Effect.gen(function*() {
      const own = yield* ownTools(items.filter(isOwn))
      const documents = items.filter(OpenApiTools.isOpenApiTools)
      const isEmpty = own.tools.length === 0 && own.diagnostics.length === 0
      const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([
        ...(isEmpty ? [] : [SourceEntry.loaded(ENTRY, { ...own, unlisted: true })]),
        ...documents.map(OpenApiTools.onItsWay),
        ...failed
      ])
      if (documents.length > 0) yield* readInto(entries, documents, isEmpty ? 0 : 1)
      return { kind: "extra" as const, entries }
    })
  )
}

const isOwn = <R>(item: Item<R>): item is Exclude<Item<R>, OpenApiTools.OpenApiTools> =>
  !OpenApiTools.isOpenApiTools(item)

/** Each into the place where its entry is waiting. */
const readInto = Effect.fnUntraced(
  function*(
    entries: SubscriptionRef.SubscriptionRef<ReadonlyArray<SourceEntry.SourceEntry>>,
    documents: ReadonlyArray<OpenApiTools.OpenApiTools>,
    offset: number
  ) {
    const path = yield* Path.Path
    const closed = yield* makeClosed
    for (const [index, document] of documents.entries()) {
      yield* Effect.forkScoped(
        Effect.flatMap(
          OpenApiTools.load(document, path.resolve("."), closed),
          (entry) => SubscriptionRef.update(entries, (all) => all.with(offset + index, entry))
        )
      )
    }
  }
)

const ENTRY = "<tools>"

const ownTools = Effect.fnUntraced(function*<R>(items: ReadonlyArray<Tool.Tool<R> | HttpTool.HttpTool>) {
  const context = yield* Effect.context<R>()
  const tools: Array<Tool.Tool> = []
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  for (const item of items) {
    if (!HttpTool.isHttpTool(item)) {
      tools.push(Tool.provideContext(item, context))
      continue
    }
    const connected = yield* Effect.result(HttpTool.connect(item))
    if (Result.isSuccess(connected)) tools.push(connected.success)
    else diagnostics.push(leftOut(item, connected.failure))
  }
  return { tools, diagnostics }
})

const leftOut = ({ name }: HttpTool.HttpTool, { detail }: SourceEntry.EntryError): Diagnostic.Diagnostic => ({
  level: "error",
  code: "tool-left-out",
  entry: name,
  message: `The tool "${name}" was left out: ${detail}`
})

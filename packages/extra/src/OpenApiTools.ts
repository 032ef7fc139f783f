/**
 * The operations of an OpenAPI document as tools (CONTRACT 9): one for each, named by its `operationId`, else by method
 * and path. The document is an entry like any other: one that can't be read is failed, and costs nothing else.
 *
 * @since 0.1.0
 */
import { EntryOptions, type HttpConnections, type Json, OptionCheck, SourceEntry } from "@effect-toolnexus/core"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { brokeUnexpectedly } from "./internal/entryFailure.ts"
import { check, entryName, type OpenApiDefinition, type OpenApiOptions } from "./OpenApiDefinition.ts"

const TypeId = Symbol.for("@effect-toolnexus/extra/OpenApiTools")

/**
 * A document that is to be read: an item of a toolkit's `tools`. Without a `folder` what is relative in it is so to the
 * working directory.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenApiTools {
  readonly [TypeId]: typeof TypeId
  /** The name of its entry. */
  readonly entry: string
  readonly definition: Omit<OpenApiDefinition, "folder"> & { readonly folder?: string }
}

/**
 * @category guards
 * @since 0.1.0
 */
export const isOpenApiTools = (value: unknown): value is OpenApiTools => Predicate.hasProperty(value, TypeId)

/**
 * All operations of a document, or those that are wanted.
 *
 * **Details**
 *
 * `document` is a URL, a path, the text of a document in JSON or YAML, or the document itself: OpenAPI 3.0 or 3.1, or
 * Swagger 2.0. Its entry is named by its URL or path, or its title.
 *
 * Parameters are arguments under their own names, and the body is the argument `body`; a name that stands in several
 * places is one argument for each (`path_id`, `query_id`). References within the document are followed, cyclic ones too.
 *
 * **Gotchas**
 *
 * A misspelled option throws a `TypeError` at once: an `exclude` that isn't read would leave everything in.
 *
 * **Example**
 *
 * ```ts
 * const layer = ToolkitLive({
 *   tools: [openApiTools("https://api.example/openapi.json", { security: { token: "${API_TOKEN}" }, exclude: ["DELETE"] })]
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const openApiTools = (document: string | Json.JsonObject, options: OpenApiOptions = {}): OpenApiTools => {
  OptionCheck.check(options, { owner: "openApiTools", keys: KEYS })
  return fromDefinition(entryName(document), { ...options, document })
}

/** What is wrong with their values is the failure of the entry. */
const KEYS: Readonly<Record<keyof OpenApiOptions, OptionCheck.Expectation>> = {
  baseUrl: OptionCheck.anything,
  headers: OptionCheck.anything,
  security: OptionCheck.anything,
  include: OptionCheck.anything,
  exclude: OptionCheck.anything,
  timeout: OptionCheck.anything,
  retry: OptionCheck.anything,
  required: OptionCheck.anything,
  trusted: OptionCheck.anything,
  maxConcurrent: OptionCheck.anything,
  enabled: OptionCheck.anything,
  disabled: OptionCheck.anything
}

/**
 * The same under a name of one's own: a document of a configuration.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromDefinition = (entry: string, definition: OpenApiTools["definition"]): OpenApiTools => ({
  [TypeId]: TypeId,
  entry,
  definition
})

/** What its entry is until the document has been read. */
export const onItsWay = ({ definition, entry }: OpenApiTools): SourceEntry.SourceEntry =>
  SourceEntry.connecting(entry, EntryOptions.flagsOf(definition))

/**
 * Reads the document. Never fails: what goes wrong is the entry's failure, or a diagnostic of it. The scope closes its
 * connections; `closed` ends the calls that are under way.
 *
 * @category operations
 * @since 0.1.0
 */
export const load = (
  { definition: given, entry }: OpenApiTools,
  folder: string,
  closed: Deferred.Deferred<void>
): Effect.Effect<
  SourceEntry.SourceEntry,
  never,
  FileSystem.FileSystem | HttpConnections | Path.Path | Scope.Scope
> =>
  Effect.suspend(() => Effect.fromResult(check(entry, { folder, ...given }))).pipe(
    Effect.flatMap((definition) =>
      EntryOptions.isDisabled(definition)
        ? Effect.succeed(SourceEntry.disabled(entry))
        : Effect.flatMap(
          // only who has a document needs what reads it
          Effect.promise(() => import("./internal/loadDocument.ts")),
          (module) => module.load(entry, definition, closed)
        )
    ),
    Effect.catchDefect((defect) => brokeUnexpectedly(entry, defect)),
    Effect.catch((error) =>
      Effect.succeed(
        error.challenge === undefined
          ? SourceEntry.failed(error, EntryOptions.flagsOf(given))
          : SourceEntry.needsAuth(error, EntryOptions.flagsOf(given))
      )
    )
  )

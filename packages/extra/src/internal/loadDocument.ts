/** From a definition to an entry: the document is read, and each of its operations becomes a tool or a diagnostic. */
import {
  type Diagnostic,
  EntryOptions,
  EntryTexts,
  HttpAddress,
  type Json,
  type Redaction,
  SourceEntry,
  Text,
  type Tool,
  Tracing
} from "@effect-toolnexus/core"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { OpenApiDefinition } from "../OpenApiDefinition.ts"
import { Budget } from "./budget.ts"
import { Definitions } from "./definitions.ts"
import { type Found, placeOf, read } from "./documentPlace.ts"
import { Endpoint } from "./endpoint.ts"
import { type CallSettings, DEFAULT_TIMEOUT, handler } from "./endpointCall.ts"
import { brokeUnexpectedly, failure } from "./entryFailure.ts"
import { objectAt } from "./json.ts"
import * as Filter from "./operationFilter.ts"
import { nameOperations, type Operation, operationsOf } from "./operations.ts"
import { type DocumentSettings, type OperationTool, toTool } from "./operationTool.ts"
import * as Security from "./security.ts"

/** Milliseconds: a document is a file, however long its operations take. */
const DOCUMENT_TIMEOUT = 30_000

export const load = Effect.fnUntraced(
  function*(entry: string, definition: OpenApiDefinition, closed: Deferred.Deferred<void>) {
    const settings = yield* resolve(entry, definition)
    return yield* Effect.catchDefect(
      readEntry(entry, definition, settings, closed),
      (defect) => brokeUnexpectedly(entry, defect, settings.endpoint.redact)
    )
  }
)

const readEntry = Effect.fnUntraced(
  function*(entry: string, definition: OpenApiDefinition, settings: Resolved, closed: Deferred.Deferred<void>) {
    const { endpoint } = settings
    const found = yield* Tracing.entrySpan(
      Effect.timeoutOrElse(read(entry, settings.place, settings), {
        duration: DOCUMENT_TIMEOUT,
        orElse: () => failure(entry, "connect", `the document did not come within ${DOCUMENT_TIMEOUT} ms`)
      }),
      "source.connect",
      { "toolnexus.source": "openapi", "toolnexus.entry": entry }
    )
    const permits = definition.maxConcurrent === undefined
      ? undefined
      : yield* Semaphore.make(definition.maxConcurrent)
    const timeout = definition.timeout ?? DEFAULT_TIMEOUT
    const namedFrom = settings.baseUrl === undefined ? found.reach : "machine"
    const call: CallSettings = { endpoint, namedFrom, timeout, mode: "auto", permits, closed }
    return yield* toEntry(entry, definition, settings, found, call)
  }
)

type Resolved = Effect.Success<ReturnType<typeof resolve>>

/** Everything that a host wrote, filled in. */
const resolve = Effect.fnUntraced(function*(entry: string, definition: OpenApiDefinition) {
  const texts = EntryTexts.make({ kind: "extra", entry, folder: definition.folder })
  const { address, place } = yield* placeOf(definition, texts)
  const base = definition.baseUrl === undefined
    ? undefined
    : HttpAddress.parse((yield* texts.expand("baseUrl", definition.baseUrl)).text)
  if (definition.baseUrl !== undefined && base === undefined) {
    return yield* texts.fail("baseUrl must be an http or https URL")
  }
  const headers = yield* texts.expandHeaders(definition.headers ?? {})
  const addresses = [address, base].filter((each) => each !== undefined)
  const security: Record<string, string> = Object.create(null)
  for (const [name, text] of Object.entries(definition.security ?? {})) {
    security[name] = (yield* texts.expand(`security.${name}`, text)).text
  }
  const endpoint = yield* Endpoint.make({
    entry,
    headers,
    addresses,
    secrets: [...texts.secrets, ...Security.secretsOf(security)],
    // a document, or a redirect, may name whatever it likes
    named: {
      ...(address === undefined ? {} : { asked: address.url }),
      urls: base === undefined ? [] : [base.url],
      advice: "give it as \"baseUrl\" (or as \"document\", where that is what is there)"
    },
    retry: definition.retry ?? "safe"
  })
  // headers that are meant for an API elsewhere are none of the document's business
  const isForeign = base !== undefined && place._tag === "Url" && base.url.origin !== place.url.origin
  const headerNames = [headers, ...addresses.map((each) => each.headers)].flatMap(Object.keys)
  return { place, baseUrl: base?.url, headerNames, security, endpoint, isForeign }
})

/** In values, between two rests. */
const MAX_WORK = 20_000

const toEntry = Effect.fnUntraced(
  function*(entry: string, definition: OpenApiDefinition, settings: Resolved, found: Found, call: CallSettings) {
    const { endpoint: { redact }, headerNames, security } = settings
    const { document } = found
    const place = { baseUrl: settings.baseUrl, documentUrl: found.url }
    const budget = new Budget()
    const definitions = new Definitions(document, budget)
    const documentSettings = { document, definitions, budget, place, headerNames, security }
    const { broken, candidates, unmatched } = yield* select(document, definition)
    const none = isWithoutOperations(document) ? [NO_OPERATIONS] : []
    const diagnostics: Array<Diagnostic.Diagnostic> = [...none, ...broken, ...unmatched].map((each) =>
      toDiagnostic(entry, redact, each)
    )
    const tools: Array<Tool.Tool> = []
    let rested = budget.left
    for (const [index, { name, operation }] of candidates.entries()) {
      // neither thousands of operations nor a few large ones are a reason to keep everybody else waiting
      if (index % 50 === 49 || rested - budget.left > MAX_WORK) {
        rested = budget.left
        yield* Effect.yieldNow
      }
      Result.match(toTool(documentSettings, operation), {
        onFailure: (problem) => void diagnostics.push(toDiagnostic(entry, redact, brokenOperation(operation, problem))),
        onSuccess: (tool) => void tools.push(makeTool(entry, name, operation, tool, call, found.url))
      })
    }
    diagnostics.push(
      ...credentialDiagnostics(documentSettings, candidates).map((each) => toDiagnostic(entry, redact, each))
    )
    return SourceEntry.loaded(entry, { tools, diagnostics, ...EntryOptions.flagsOf(definition) })
  }
)

interface Note {
  readonly level: Diagnostic.Diagnostic["level"]
  readonly code: string
  readonly path?: string
  readonly message: string
}

const isWithoutOperations = (document: Json.JsonObject): boolean =>
  Object.keys(objectAt(document, "paths")).length === 0

const NO_OPERATIONS: Note = {
  level: "warning",
  code: "no-operations",
  path: "paths",
  message: "The document has no paths, and so gives no tools"
}

const toDiagnostic = (entry: string, redact: Redaction.Redaction, note: Note): Diagnostic.Diagnostic => ({
  ...note,
  entry,
  message: redact(note.message)
})

const brokenOperation = ({ path, place }: Pick<Operation, "path" | "place">, problem: string): Note => ({
  level: "warning",
  code: "broken-operation",
  path: `paths.${path}`,
  message: `${place} was left out: ${problem}`
})

/** More than any program makes of one document; what is beyond it is told. */
const MAX_OPERATIONS = 10_000

const select = Effect.fnUntraced(function*(document: Found["document"], { exclude = [], include }: OpenApiDefinition) {
  const all = operationsOf(document, MAX_OPERATIONS)
  const taken = all.slice(0, MAX_OPERATIONS)
  const operations = taken.filter(Result.isSuccess).map(({ success }) => success)
  const broken: Array<Note> = taken.filter(Result.isFailure).map(({ failure: { path, problem } }) =>
    brokenOperation({ path, place: path }, problem)
  )
  if (all.length > MAX_OPERATIONS) {
    broken.push({
      level: "warning",
      code: "too-many-operations",
      message: `The document has more than ${MAX_OPERATIONS} operations; the others were left out`
    })
  }
  const names = yield* nameOperations(operations)
  const candidates = operations.map((operation): Filter.Candidate => ({ operation, name: names.get(operation) ?? "" }))
  const unmatched = [...Filter.unmatched(include ?? [], candidates), ...Filter.unmatched(exclude, candidates)].map((
    rule
  ): Note => ({
    level: "warning",
    code: "unknown-operation",
    message: `No operation, tag or method of the document is ${rule}`
  }))
  return { broken, unmatched, candidates: candidates.filter((each) => Filter.accepts({ include, exclude }, each)) }
})

const makeTool = (
  entry: string,
  name: string,
  { id, place }: Operation,
  { annotations, credentials, description, inputSchema, plan }: OperationTool,
  call: CallSettings,
  documentUrl: URL | undefined
): Tool.Tool => {
  const { redact } = call.endpoint
  return {
    name,
    description: redact(description),
    inputSchema,
    annotations,
    source: "http",
    origin: {
      kind: "http",
      entry,
      name: id === undefined || id.trim() === "" ? place : id,
      ...(documentUrl === undefined ? {} : { location: redact(HttpAddress.bareHref(documentUrl)) })
    },
    handler: handler(plan, call, credentials)
  }
}

/** So much of a document's names as a person reads, in characters. */
const MAX_LISTED = 500

const credentialDiagnostics = (
  { document, headerNames, security }: DocumentSettings,
  candidates: ReadonlyArray<Filter.Candidate>
): ReadonlyArray<Note> => {
  const schemes = Security.schemeNames(document)
  const known = Text.cut(schemes.join(", "), MAX_LISTED, "…")
  const unknown = Object.keys(security).filter((name) => !schemes.includes(name)).map((name): Note => ({
    level: "warning",
    code: "unknown-security-scheme",
    path: `security.${name}`,
    message: `The document has no security scheme ${JSON.stringify(name)}; it has ${known || "none"}`
  }))
  const isOpen = headerNames.length > 0 || Object.keys(security).length > 0
    || !candidates.some(({ operation: { operation } }) => Security.isDemanded(document, operation))
  return isOpen ? unknown : [...unknown, {
    level: "info",
    code: "needs-credentials",
    message: `Some operations ask for credentials (${known}); give them in "security" or "headers"`
  }]
}

/** A server's list of tools: every page of it, and each tool by itself, so that a broken one costs no other. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { RawTool, ToolList } from "../McpSession.ts"
import { diagnostic } from "./entryError.ts"

/** A server that pages for ever must end somewhere; no honest one comes near. */
const MAX_PAGES = 1000
const MAX_TOOLS = 10_000

export interface Page {
  readonly tools: ReadonlyArray<unknown>
  readonly cursor: string | undefined
}

export const readAllPages = Effect.fnUntraced(function*<E>(
  server: string,
  readPage: (cursor: string | undefined) => Effect.Effect<Page, E>
) {
  const tools: Array<RawTool> = []
  const diagnostics: Array<Diagnostic> = []
  const seen = new Set<string>()
  let listed = 0
  let cursor: string | undefined
  for (let pages = 1;; pages++) {
    const page = yield* readPage(cursor)
    for (const raw of page.tools.slice(0, MAX_TOOLS - listed)) readTool(server, raw, tools, diagnostics)
    listed += page.tools.length
    cursor = page.cursor
    const cut = whyEnd(cursor, seen, pages, listed)
    if (cut !== undefined) diagnostics.push(diagnostic(server, "warning", cut.code, cut.message))
    if (cut !== undefined || cursor === undefined) break
    seen.add(cursor)
  }
  const list: ToolList = { tools, diagnostics }
  return list
})

const whyEnd = (cursor: string | undefined, seen: ReadonlySet<string>, pages: number, listed: number) => {
  if (listed > MAX_TOOLS || (listed === MAX_TOOLS && cursor !== undefined)) {
    return { code: "list-cut", message: `its list of tools is cut after ${MAX_TOOLS} tools` }
  }
  if (cursor === undefined) return undefined
  if (seen.has(cursor)) {
    return { code: "repeated-cursor", message: "its list of tools repeats a page; what came until then is taken" }
  }
  if (pages < MAX_PAGES) return undefined
  return { code: "list-cut", message: `its list of tools is cut after ${MAX_PAGES} pages` }
}

/** Servers leave out, or send `null` for, what they don't have. */
const absent = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const JsonSchemaObject = Schema.Record(Schema.String, Schema.Unknown)

const Wire = Schema.Struct({
  name: Schema.NonEmptyString,
  description: absent(Schema.String),
  inputSchema: absent(JsonSchemaObject),
  outputSchema: Schema.optionalKey(Schema.Unknown),
  annotations: Schema.optionalKey(Schema.Unknown)
})

type Wire = Schema.Schema.Type<typeof Wire>

const decode = Schema.decodeUnknownResult(Wire)

const readTool = (server: string, raw: unknown, tools: Array<RawTool>, diagnostics: Array<Diagnostic>) => {
  const decoded = decode(raw)
  if (Result.isFailure(decoded)) {
    diagnostics.push(malformed(server, raw, decoded.failure.message.replaceAll(/\s+/g, " ")))
    return
  }
  const tool = decoded.success
  const schema = tool.inputSchema ?? {}
  const type = schema["type"]
  if (type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))) {
    tools.push(toRawTool(tool, { ...schema, type: "object" }))
  } else {
    diagnostics.push(malformed(server, raw, `the type of its input schema is not "object"`))
  }
}

const malformed = (server: string, raw: unknown, problem: string): Diagnostic => {
  const name = Predicate.hasProperty(raw, "name") && typeof raw.name === "string" && raw.name !== ""
    ? `the tool "${raw.name}"`
    : "a tool without a name"
  return diagnostic(server, "warning", "malformed-tool", `${name} is left out: ${problem}`.slice(0, 500).toWellFormed())
}

const toRawTool = (tool: Wire, inputSchema: RawTool["inputSchema"]): RawTool => {
  const annotations = readAnnotations(tool.annotations)
  return {
    name: tool.name,
    description: tool.description ?? "",
    inputSchema,
    ...(isSchema(tool.outputSchema) ? { outputSchema: tool.outputSchema } : {}),
    ...(annotations === undefined ? {} : { annotations })
  }
}

const isSchema = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !Array.isArray(value)

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const

/** A hint of the wrong type is no hint. */
const readAnnotations = (raw: unknown): RawTool["annotations"] => {
  if (!isSchema(raw)) return undefined
  const hints = HINTS.flatMap((hint) => {
    const value = raw[hint]
    return typeof value === "boolean" ? [[hint, value] as const] : []
  })
  const title = raw["title"]
  return { ...(typeof title === "string" ? { title } : {}), ...Object.fromEntries(hints) }
}

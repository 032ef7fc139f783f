/** A server's list of tools: every page of it, and each tool by itself, so that a broken one costs no other. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import { type Bounds, isWithin } from "@effect-toolnexus/core/Json"
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { RawTool, ToolList } from "../McpSession.ts"
import { cutText } from "./cutText.ts"
import { diagnostic } from "./entryError.ts"

/** A server that pages for ever must end somewhere; no honest one comes near. */
const MAX_PAGES = 1000
const MAX_TOOLS = 10_000
/** Of all pages together, in characters: each page by itself is bounded by the length of a line. */
const MAX_TEXT = 64 * 1024 * 1024

export interface Page {
  readonly tools: ReadonlyArray<unknown>
  readonly cursor: string | undefined
}

export const readAllPages = Effect.fnUntraced(function*<E>(
  server: string,
  redact: Redaction,
  readPage: (cursor: string | undefined) => Effect.Effect<Page, E>
) {
  const tools: Array<RawTool> = []
  const diagnostics: Array<Diagnostic> = []
  const seen = new Set<string>()
  const read = { listed: 0, text: 0 }
  let cursor: string | undefined
  for (let pages = 1;; pages++) {
    const page = yield* readPage(cursor)
    for (const raw of page.tools.slice(0, MAX_TOOLS - read.listed)) {
      read.text += lengthOf(raw, MAX_TEXT - read.text)
      if (read.text > MAX_TEXT) break
      readTool({ server, redact, tools, diagnostics }, raw)
    }
    read.listed += page.tools.length
    cursor = page.cursor
    read.text += cursor?.length ?? 0
    const cut = whyEnd(cursor, seen, pages, read)
    if (cut !== undefined) diagnostics.push(diagnostic(server, "warning", cut.code, cut.message))
    if (cut !== undefined || cursor === undefined) break
    seen.add(cursor)
  }
  const list: ToolList = { tools, diagnostics }
  return list
})

/** What was read so far: tools, and characters. */
interface Extent {
  readonly listed: number
  readonly text: number
}

const whyEnd = (cursor: string | undefined, seen: ReadonlySet<string>, pages: number, { listed, text }: Extent) => {
  if (text > MAX_TEXT) return cutAfter(`${MAX_TEXT} characters`)
  if (listed > MAX_TOOLS || (listed === MAX_TOOLS && cursor !== undefined)) return cutAfter(`${MAX_TOOLS} tools`)
  if (cursor === undefined) return undefined
  if (seen.has(cursor)) {
    return { code: "repeated-cursor", message: "its list of tools repeats a page; what came until then is taken" }
  }
  return pages < MAX_PAGES ? undefined : cutAfter(`${MAX_PAGES} pages`)
}

const cutAfter = (bound: string) => ({ code: "list-cut", message: `its list of tools is cut after ${bound}` })

/** What a number, a comma or a pair of quotes comes to: much of it is much as well. */
const VALUE_LENGTH = 4

/** About how many characters a value is long, as far as it matters. Not recursive, for it may be of any depth. */
const lengthOf = (value: unknown, limit: number): number => {
  const waiting: Array<unknown> = [value]
  let length = 0
  while (waiting.length > 0 && length <= limit) {
    const current = waiting.pop()
    length += VALUE_LENGTH + (typeof current === "string" ? current.length : 0)
    if (!Predicate.isObjectOrArray(current)) continue
    const isList = Array.isArray(current)
    // counted before they are looked at one by one: there may be millions
    if (isList && current.length * VALUE_LENGTH > limit - length) return limit + 1
    if (!isList) { for (const key of Object.keys(current)) length += key.length }
    for (const inner of isList ? current : Object.values(current)) waiting.push(inner)
  }
  return length
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

/** Whatever compiles or lowers a schema recurses: one as deep as this would exhaust the stack long after it was listed. */
const BOUNDS: Bounds = { levels: 200, values: 100_000 }

/** Longer names are no names: they are in every request to a model, and in every message about the tool. */
const MAX_NAME = 1000
/** More than any model is told about one tool. */
const MAX_DESCRIPTION = 100_000

/** What is wrong with a tool is told in the server's own words, less the secrets it was given. */
interface Reading {
  readonly server: string
  readonly redact: Redaction
  readonly tools: Array<RawTool>
  readonly diagnostics: Array<Diagnostic>
}

const readTool = (reading: Reading, raw: unknown) => {
  const { diagnostics, tools } = reading
  if (!isWithin(raw, BOUNDS)) {
    const problem = `it is deeper than ${BOUNDS.levels} levels, or has more than ${BOUNDS.values} values`
    diagnostics.push(malformed(reading, raw, problem))
    return
  }
  const decoded = decode(raw)
  if (Result.isFailure(decoded)) {
    diagnostics.push(malformed(reading, raw, decoded.failure.message.replaceAll(/\s+/g, " ")))
    return
  }
  const tool = decoded.success
  const schema = tool.inputSchema ?? {}
  const type = schema["type"]
  if (tool.name.length > MAX_NAME) {
    diagnostics.push(malformed(reading, raw, `its name is longer than ${MAX_NAME} characters`))
  } else if (type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))) {
    tools.push(toRawTool(tool, { ...schema, type: "object" }))
    diagnostics.push(...descriptionDiagnostics(reading, tool))
  } else {
    diagnostics.push(malformed(reading, raw, `the type of its input schema is not "object"`))
  }
}

const descriptionDiagnostics = (
  { redact, server }: Reading,
  { description, name }: Wire
): ReadonlyArray<Diagnostic> => {
  if (description === null || description === undefined || description.length <= MAX_DESCRIPTION) return []
  const message = `the description of the tool "${shorten(name, redact)}" is cut after ${MAX_DESCRIPTION} of its `
    + `${description.length} characters`
  return [diagnostic(server, "warning", "description-cut", message)]
}

const SHOWN_NAME = 200

/** Cut only when secrets are out of it: what is left of one that was cut would be recognised by nobody. */
const shorten = (name: string, redact: Redaction): string => cutText(redact(name), SHOWN_NAME, "...")

const SHOWN_PROBLEM = 300

const malformed = ({ redact, server }: Reading, raw: unknown, problem: string): Diagnostic => {
  const name = Predicate.hasProperty(raw, "name") && typeof raw.name === "string" && raw.name !== ""
    ? `the tool "${shorten(raw.name, redact)}"`
    : "a tool without a name"
  return diagnostic(
    server,
    "warning",
    "malformed-tool",
    `${name} is left out: ${cutText(redact(problem), SHOWN_PROBLEM, "...")}`
  )
}

const toRawTool = (tool: Wire, inputSchema: RawTool["inputSchema"]): RawTool => {
  const annotations = readAnnotations(tool.annotations)
  return {
    name: tool.name,
    description: cutText(tool.description ?? "", MAX_DESCRIPTION),
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

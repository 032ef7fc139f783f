/** A server's list of tools, each by itself, so that a broken one costs no other. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { McpCallError } from "../McpError.ts"
import type { RawTool, ToolList } from "../McpSession.ts"
import {
  LONG_NAME,
  malformed,
  MAX_NAME,
  type Paged,
  readAllPages,
  readDescription,
  type Reading,
  requestPage
} from "./pages.ts"
import type { Peer } from "./peer.ts"

const TOOLS: Paged = { method: "tools/list", key: "tools", noun: "tool", id: "name" }

export const readTools = (
  server: string,
  redact: Redaction,
  peer: Pick<Peer, "request">
): Effect.Effect<ToolList, McpCallError> =>
  Effect.suspend(() => {
    const tools: Array<RawTool> = []
    const diagnostics: Array<Diagnostic> = []
    const reading: Reading = { server, redact, paged: TOOLS, diagnostics }
    const readPage = (cursor: string | undefined) => requestPage(server, peer, TOOLS, cursor)
    return Effect.as(readAllPages(reading, readPage, (raw) => readTool(reading, tools, raw)), { tools, diagnostics })
  })

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

const readTool = (reading: Reading, tools: Array<RawTool>, raw: unknown) => {
  const { diagnostics } = reading
  const decoded = decode(raw)
  if (Result.isFailure(decoded)) {
    diagnostics.push(malformed(reading, raw, decoded.failure.message.replaceAll(/\s+/g, " ")))
    return
  }
  const tool = decoded.success
  const schema = tool.inputSchema ?? {}
  const type = schema["type"]
  if (tool.name.length > MAX_NAME) {
    diagnostics.push(malformed(reading, raw, LONG_NAME))
  } else if (type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))) {
    tools.push(toRawTool(reading, tool, { ...schema, type: "object" }))
  } else {
    diagnostics.push(malformed(reading, raw, `the type of its input schema is not "object"`))
  }
}

const toRawTool = (reading: Reading, tool: Wire, inputSchema: RawTool["inputSchema"]): RawTool => {
  const annotations = readAnnotations(tool.annotations)
  return {
    name: tool.name,
    description: readDescription(reading, tool.name, tool.description ?? ""),
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

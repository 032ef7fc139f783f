/** A server's list of tools, each by itself, so that a broken one costs no other. */
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { McpCallError } from "../McpError.ts"
import type { RawTool, ToolList } from "../McpSession.ts"
import { type ListKind, LONG_NAME, malformed, MAX_NAME, readAllPages, readDescription, type Reading } from "./pages.ts"
import type { Peer } from "./peer.ts"

export const readTools = (
  server: string,
  redact: Redaction,
  peer: Pick<Peer, "request">
): Effect.Effect<ToolList, McpCallError> =>
  Effect.map(readAllPages(TOOLS, server, redact, peer), ({ diagnostics, items }) => ({ tools: items, diagnostics }))

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

const readTool = (reading: Reading, raw: unknown): RawTool | undefined => {
  const leaveOut = (problem: string) => void reading.diagnostics.push(malformed(reading, raw, problem))
  const decoded = decode(raw)
  if (Result.isFailure(decoded)) return leaveOut(decoded.failure.message.replaceAll(/\s+/g, " "))
  const tool = decoded.success
  if (tool.name.length > MAX_NAME) return leaveOut(LONG_NAME)
  const schema = tool.inputSchema ?? {}
  const type = schema["type"]
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))
    ? toRawTool(reading, tool, { ...schema, type: "object" })
    : leaveOut("the type of its input schema is not \"object\"")
}

const TOOLS: ListKind<RawTool> = { method: "tools/list", key: "tools", noun: "tool", id: "name", read: readTool }

const toRawTool = (reading: Reading, tool: Wire, inputSchema: RawTool["inputSchema"]): RawTool => {
  const annotations = readAnnotations(tool.annotations)
  return {
    name: tool.name,
    description: readDescription(reading, tool.name, tool.description ?? ""),
    inputSchema,
    ...(Predicate.isObject(tool.outputSchema) ? { outputSchema: tool.outputSchema } : {}),
    ...(annotations === undefined ? {} : { annotations })
  }
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const

/** A hint of the wrong type is no hint. */
const readAnnotations = (raw: unknown): RawTool["annotations"] => {
  if (!Predicate.isObject(raw)) return undefined
  const hints = HINTS.flatMap((hint) => {
    const value = raw[hint]
    return typeof value === "boolean" ? [[hint, value] as const] : []
  })
  const title = raw["title"]
  return { ...(typeof title === "string" ? { title } : {}), ...Object.fromEntries(hints) }
}

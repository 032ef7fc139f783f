/** A server's resources as two tools, for models whose host doesn't hand them resources: to list and to read them. */
import * as Text from "@effect-toolnexus/core/Text"
import * as Effect from "effect/Effect"
import { type McpCallError, type McpNotOffered, McpRejected, McpTimedOut } from "../McpError.ts"
import type { ReadResource, Resource, ResourceTemplate } from "../McpResource.ts"
import type { RawCallOptions, RawCallResult, RawTool } from "../McpSession.ts"
import type { Ask } from "./callTool.ts"

/** A tool that a server doesn't list, and what a call of it asks for. */
export interface AddedTool {
  readonly raw: RawTool
  readonly ask: Ask
}

const LIST: RawTool = {
  name: "list_resources",
  description:
    "Lists the resources of this server, one a line: URI, name, MIME type and description. A line that begins "
    + "with [template] has variables in braces to fill in. read_resource reads one by its URI.",
  inputSchema: {
    type: "object",
    properties: { offset: { type: "integer", minimum: 0, description: "How many lines to skip" } },
    additionalProperties: false
  },
  annotations: { title: "List resources", readOnlyHint: true }
}

const READ: RawTool = {
  name: "read_resource",
  description:
    "Reads a resource of this server by its URI: one that list_resources lists, a filled-in template, or one "
    + "that a tool has linked to.",
  inputSchema: {
    type: "object",
    properties: { uri: { type: "string", description: "The URI of the resource" } },
    required: ["uri"],
    additionalProperties: false
  },
  annotations: { title: "Read a resource", readOnlyHint: true }
}

/** What a server by this name has more, where it offers resources. */
export const resourceTools = (server: string): ReadonlyArray<AddedTool> => [
  { raw: LIST, ask: listResources(server) },
  { raw: READ, ask: readResource }
]

const listResources = (server: string): Ask => (session, { offset }, { limits }) => {
  const lists = Effect.all([session.listResources, session.listResourceTemplates], { concurrency: 2 })
  const listing = Effect.map(lists, ([resources, templates]) => {
    const lines = [...resources.items.map(resourceLine), ...templates.items.map(templateLine)]
    return textResult(showLines(lines, typeof offset === "number" ? offset : 0))
  })
  // the limit of a list is none of a call's, and is told in words
  return inTime(
    server,
    Effect.mapError(listing, (error) => error._tag === "McpTimedOut" ? refused(error) : error),
    limits
  )
}

const readResource: Ask = (session, { uri }, options) =>
  session.readResource(typeof uri === "string" ? uri : "", options).pipe(
    Effect.mapError((error) => error._tag === "McpNotOffered" ? refused(error) : error),
    Effect.map(toResult)
  )

const refused = ({ message, server }: McpNotOffered | McpTimedOut) => new McpRejected({ server, detail: message })

const inTime = (
  server: string,
  listing: Effect.Effect<RawCallResult, McpCallError>,
  limits: RawCallOptions["limits"]
): Effect.Effect<RawCallResult, McpCallError> => {
  if (limits === undefined) return listing
  const phase = limits.call <= limits.total ? "call" : "total"
  const limit = limits[phase]
  const orElse = () => Effect.fail(new McpTimedOut({ server, phase, limit }))
  return Effect.timeoutOrElse(listing, { duration: limit, orElse })
}

const resourceLine = ({ uri, ...rest }: Resource): string => line(uri, rest)

const templateLine = ({ uriTemplate, ...rest }: ResourceTemplate): string => `[template] ${line(uriTemplate, rest)}`

/** What helps to choose. */
const MAX_FIELD = 500

const line = (uri: string, { description, mimeType, name }: Omit<Resource, "uri" | "raw">): string => {
  const title = name === uri ? "" : ` - ${fold(name)}`
  const type = mimeType === undefined ? "" : ` (${fold(mimeType)})`
  const about = description === undefined || description.trim() === "" ? "" : `: ${fold(description)}`
  return `${uri}${title}${type}${about}`
}

const fold = (text: string): string => Text.cut(text.trim().replaceAll(/\s+/g, " "), MAX_FIELD, "...")

/** As much as a model is ready to read at a time; at least one line. */
const MAX_TEXT = 50_000

const showLines = (lines: ReadonlyArray<string>, offset: number): string => {
  if (lines.length === 0) return "(no resources)"
  if (offset >= lines.length) return `(no more: there are ${lines.length} lines in all)`
  let end = offset
  let length = 0
  while (end < lines.length && (end === offset || length + (lines[end] ?? "").length < MAX_TEXT)) {
    length += (lines[end++] ?? "").length + 1
  }
  const rest = lines.length - end
  return [...lines.slice(offset, end), ...(rest === 0 ? [] : [`(${rest} more lines; offset=${end})`])].join("\n")
}

const textResult = (text: string): RawCallResult => ({ content: [{ type: "text", text }] })

/** Text as it is, and bytes as a result of a tool has them. */
const toResult = ({ contents, diagnostics }: ReadResource): RawCallResult => ({
  content: [
    ...contents.map(({ raw: _raw, ...part }) =>
      "text" in part ? { type: "text", text: part.text } : { type: "resource", resource: part }
    ),
    ...diagnostics.map(({ message }) => ({ type: "text", text: `[${message}]` }))
  ]
})

/**
 * An endpoint of one's own as a tool: a URL with `{placeholders}`, and where the other arguments go (CONTRACT 9).
 *
 * @since 0.1.0
 */
import { defineTool, type HttpConnections, OptionCheck, type SourceEntry, Tool } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as JsonSchema from "effect/JsonSchema"
import type * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Retry } from "./internal/endpoint.ts"
import type { Encoding, Style } from "./internal/parameterStyle.ts"
import { type Parameter, type RequestPlan, REST } from "./internal/requestPlan.ts"
import * as UrlTemplate from "./internal/urlTemplate.ts"
import { withoutUserInfo } from "./internal/userInfo.ts"

/**
 * How a list or an object is written into a query, as OpenAPI has it. Default: `form`, exploded: a list is a name
 * repeated (`tag=a&tag=b`), an object its properties.
 *
 * @category models
 * @since 0.1.0
 */
export interface QueryStyle {
  readonly style?: Extract<Style, "form" | "spaceDelimited" | "pipeDelimited" | "deepObject">
  readonly explode?: boolean
}

/**
 * An endpoint.
 *
 * **Details**
 *
 * - `url`: http or https; each `{placeholder}` is the argument of that name, percent-encoded, wherever and however often
 *   it stands. It must be given, must not be empty, and can't lead out of its segment. In a host name it is one label.
 * - `method`: `GET` by default
 * - `query`: the arguments that go to the query, by name; with GET and HEAD all that is left does
 * - `body`: what the rest becomes: `json` (the default), `form` (URL-encoded), or `raw`: the one argument `body`, sent as it
 *   is. Where `body` is given there always is one; else only when there is something to put into it.
 * - `headers`: values are expanded (`${NAME}`), sent to the URL's own origin only, and never shown. A tool whose variable
 *   is missing is left out, with a diagnostic.
 * - `inputSchema`: a JSON Schema or an Effect Schema of an object. Default: the placeholders as text or numbers, and the
 *   names in `query` as anything.
 * - `timeout`: in milliseconds over the whole call, 30000 by default
 * - `retry`: `safe` (the default) sends GET, HEAD and OPTIONS up to three times where the server was too busy (429, 502,
 *   503, 504) or didn't answer; `always` does so with every method
 * - `resultMode`: `text` (the default) is the body as it is; `json` also keeps it in `structured`, and fails on what isn't
 *   JSON; `status+text` is `HTTP <status>: <body>`, as every failure is
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpToolDefinition extends Pick<Tool.ToolDefinition, "annotations" | "description" | "name"> {
  readonly url: string
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: ReadonlyArray<string> | Readonly<Record<string, QueryStyle>>
  readonly body?: "json" | "form" | "raw"
  readonly inputSchema?: JsonSchema.JsonSchema | Schema.Decoder<unknown>
  readonly timeout?: number
  readonly retry?: Retry
  readonly resultMode?: "text" | "json" | "status+text"
}

const TypeId = Symbol.for("@effect-toolnexus/extra/HttpTool")

/**
 * An endpoint that is checked and not yet connected: an item of a toolkit's `tools`.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpTool {
  readonly [TypeId]: typeof TypeId
  readonly name: string
  readonly definition: HttpToolDefinition
  readonly inputSchema: Tool.ObjectSchema
  /** Which argument goes where. */
  readonly plan: RequestPlan
  /** The address with its placeholders, without user info and query. */
  readonly location: string
}

/**
 * @category guards
 * @since 0.1.0
 */
export const isHttpTool = (value: unknown): value is HttpTool => Predicate.hasProperty(value, TypeId)

/**
 * Makes a tool of an endpoint.
 *
 * **Gotchas**
 *
 * A mistake in the definition throws a `TypeError` at once: no call could ever succeed.
 *
 * **Example**
 *
 * ```ts
 * const issue = httpTool({
 *   name: "get_issue",
 *   url: "https://tracker.example/projects/{project}/issues/{number}",
 *   headers: { Authorization: "Bearer ${TRACKER_TOKEN}" }
 * })
 * const layer = ToolkitLive({ tools: [issue] })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const httpTool = (definition: HttpToolDefinition): HttpTool => {
  const { inputSchema, name, url } = definition
  checkDefinition(definition)
  const template = typeof url === "string" ? UrlTemplate.parse(withoutUserInfo(url)) : undefined
  if (template === undefined) throw new TypeError(`The url of tool "${name}" is no http or https URL`)
  const schema = toInputSchema(name, inputSchema ?? defaultSchema(definition, template))
  const untold = template.names.find((placeholder) => isUntold(schema, placeholder))
  if (untold !== undefined) {
    throw new TypeError(`The url of tool "${name}" has the placeholder {${untold}}, which its inputSchema doesn't have`)
  }
  return {
    [TypeId]: TypeId,
    name,
    definition,
    inputSchema: schema,
    plan: toPlan(definition, template),
    location: template.origin + template.path
  }
}

/** For programs that no compiler has looked at. */
const checkDefinition = (definition: HttpToolDefinition): void => {
  OptionCheck.check(definition, { owner: `tool "${definition.name}"`, keys: KEYS, otherNames: OTHER_NAMES })
}

const { anything, oneOf, text } = OptionCheck

/** What a tool's schema is called by others. */
const OTHER_NAMES = { parameters: "inputSchema", input: "inputSchema", schema: "inputSchema" } as const

/** A record, so that no key can be forgotten. */
const KEYS: Readonly<Record<keyof HttpToolDefinition, OptionCheck.Expectation>> = {
  name: anything,
  description: text,
  annotations: Tool.annotationsExpectation,
  url: anything,
  // of others the platform makes no request, and what is in lower case is another one to it
  method: oneOf(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
  headers: OptionCheck.recordOf("header names and values, both text", Predicate.isString),
  query: {
    fits: (value) =>
      Array.isArray(value)
        ? value.every(Predicate.isString)
        : Predicate.isObject(value) && Object.values(value).every(Predicate.isObject),
    what: "a list of names, or an object of names to {style, explode}"
  },
  body: oneOf(["json", "form", "raw"]),
  inputSchema: anything,
  timeout: {
    fits: (value) => typeof value === "number" && value >= 1,
    what: "a number of milliseconds, at least 1"
  },
  retry: oneOf(["never", "safe", "always"]),
  resultMode: oneOf(["text", "json", "status+text"])
}

/** An Effect Schema becomes the JSON Schema that its tool would have; arguments are checked against that. */
const toInputSchema = (name: string, schema: NonNullable<HttpToolDefinition["inputSchema"]>): Tool.ObjectSchema =>
  Schema.isSchema(schema)
    ? defineTool({ name, input: schema, handler: () => "" }).inputSchema
    : defineTool({ name, input: schema, handler: () => "" }).inputSchema

/** A model is never told of it, and so never gives it. */
const isUntold = (schema: Tool.ObjectSchema, name: string): boolean => {
  const { additionalProperties = false, properties, required } = schema
  // a name alone is something, unless it can't be given
  if (Array.isArray(required) && required.includes(name) && schema["additionalProperties"] !== false) return false
  const isOpen = additionalProperties !== false || ELSEWHERE.some((keyword) => schema[keyword] !== undefined)
  return !isOpen && !(Predicate.isObject(properties) && Object.hasOwn(properties, name))
}

/** Where a schema may speak of a property as well. */
const ELSEWHERE = ["$ref", "allOf", "anyOf", "if", "oneOf", "patternProperties"]

const defaultSchema = ({ query }: HttpToolDefinition, { names }: UrlTemplate.UrlTemplate): JsonSchema.JsonSchema => ({
  type: "object",
  properties: {
    ...Object.fromEntries(queryNames(query).map((name) => [name, {}])),
    ...Object.fromEntries(names.map((name) => [name, { type: ["string", "number"] }]))
  },
  ...(names.length === 0 ? {} : { required: [...names] })
})

const queryNames = (query: HttpToolDefinition["query"] = []): ReadonlyArray<string> =>
  isNameList(query) ? query : Object.keys(query)

const isNameList = (query: NonNullable<HttpToolDefinition["query"]>): query is ReadonlyArray<string> =>
  Array.isArray(query)

/**
 * Connects an endpoint: the tool as the source makes it, for a host that registers it at run time. The scope closes its
 * connections, and fails calls that come later.
 *
 * **Example**
 *
 * ```ts
 * yield* toolkit.register(yield* HttpTool.connect(issue))
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const connect = (
  tool: HttpTool
): Effect.Effect<
  Tool.Tool,
  SourceEntry.EntryError,
  FileSystem.FileSystem | HttpConnections | Path.Path | Scope.Scope
> =>
  Effect.flatMap(
    // only who has an endpoint needs what speaks to it
    Effect.promise(() => import("./internal/connectEndpoint.ts")),
    ({ connectEndpoint }) => connectEndpoint(tool)
  )

const toPlan = (definition: HttpToolDefinition, url: UrlTemplate.UrlTemplate): RequestPlan => {
  const { method = "GET", query } = definition
  const placeholders = url.names
  const isRead = method === "GET" || method === "HEAD"
  return {
    method,
    url,
    parameters: [
      ...placeholders.map((name): Parameter => ({ argument: name, name, in: "path", encoding: SIMPLE })),
      ...queryNames(query).filter((name) => !placeholders.includes(name)).map((name): Parameter => ({
        argument: name,
        name,
        in: "query",
        encoding: styleOf(query, name)
      }))
    ],
    restInQuery: isRead,
    body: isRead ? undefined : bodyRule(definition)
  }
}

const SIMPLE: Encoding = { style: "simple", explode: false }

const styleOf = (query: HttpToolDefinition["query"], name: string): Encoding => {
  if (query === undefined || isNameList(query) || !Object.hasOwn(query, name)) return REST
  const { style = "form", explode = style === "form" } = query[name] ?? {}
  return { style, explode }
}

const MEDIA_TYPES = { json: "application/json", form: "application/x-www-form-urlencoded", raw: "text/plain" }

const bodyRule = ({ body }: HttpToolDefinition): RequestPlan["body"] => {
  const encoding = body ?? "json"
  return {
    plan: { encoding, mediaType: MEDIA_TYPES[encoding], fields: new Map() },
    argument: encoding === "raw" ? "body" : undefined,
    always: body !== undefined
  }
}

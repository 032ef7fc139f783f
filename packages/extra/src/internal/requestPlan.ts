/**
 * From arguments to a request, as an author declared it: which argument goes where, in what style. Endpoints of one's own
 * and operations of documents both become such a plan.
 */
import type { Json, ToolError } from "@effect-toolnexus/core"
import { isHeaderValue } from "@effect-toolnexus/core/HeaderSyntax"
import * as Result from "effect/Result"
import * as ParameterStyle from "./parameterStyle.ts"
import * as RequestBody from "./requestBody.ts"
import * as UrlTemplate from "./urlTemplate.ts"

export interface RequestPlan {
  readonly method: string
  readonly url: UrlTemplate.UrlTemplate
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: BodyRule | undefined
  /** Arguments that nothing else names go to the query. */
  readonly restInQuery: boolean
}

export interface Parameter {
  /** What it is called among the arguments. */
  readonly argument: string
  /** What the server calls it. */
  readonly name: string
  readonly in: "path" | "query" | "header" | "cookie"
  /** `json`: the value is JSON, whatever it is. */
  readonly encoding: ParameterStyle.Encoding | "json"
}

export interface BodyRule {
  readonly plan: RequestBody.BodyPlan
  /** The argument that is the body; without one it is an object of all arguments that nothing else names. */
  readonly argument: string | undefined
  /** There is a body even when there is nothing to put into it. */
  readonly always: boolean
}

/** What is sent, but for what the host adds. */
export interface PlannedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

export const toRequest = (
  plan: RequestPlan,
  args: Json.JsonObject,
  boundary: string
): Result.Result<PlannedRequest, ToolError.ArgumentIssue> => {
  const given = new Given(args)
  const path = new Map<string, string>()
  const plain = new Map<string, string>()
  const pairs: Array<string> = []
  const cookies: Array<string> = []
  const headers: Record<string, string> = {}
  for (const parameter of plan.parameters) {
    const value = given.take(parameter.argument)
    if (value === undefined || value === null) continue
    const { argument, encoding, in: place, name } = parameter
    if (place === "path") {
      path.set(
        name,
        encoding === "json"
          ? ParameterStyle.escape(JSON.stringify(value))
          : ParameterStyle.toPath(name, value, encoding)
      )
      plain.set(name, ParameterStyle.textOf(value))
    } else if (place === "header") {
      const text = encoding === "json" ? JSON.stringify(value) : ParameterStyle.toHeader(value, encoding)
      if (!isHeaderValue(text)) return Result.fail({ path: argument, message: NO_HEADER })
      headers[name.toLowerCase()] = text
    } else {
      const written = encoding === "json"
        ? [`${ParameterStyle.escape(name)}=${ParameterStyle.escape(JSON.stringify(value))}`]
        : ParameterStyle.toPairs(name, value, encoding)
      if (place === "query") pairs.push(...written)
      else if (written.length > 0) cookies.push(written.join("&"))
    }
  }
  if (plan.restInQuery) {
    for (const [name, value] of given.rest()) {
      if (value !== null) pairs.push(...ParameterStyle.toPairs(name, value, REST))
    }
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ")
  return Result.flatMap(
    bodyOf(plan.body, given, boundary),
    (body) =>
      Result.map(UrlTemplate.fill(plan.url, { path, plain, escape: ParameterStyle.escape }, pairs), (url) => ({
        method: plan.method,
        url,
        headers: body === undefined ? headers : { ...headers, "content-type": body.mediaType },
        body: body?.content
      }))
  )
}

export const REST: ParameterStyle.Encoding = { style: "form", explode: true }

const NO_HEADER =
  "goes into a header, which can't hold line breaks, other control characters or characters beyond Latin-1"

/** The arguments, and which of them nothing has asked for. Names may be any, `__proto__` too. */
class Given {
  readonly #args: Json.JsonObject
  readonly #taken = new Set<string>()
  constructor(args: Json.JsonObject) {
    this.#args = args
  }
  take(name: string): Json.Json | undefined {
    this.#taken.add(name)
    return Object.hasOwn(this.#args, name) ? this.#args[name] : undefined
  }
  rest(): ReadonlyArray<readonly [string, Json.Json]> {
    return Object.entries(this.#args).filter(([name]) => !this.#taken.has(name))
  }
}

const bodyOf = (
  rule: BodyRule | undefined,
  given: Given,
  boundary: string
): Result.Result<RequestBody.Body | undefined, ToolError.ArgumentIssue> => {
  if (rule === undefined) return Result.succeed(undefined)
  const { always, argument, plan } = rule
  const rest = argument === undefined ? given.rest() : []
  const value = argument === undefined
    ? rest.length > 0 || always ? Object.fromEntries(rest) : undefined
    : given.take(argument)
  if (value === undefined) {
    return always
      ? Result.fail({ path: argument ?? "", message: "is the body of the request and must be given" })
      : Result.succeed(undefined)
  }
  return Result.mapError(RequestBody.encode(plan, value, boundary), (message) => ({ path: argument ?? "", message }))
}

/** One operation of a document: what a model is told of it, and what a call of it sends. */
import { type Json, Text, type Tool } from "@effect-toolnexus/core"
import { isHeaderName, isHeaderValue, isOfConnection } from "@effect-toolnexus/core/HeaderSyntax"
import * as Result from "effect/Result"
import type { Budget } from "./budget.ts"
import { type Definitions, sizeOf } from "./definitions.ts"
import { listAt, shown, textAt } from "./json.ts"
import { annotationsOf } from "./methodHints.ts"
import { bodyOf, type DeclaredBody } from "./operationBody.ts"
import { type DeclaredParameter, keyOf, parametersOf } from "./operationParameters.ts"
import type { Operation } from "./operations.ts"
import type { Parameter, RequestPlan } from "./requestPlan.ts"
import * as Security from "./security.ts"
import { baseOf, type Place } from "./servers.ts"
import * as UrlTemplate from "./urlTemplate.ts"

export interface OperationTool {
  readonly description: string
  readonly inputSchema: Tool.ObjectSchema
  readonly annotations: Tool.ToolAnnotations
  readonly plan: RequestPlan
  readonly credentials: Security.Credentials
}

export interface DocumentSettings {
  readonly document: Json.JsonObject
  readonly definitions: Definitions
  readonly budget: Budget
  readonly place: Place
  /** Names in lower case: what the host sends anyway is nobody else's. */
  readonly headerNames: ReadonlyArray<string>
  readonly security: Readonly<Record<string, string>>
}

/** Or why it can't be called. */
export const toTool = (
  { budget, definitions, document, headerNames, place, security }: DocumentSettings,
  { method, operation, path, pathItem }: Operation
): Result.Result<OperationTool, string> =>
  Result.gen(function*() {
    const count = listAt(pathItem, "parameters").length + listAt(operation, "parameters").length
    yield* spend(budget, VALUES_OF_PARAMETER * count)
    const base = yield* baseOf(place, [operation, pathItem, document])
    const url = UrlTemplate.parse(base + withSlash(path))
    if (url === undefined) return yield* Result.fail(`it has no address: ${shown(base + path)}`)
    const { credentials, taken } = Security.apply(document, operation, security)
    const unusable = Object.keys(credentials.headers).find((name) => !isHeaderName(name) || isOfConnection(name))
    if (unusable !== undefined) {
      return yield* Result.fail(`it wants a credential in ${shown(unusable)}, which is no header for one`)
    }
    if (!Object.values(credentials.headers).every(isHeaderValue)) {
      return yield* Result.fail("it wants a credential in a header that has characters which a header can't hold")
    }
    const hidden = new Set([...taken, ...headerNames.map((name) => keyOf({ in: "header", name }))])
    const parameters = yield* parametersOf(document, [pathItem, operation], url.names, hidden)
    const body = yield* bodyOf(document, operation)
    yield* spend(budget, VALUES_OF_PARAMETER * (body?.plan.fields.size ?? 0))
    const named = nameArguments(parameters, body)
    for (const { schema } of [...parameters, ...body === undefined ? [] : [body]]) yield* spend(budget, sizeOf(schema))
    const references = new Set<string>()
    const translate = (schema: Json.Json): Json.Json => {
      const translated = definitions.translate(schema)
      for (const reference of translated.references) references.add(reference)
      return translated.schema
    }
    const properties = Object.fromEntries([
      ...named.parameters.map(({ argument, schema }) => [argument, translate(schema)]),
      ...(body === undefined ? [] : [[named.body, translate(body.schema)]])
    ])
    const $defs = yield* Result.mapError(definitions.closure({ schema: properties, references }), ofIt)
    const required = [
      ...named.parameters.filter(({ isRequired }) => isRequired).map(({ argument }) => argument),
      ...(body?.isRequired === true ? [named.body] : [])
    ]
    return {
      description: describe(method, path, operation),
      annotations: { ...titleOf(operation), ...annotationsOf(method) },
      inputSchema: {
        type: "object",
        properties,
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: false,
        ...(Object.keys($defs).length === 0 ? {} : { $defs })
      },
      plan: {
        method,
        url,
        parameters: named.parameters.map(({ argument, encoding, in: where, name }) => ({
          argument,
          encoding,
          in: where,
          name
        })),
        body: body === undefined ? undefined : { plan: body.plan, argument: named.body, always: body.isRequired },
        restInQuery: false
      },
      credentials
    }
  })

const ofIt = (problem: string): string => `it ${problem}`

const spend = (budget: Budget, values: number): Result.Result<void, string> =>
  Result.mapError(budget.take(values), ofIt)

/** As much as its plan, its name and its place take. */
const VALUES_OF_PARAMETER = 10

/** What follows `#` never reaches a server; some documents tell operations apart by it. */
const withSlash = (path: string): string => {
  const [sent = ""] = path.split("#")
  return sent.startsWith("/") ? sent : `/${sent}`
}

const titleOf = (operation: Json.JsonObject): Tool.ToolAnnotations => {
  const title = wordsAt(operation, "summary")
  return title === "" ? {} : { title }
}

/** What a model is to read of each tool, in characters. */
const MAX_WORDS = 10_000

const wordsAt = (operation: Json.JsonObject, key: "description" | "summary"): string =>
  Text.cut(textAt(operation, key)?.trim() ?? "", MAX_WORDS, "...")

const describe = (method: string, path: string, operation: Json.JsonObject): string => {
  const summary = wordsAt(operation, "summary")
  const description = wordsAt(operation, "description")
  const texts = description.startsWith(summary) ? [description] : [summary, description]
  const said = texts.filter((text) => text !== "").join("\n\n")
  const text = said === "" ? `${method} ${path}` : said
  return operation["deprecated"] === true ? `${text}\n\nDeprecated.` : text
}

type Named = Parameter & DeclaredParameter

interface NamedArguments {
  readonly parameters: ReadonlyArray<Named>
  readonly body: string
}

/** One name in several places is one argument for each place, called after it; all others keep their own names. */
const nameArguments = (
  parameters: ReadonlyArray<DeclaredParameter>,
  body: DeclaredBody | undefined
): NamedArguments => {
  const count = new Map<string, number>()
  const names = [...parameters.map(({ name }) => name), ...(body === undefined ? [] : ["body"])]
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1)
  const taken = new Set(names.filter((name) => count.get(name) === 1))
  const distinct = (plain: string): string => {
    let name = plain
    while (taken.has(name)) name = `${name}_`
    taken.add(name)
    return name
  }
  const argumentOf = ({ in: where, name }: DeclaredParameter) =>
    count.get(name) === 1 ? name : distinct(`${where}_${name}`)
  return {
    body: count.get("body") === 1 ? "body" : distinct("request_body"),
    parameters: parameters.map((parameter) => ({ ...parameter, argument: argumentOf(parameter) }))
  }
}

/** The parameters of an operation: those of its path, those of its own that replace them, and how each is written. */
import type { Json } from "@effect-toolnexus/core"
import { isHeaderName, isOfConnection } from "@effect-toolnexus/core/HeaderSyntax"
import * as Result from "effect/Result"
import { at, isObject, listAt, objectAt, shown, textAt } from "./json.ts"
import type { Encoding, Style } from "./parameterStyle.ts"
import * as References from "./references.ts"
import type { Parameter } from "./requestPlan.ts"

export interface DeclaredParameter extends Omit<Parameter, "argument"> {
  readonly schema: Json.Json
  readonly isRequired: boolean
}

/** In order of their first mention; or which of them makes no sense. */
export const parametersOf = (
  document: Json.JsonObject,
  levels: ReadonlyArray<Json.JsonObject>,
  placeholders: ReadonlyArray<string>,
  taken: ReadonlySet<string>
): Result.Result<ReadonlyArray<DeclaredParameter>, string> => {
  const found = new Map<string, DeclaredParameter>()
  const inPath = new Set(placeholders)
  for (const [index, item] of levels.flatMap((level) => listAt(level, "parameters")).entries()) {
    const resolved = References.resolve(document, item)
    if (Result.isFailure(resolved)) return Result.fail(`parameter ${index + 1} ${resolved.failure}`)
    const parameter = toParameter(document, resolved.success)
    if (typeof parameter === "string") return Result.fail(`parameter ${index + 1} ${parameter}`)
    found.set(keyOf(parameter), parameter)
  }
  const isWanted = (parameter: DeclaredParameter) =>
    !taken.has(keyOf(parameter)) && !isReserved(parameter)
    && (parameter.in !== "path" || inPath.has(parameter.name))
  const declared = [...found.values()].filter(isWanted)
  // a placeholder that nobody declared must be filled all the same
  const undeclared = placeholders.filter((name) => !found.has(`path:${name}`)).map((name): DeclaredParameter => ({
    name,
    in: "path",
    encoding: { style: "simple", explode: false },
    schema: { type: "string" },
    isRequired: true
  }))
  return Result.succeed([...declared, ...undeclared])
}

/** Names of headers are written in any case. */
export const keyOf = ({ in: place, name }: Pick<Parameter, "in" | "name">): string =>
  `${place}:${place === "header" ? name.toLowerCase() : name}`

/** OpenAPI has words of its own for them. */
const RESERVED = /^(?:accept|content-type|authorization)$/i

const isReserved = ({ in: place, name }: DeclaredParameter): boolean =>
  place === "header" && (RESERVED.test(name) || isOfConnection(name) || !isHeaderName(name))

const toParameter = (document: Json.JsonObject, parameter: Json.JsonObject): DeclaredParameter | string => {
  const [name, place] = [textAt(parameter, "name"), textAt(parameter, "in")]
  if (name === undefined || name === "") return "has no name"
  if (place !== "path" && place !== "query" && place !== "header" && place !== "cookie") {
    return `${shown(name)} is in no place that there is`
  }
  const content = Object.entries(objectAt(parameter, "content"))[0]
  const media = content === undefined ? Result.succeed(parameter) : References.resolve(document, content[1])
  if (Result.isFailure(media)) return `${shown(name)} ${media.failure}`
  return {
    name,
    in: place,
    encoding: content === undefined ? encodingOf(parameter, place) : contentEncoding(content[0], place),
    schema: described(at(media.success, "schema") ?? {}, parameter),
    isRequired: place === "path" || parameter["required"] === true
  }
}

const contentEncoding = (mediaType: string, place: Parameter["in"]): Parameter["encoding"] =>
  /[/+]json\b|^\*\/\*$/i.test(mediaType) ? "json" : encodingOf({}, place)

/** The styles that each place knows (OpenAPI 3.1.1, "Style Values"), its default first. */
const STYLES: Readonly<Record<Parameter["in"], ReadonlyArray<Style>>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"]
}

export const encodingOf = (declared: Json.JsonObject, place: Parameter["in"]): Encoding => {
  const [standard = "simple", ...others] = STYLES[place]
  const style = others.find((each) => each === declared["style"]) ?? standard
  const { allowReserved, explode } = declared
  return {
    style,
    explode: typeof explode === "boolean" ? explode : style === "form",
    ...(allowReserved === true ? { allowReserved } : {})
  }
}

/** What is said of the parameter is said of its value: beside a reference, too, it counts. */
const described = (schema: Json.Json, parameter: Json.JsonObject): Json.Json => {
  const { deprecated, description, example } = parameter
  const notes: Record<string, Json.Json> = {}
  if (typeof description === "string" && description.trim() !== "") notes["description"] = description
  if (deprecated === true) notes["deprecated"] = true
  if (example !== undefined) notes["example"] = example
  if (Object.keys(notes).length === 0) return schema
  return isObject(schema) ? { ...schema, ...notes } : notes
}

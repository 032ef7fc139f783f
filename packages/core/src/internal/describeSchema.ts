/** What people wrote of a value, and what a schema has no keyword for, in its description. */
import type { Json } from "../Json.ts"
import * as Text from "../Text.ts"
import { charge, has, note, type Notebook, sizeOf } from "./renderPass.ts"
import { type About, resolve, type Shape, SILENT, type Statement } from "./shape.ts"

export const NOTHING: ReadonlyArray<Statement> = []

export const join = (first: ReadonlyArray<Statement>, second: ReadonlyArray<Statement>): ReadonlyArray<Statement> =>
  first.length === 0 ? second : second.length === 0 ? first : [...first, ...second]

/** A word for a shape. */
export const nameShape = ({ about, forms }: Shape): string =>
  about.title ?? about.description ?? [...new Set(resolve(forms).map(({ type }) => type))].join(" or ")

/** Text of this many characters is enough for one value; the whole is there for the tool to check. */
const MAX_STATEMENT = 300

/** Adds what people wrote, and what the schema doesn't say. */
export const describe = <Value = never>(
  pass: Notebook,
  schema: Record<string, Value | Json>,
  about: About,
  left: ReadonlyArray<Statement>
): Record<string, Value | Json> => {
  if (about === SILENT && left.length === 0) return schema
  if (left.length === 0 && isOnlyDescription(about)) {
    schema["description"] = about.description ?? ""
    charge(pass, sizeOf(about.description))
    return schema
  }
  const unsaid = [...left]
  const { title } = about
  if (title !== undefined && has(pass, "title")) schema["title"] = title
  if (about.default !== undefined) keepOrSay(pass, schema, unsaid, "default", about.default)
  if (about.examples !== undefined) {
    const [first] = about.examples
    if (has(pass, "example") && first !== undefined) schema["example"] = first
    else keepOrSay(pass, schema, unsaid, "examples", about.examples)
  }
  for (const [keyword, value] of about.said ?? []) {
    if (value === true && has(pass, keyword)) schema[keyword] = value
    else unsaid.push([keyword, value])
  }
  for (const [keyword] of unsaid) note(pass, "moved", `"${keyword}" is said in the description`)
  const text = about.description ?? (has(pass, "title") ? undefined : title)
  const description = [
    ...text === undefined ? [] : [text],
    ...unsaid.length === 0 ? [] : [`(${unsaid.map(state).join("; ")})`]
  ]
  if (description.length > 0) schema["description"] = description.join("\n")
  charge(pass, sizeOf(title) + sizeOf(about.default) + sizeOf(about.examples) + sizeOf(description))
  return schema
}

const isOnlyDescription = ({ default: fallback, description, examples, said, title }: About): boolean =>
  description !== undefined && title === undefined && fallback === undefined && examples === undefined &&
  said === undefined

const keepOrSay = <Value>(
  pass: Notebook,
  schema: Record<string, Value | Json>,
  unsaid: Array<Statement>,
  keyword: string,
  value: Json
): void => {
  if (has(pass, keyword)) schema[keyword] = value
  else unsaid.push([keyword, value])
}

export const state = ([keyword, value]: Statement): string =>
  `${keyword}: ${Text.cut(typeof value === "string" ? value : JSON.stringify(value), MAX_STATEMENT, "…")}`
